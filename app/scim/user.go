package scim

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/version"
)

func (q *request) showUser(u *identity.User, roles []*identity.Role) object {
	id := strconv.FormatInt(u.ID, 10)
	shown := object{"schemas": []string{userSchema}, "id": id, "userName": u.Username, "displayName": u.Username, "active": u.Status == identity.Approved,
		"meta": object{"resourceType": "User", "created": u.CreatedAt, "lastModified": u.LastModified, "location": q.location("Users", id), "version": etag(version.Of(u.LastModified))}}
	if u.ExternalID != nil {
		shown["externalId"] = *u.ExternalID
	}
	if u.Email != nil {
		shown["emails"] = []object{{"value": *u.Email, "type": "work", "primary": true}}
	}
	groups := []object{}
	for _, r := range roles {
		id := strconv.FormatInt(r.ID, 10)
		groups = append(groups, object{"value": id, "display": r.Name, "$ref": q.location("Groups", id)})
	}
	shown["groups"] = groups
	return shown
}

func (q *request) oneUser(status int, u *identity.User) (resource, error) {
	roles, err := q.door.Identity.RolesOf(q.Context(), []int64{u.ID})
	return resource{status, etag(version.Of(u.LastModified)), q.showUser(u, roles[u.ID])}, err
}

// find returns the user that the path names.
func (q *request) find() (*identity.User, error) {
	id, ok := idOf(q.id)
	if !ok {
		return nil, errNotFound
	}
	u, err := q.door.Identity.UserByID(q.Context(), id)
	if err == nil && u == nil {
		err = errNotFound
	}
	return u, err
}

