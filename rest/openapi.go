package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// OpenAPI returns the OpenAPI 3.1 document of all paths on a schema, as JSON:
// what a server of the schema publishes at /openapi.json. It returns an error
// for a stored operation that does not fit the schema, or the table.
func OpenAPI(schema *ast.Schema) ([]byte, error) {
	endpoints, err := newEndpoints(schema, apis)
	if err != nil {
		return nil, err
	}
	return describe(schema, endpoints)
}

// object is a JSON object of the OpenAPI document.
type object = map[string]any

// describer builds the OpenAPI document. Nothing in it is written twice: paths
// come from the table, parameters and bodies from the operations, descriptions
// from the schema.
type describer struct {
	// takesMore: the body described may hold properties that its type has not.
	takesMore  bool
	schema     *ast.Schema
	components object
	scopes     object
}

// describe returns the OpenAPI 3.1 document of the endpoints, as JSON.
func describe(schema *ast.Schema, endpoints []*endpoint) ([]byte, error) {
	d := &describer{schema: schema, components: object{"Problem": problemSchema}, scopes: object{}}
	paths := object{}
	for _, e := range endpoints {
		operation, err := d.operation(e)
		if err != nil {
			return nil, fmt.Errorf("rest: %s: %w", e.route.operation, err)
		}
		path := e.api.base + e.route.path
		item, ok := paths[path].(object)
		if !ok {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(e.route.method)] = operation
	}
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title":       "Upline",
			"version":     "1",
			"description": "The documented REST paths. x-graphql of an operation is the GraphQL document that it runs; its variables are the parameters and the body.",
		},
		"servers": []any{object{"url": "/"}},
		"tags":    tags(endpoints),
		"paths":   paths,
		"components": object{
			"schemas":         d.components,
			"responses":       object{"Problem": problemResponse, "RateLimited": rateLimitedResponse, "Unavailable": unavailableResponse},
			"securitySchemes": object{"oauth2": d.security()},
		},
	})
}

func tags(endpoints []*endpoint) []any {
	var tags []any
	seen := map[string]bool{}
	for _, e := range endpoints {
		if !seen[e.api.title] {
			seen[e.api.title] = true
			tags = append(tags, object{"name": e.api.title, "description": "Version " + e.api.version + "."})
		}
	}
	return tags
}

func (d *describer) security() object {
	return object{"type": "oauth2", "flows": object{"clientCredentials": object{"tokenUrl": "/oauth2/token", "scopes": d.scopes}}}
}

func (d *describer) operation(e *endpoint) (object, error) {
	field := e.operation.root.Definition
	scope := ""
	if directive := field.Directives.ForName("hasScope"); directive != nil {
		scope = directive.Arguments.ForName("scope").Value.Raw
		d.scopes[scope] = "Needed by the operations that name it."
	}
	responses, err := d.responses(e)
	if err != nil {
		return nil, err
	}
	name := e.operation.definition.Name
	o := object{
		"operationId": strings.ToLower(name[:1]) + name[1:],
		"summary":     e.answers().Definition.Description,
		"tags":        []string{e.api.title},
		"parameters":  d.parameters(e),
		"responses":   responses,
		"security":    []any{object{"oauth2": []string{scope}}},
		"x-graphql":   e.operation.document,
	}
	if body := e.request.body; body != nil {
		d.takesMore = takesMore[e.route.operation]
		o["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": d.input(body)}}}
	}
	return o, nil
}

func (d *describer) parameters(e *endpoint) []any {
	list := []any{}
	if e.api.hasTenant() {
		list = append(list, describeParameter("path", tenantParameter, "The tenant.", object{"type": "string"}))
	}
	for _, p := range e.request.path {
		list = append(list, describeParameter("path", p.name, p.description, d.input(p.typ)))
	}
	for _, p := range slices.Concat(e.request.filter, e.request.query) {
		list = append(list, describeParameter("query", p.name, p.description, withoutNull(d.input(p.typ))))
	}
	if e.request.sort != nil {
		list = append(list, describeParameter("query", sortParameter,
			sortForms[e.api.sort].description+" The fields are "+strings.Join(e.request.sort.names, ", ")+".",
			object{"type": "string"}))
	}
	if e.request.others {
		list = append(list, object{"in": "query", "name": parametersVariable, "description": "The parameters of the query, each by its own name.", "style": "form", "explode": true,
			"schema": object{"type": "object", "additionalProperties": object{"type": "string"}}})
	}
	if e.request.paged {
		list = append(list,
			describeParameter("query", e.api.paging.index, "The page, from 1.", object{"type": "integer", "minimum": 1, "default": 1}),
			describeParameter("query", pageSizeParameter, describeSize(e.api.paging), sizeSchema(e.api.paging)))
	}
	return append(list, describeHeaderParameters(e)...)
}

