package scim

import "net/http"

// serviceProviderConfig is the resource of RFC 7643 §5.
func serviceProviderConfig(q *request) (resource, error) {
	no := object{"supported": false}
	return resource{status: http.StatusOK, body: object{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"},
		"patch":   object{"supported": true}, "bulk": object{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter": object{"supported": true, "maxResults": pageSize}, "changePassword": no, "sort": no, "etag": object{"supported": true},
		"authenticationSchemes": []object{{"type": "oauthbearertoken", "name": "Bearer token", "primary": true,
			"description": "An API key or an access token with the scope " + Scope}},
		"meta": object{"resourceType": "ServiceProviderConfig", "location": q.location("ServiceProviderConfig", "")},
	}}, nil
}

// described are the kinds of resources, and the attributes of each that are kept.
var described = []struct {
	name, path, schema string
	attributes         []object
}{
	{"User", "Users", userSchema, []object{
		attributeOf("userName", "string", "readWrite", "uniqueness", "server", "required", true),
		attributeOf("externalId", "string", "readWrite", "caseExact", true),
		attributeOf("active", "boolean", "readWrite"),
		attributeOf("emails", "complex", "readWrite", "multiValued", true, "subAttributes", []object{
			attributeOf("value", "string", "readWrite"), attributeOf("type", "string", "readOnly"), attributeOf("primary", "boolean", "readOnly")}),
		attributeOf("groups", "complex", "readOnly", "multiValued", true, "subAttributes", []object{
			attributeOf("value", "string", "readOnly"), attributeOf("display", "string", "readOnly"), attributeOf("$ref", "reference", "readOnly", "referenceTypes", []string{"Group"})}),
	}},
	{"Group", "Groups", groupSchema, []object{
		attributeOf("displayName", "string", "readWrite", "uniqueness", "server", "required", true),
		attributeOf("members", "complex", "readWrite", "multiValued", true, "subAttributes", []object{
			attributeOf("value", "string", "immutable"), attributeOf("display", "string", "readOnly"), attributeOf("$ref", "reference", "readOnly", "referenceTypes", []string{"User"})}),
	}},
}

// attributeOf describes an attribute (RFC 7643 §7); more are pairs of a name and a value.
func attributeOf(name, kind, mutability string, more ...any) object {
	a := object{"name": name, "type": kind, "mutability": mutability, "multiValued": false, "required": false, "caseExact": false, "returned": "default", "uniqueness": "none", "description": name}
	for i := 0; i < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return a
}

func resourceTypes(q *request) (resource, error) {
	var all []object
	for _, d := range described {
		all = append(all, object{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ResourceType"}, "id": d.name, "name": d.name, "endpoint": "/" + d.path, "schema": d.schema,
			"meta": object{"resourceType": "ResourceType", "location": q.location("ResourceTypes", d.name)}})
	}
	return q.among(all)
}

func schemas(q *request) (resource, error) {
	var all []object
	for _, d := range described {
		all = append(all, object{"schemas": []string{schemaSchema}, "id": d.schema, "name": d.name, "attributes": d.attributes,
			"meta": object{"resourceType": "Schema", "location": q.location("Schemas", d.schema)}})
	}
	return q.among(all)
}

// among answers all, or the one that the path names.
func (q *request) among(all []object) (resource, error) {
	if q.id == "" {
		return list(len(all), 1, all), nil
	}
	for _, one := range all {
		if one["id"] == q.id {
			return resource{status: http.StatusOK, body: one}, nil
		}
	}
	return resource{}, errNotFound
}