func listUsers(q *request) (resource, error) {
	condition, err := filter(q.query.Get("filter"))
	if err != nil {
		return resource{}, err
	}
	all, err := q.door.Identity.Users(q.Context(), identity.UserFilter{Provisioned: condition}, nil)
	if err != nil {
		return resource{}, err
	}
	start, count := q.page()
	found, err := all.Page(q.Context(), page.Args{First: new(max(1, count)), Offset: new(start - 1), Counted: true})
	if err != nil {
		return resource{}, err
	}
	users := found.Items
	if count == 0 {
		users = nil
	}
	ids := make([]int64, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	roles, err := q.door.Identity.RolesOf(q.Context(), ids)
	shown := make([]object, len(users))
	for i, u := range users {
		shown[i] = q.showUser(u, roles[u.ID])
	}
	return list(found.Total, start, shown), err
}

func getUser(q *request) (resource, error) {
	u, err := q.find()
	if err != nil {
		return resource{}, err
	}
	return q.oneUser(http.StatusOK, u)
}

func createUser(q *request) (resource, error) {
	in, err := userInput(q.body, nil)
	if err != nil {
		return resource{}, err
	}
	in.Username, _ = q.body["username"].(string)
	u, err := q.door.Identity.ProvisionUser(q.Context(), in)
	if err != nil {
		return resource{}, err
	}
	return q.oneUser(http.StatusCreated, u)
}

// putUser replaces a user: what is not sent is cleared, as far as it can be (RFC 7644
// §3.5.1).
func putUser(q *request) (resource, error) {
	u, err := q.find()
	if err != nil {
		return resource{}, err
	}
	in, err := userInput(q.body, u)
	if err != nil {
		return resource{}, err
	}
	in.Email.Sent, in.ExternalID.Sent = true, true
	return q.change(u, in)
}

func (q *request) change(u *identity.User, in identity.UserInput) (resource, error) {
	changed, _, err := q.door.Identity.UpdateUser(q.Context(), u.Username, in)
	if err != nil {
		return resource{}, err
	}
	return q.oneUser(http.StatusOK, changed)
}

func deleteUser(q *request) (resource, error) {
	u, err := q.find()
	if err == nil {
		err = q.door.Identity.WithdrawUser(q.Context(), u.Username)
	}
	return resource{status: http.StatusNoContent}, err
}

// userInput reads the attributes of a user that are kept here; the others, such as a title, are
// not (RFC 7644 §3.3: "service providers MAY … ignore"). u is nil for a new user.
func userInput(body object, u *identity.User) (in identity.UserInput, err error) {
	for name, value := range body {
		switch attribute(name) {
		case "username":
			// Names stand in trails and tokens; another name is another user (§3.5.2,
			// mutability).
			if text, _ := value.(string); u != nil && !strings.EqualFold(text, u.Username) {
				return in, invalid("mutability", "userName cannot change")
			}
		case "active":
			active, ok := booleanOf(value)
			if !ok {
				return in, invalid("invalidValue", "active must be true or false")
			}
			in.Status = patch.Set(map[bool]string{true: identity.Approved, false: identity.Pending}[active])
		case "externalid":
			if in.ExternalID, err = text(value, name); err != nil {
				return in, err
			}
		case "emails":
			if in.Email, err = address(value); err != nil {
				return in, err
			}
		}
	}
	return in, nil
}

func text(value any, name string) (patch.Field[string], error) {
	switch value := value.(type) {
	case nil:
		return patch.Null[string](), nil
	case string:
		return patch.Set(value), nil
	}
	return patch.Field[string]{}, invalid("invalidValue", name+" must be a text")
}

// address returns the e-mail address of a user: the primary one, or else the first.
func address(value any) (patch.Field[string], error) {
	all, isList := value.([]any)
	if one, ok := value.(object); ok {
		all, isList = []any{one}, true
	}
	if value == nil || isList && len(all) == 0 {
		return patch.Null[string](), nil
	}
	i := slices.IndexFunc(all, func(one any) bool {
		o, _ := one.(object)
		primary, _ := booleanOf(lowered(o)["primary"])
		return primary
	})
	if !isList {
		return patch.Field[string]{}, invalid("invalidValue", "emails must be a list")
	}
	one, _ := all[max(i, 0)].(object)
	return text(lowered(one)["value"], "emails.value")
}

// operations are those of a PATCH (RFC 7644 §3.5.2), each with its path and value.
func (q *request) operations() ([]operation, error) {
	listed, _ := q.body["operations"].([]any)
	if len(listed) == 0 || len(listed) > 1000 {
		return nil, invalid("invalidSyntax", "Operations must have 1 to 1000 operations")
	}
	all := make([]operation, len(listed))
	for i, one := range listed {
		sent, _ := one.(object)
		o := lowered(sent)
		op, _ := o["op"].(string)
		path, hasPath := o["path"].(string)
		all[i] = operation{strings.ToLower(op), path, o["value"]} // Entra capitalises op
		if !slices.Contains([]string{"add", "replace", "remove"}, all[i].op) || o["path"] != nil && !hasPath || len(o) < len(sent) {
			return nil, invalid("invalidSyntax", "An operation has op, which must be add, replace or remove, path and value, each once")
		}
		if all[i].op == "remove" && path == "" {
			return nil, invalid("noTarget", "remove needs a path")
		}
	}
	return all, nil
}

type operation struct {
	op, path string
	value    any
}

// addressPath matches the paths of the one address that a user has here.
var addressPath = regexp.MustCompile(`^emails(\[[^\]]*\](\.value)?|\.value)$`)

func patchUser(q *request) (resource, error) {
	u, err := q.find()
	if err != nil {
		return resource{}, err
	}
	all, err := q.operations()
	if err != nil {
		return resource{}, err
	}
	body := object{}
	for _, o := range all {
		if o.path == "" {
			values, ok := o.value.(object)
			if !ok {
				return resource{}, invalid("invalidValue", "Without a path the value must be an object")
			}
			for name, value := range values {
				body[attribute(name)] = value
			}
			continue
		}
		name := attribute(o.path)
		if o.op == "remove" {
			o.value = nil
		}
		switch {
		case addressPath.MatchString(name):
			if body["emails"] = []any{object{"value": o.value}}; o.value == nil {
				body["emails"] = nil
			}
		case name == "active" && o.op == "remove":
			return resource{}, invalid("mutability", "active cannot be removed")
		case strings.Contains(name, "[") && !strings.Contains(name, "]"):
			return resource{}, invalid("invalidPath", "The path is not one of RFC 7644 §3.5.2")
		case name == "id" || name == "groups" || strings.HasPrefix(name, "groups[") || strings.HasPrefix(name, "meta"):
			return resource{}, invalid("mutability", o.path+" is read-only here")
		default:
			body[name] = o.value
		}
	}
	in, err := userInput(body, u)
	if err != nil {
		return resource{}, err
	}
	return q.change(u, in)
}