// sizeSchema bounds the size of a page, unless each query does.
func sizeSchema(p paging) object {
	if p.most == math.MaxInt32 {
		return object{"type": "integer", "minimum": 1}
	}
	return object{"type": "integer", "minimum": 1, "maximum": maxPageSize}
}

func describeSize(p paging) string {
	if p.most == 0 {
		return "Rows in a page; default and maximum are set per tenant."
	}
	if p.most == math.MaxInt32 {
		return fmt.Sprintf("Rows in a page; %d by default, and each query has a maximum.", p.usual)
	}
	return fmt.Sprintf("Rows in a page; %d by default, at most %d.", p.usual, p.most)
}

func describeParameter(in, name, description string, schema object) object {
	return object{"in": in, "name": name, "description": description, "required": in == "path", "schema": schema}
}

// responses describes what an endpoint answers when it succeeds, and the
// statuses of problems.
func (d *describer) responses(e *endpoint) (object, error) {
	responses := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for _, status := range problemStatuses(e) {
		responses[strconv.Itoa(status)] = object{"$ref": "#/components/responses/Problem"}
	}
	responses["429"] = object{"$ref": "#/components/responses/RateLimited"}
	responses["503"] = object{"$ref": "#/components/responses/Unavailable"}
	if e.revalidates() {
		responses["304"] = object{"description": "The record still has one of the ETags of If-None-Match.", "headers": object{"ETag": etagHeader}}
	}
	if text := emptyText[e.route.outcome]; text != "" {
		responses["204"] = object{"description": text}
		return responses, nil
	}
	schema, err := d.result(e)
	if err != nil {
		return nil, err
	}
	if err := d.preview(e); err != nil {
		return nil, err
	}
	for _, status := range successes[e.route.outcome] {
		response := object{"description": successText[status], "content": d.content(e, status, schema)}
		if headers := describeHeaders(e, status); len(headers) > 0 {
			response["headers"] = headers
		}
		responses[strconv.Itoa(status)] = response
	}
	return responses, nil
}

// successes are the statuses an outcome can have.
var successes = map[outcome][]int{
	found: {200}, listed: {200}, tabled: {200}, array: {200}, changed: {200}, created: {201}, upserted: {200, 201}, applied: {200, 201}, removed: {204}, valid: {204},
}

// emptyText describes the answers without a body.
var emptyText = map[outcome]string{removed: "Removed.", valid: "Complete and ready to submit."}

var successText = map[int]string{200: "OK.", 201: "Created."}

func problemStatuses(e *endpoint) []int {
	statuses := []int{400, 401, 403, 406}
	if len(e.request.path) > 0 || e.request.body != nil || e.route.outcome == found && !e.operation.root.Definition.Type.NonNull {
		statuses = append(statuses, 404)
	}
	if e.operation.definition.Operation == ast.Mutation {
		statuses = append(statuses, 409)
	}
	if e.request.body != nil {
		statuses = append(statuses, 413, 415)
	}
	if e.conditional() {
		statuses = append(statuses, 412)
	}
	if e.keyed() {
		statuses = append(statuses, 422)
	}
	return statuses
}

func describeHeaders(e *endpoint, status int) object {
	headers := object{}
	if status == 201 && e.route.shape.key != "" {
		headers["Location"] = object{"description": "The path of the new resource.", "schema": object{"type": "string"}}
	}
	for _, name := range slices.Sorted(maps.Keys(e.route.shape.headers)) {
		headers[name] = object{"description": e.route.shape.headers[name], "schema": object{"type": "string"}}
	}
	describeOwnHeaders(e, headers)
	return headers
}

var problemResponse = object{
	"description": "A problem.",
	"content":     object{problemMediaType: object{"schema": object{"$ref": "#/components/schemas/Problem"}}},
}

// problemSchema describes Problem.
var problemSchema = object{
	"type":        "object",
	"description": "A problem (RFC 9457).",
	"required":    []string{"type", "title", "status", "code", "message", "detail"},
	"properties": object{
		"type":    object{"type": "string", "description": "A stable name of the kind of problem, such as /problems/validation."},
		"title":   object{"type": "string"},
		"status":  object{"type": "integer"},
		"code":    object{"type": "string", "description": "What is wrong, for machines."},
		"message": object{"type": "string", "description": "What is wrong, for people."},
		"detail":  object{"type": "string", "description": "The same as message."},
		"details": object{"type": "object", "description": "Extra facts, such as the maximum of a page size.", "additionalProperties": true},
		"traceId": object{"type": "string"},
		"errors": object{
			"type": "array",
			"items": object{
				"type":     "object",
				"required": []string{"code", "message"},
				"properties": object{
					"field":   object{"type": "string", "description": "Dotted path of a property, or the name of a parameter."},
					"code":    object{"type": "string"},
					"message": object{"type": "string"},
				},
			},
		},
	},
}
