package scim

import (
	"maps"
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
	shown := object{"schemas": []string{userSchema}, "id": id, "userName": u.Username, "active": u.Status == identity.Approved,
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
	in, err := userInput(q.body, &identity.User{})
	if err != nil {
		return resource{}, err
	}
	u, err := q.door.Identity.CreateUser(q.Context(), in)
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
		err = q.door.Identity.DeleteUser(q.Context(), u.Username)
	}
	return resource{status: http.StatusNoContent}, err
}

// readOnly are the attributes that a whole resource may have, and that no request changes
// (RFC 7644 §3.5.1: "values provided SHALL be ignored").
var readOnly = []string{"id", "schemas", "meta", "groups"}

// userInput reads the attributes of a whole user that are kept here; the others, such as a
// title, are not (RFC 7644 §3.3: "service providers MAY … ignore"). u is empty for a new
// user.
func userInput(body object, u *identity.User) (identity.UserInput, error) {
	changing := userChange{user: u}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		s, err := stepOf("replace", name, body[name])
		if err == nil && !slices.Contains(readOnly, s.attribute) {
			_, err = changing.take(s)
		}
		if err != nil {
			return changing.in, err
		}
	}
	return changing.in, nil
}

// patchUser changes what its operations name, in their order. A request of which nothing is
// kept here is refused: its caller would take it for done.
func patchUser(q *request) (resource, error) {
	u, err := q.find()
	if err != nil {
		return resource{}, err
	}
	changing := userChange{user: u}
	if err := q.takeAll(changing.take); err != nil {
		return resource{}, err
	}
	return q.change(u, changing.in)
}

// userChange collects what the steps of a request make of a user.
type userChange struct {
	user *identity.User
	in   identity.UserInput
}

// take does a step. kept is false for a step about what is not kept here.
func (c *userChange) take(s step) (kept bool, err error) {
	if s.attribute == "emails" {
		return c.takeAddress(s)
	}
	if s.op == "remove" {
		s.value = nil
	}
	switch whole := s.selector == "" && s.sub == ""; {
	case s.attribute == "id" && s.value == strconv.FormatInt(c.user.ID, 10):
		return true, nil
	case slices.Contains(readOnly, s.attribute):
		return false, invalid("mutability", s.attribute+" cannot be changed here")
	case !whole:
		return false, nil
	case s.attribute == "username":
		name, _ := s.value.(string)
		if c.in.Username = name; name == "" {
			return false, invalid("invalidValue", "userName must be a text, and cannot be removed")
		}
	case s.attribute == "active":
		active, ok := booleanOf(s.value)
		if !ok {
			return false, invalid("invalidValue", "active must be true or false, and cannot be removed")
		}
		c.in.Status = patch.Set(map[bool]string{true: identity.Approved, false: identity.Pending}[active])
	case s.attribute == "externalid":
		c.in.ExternalID, err = text(s.value, "externalId")
	default:
		return false, nil
	}
	return true, err
}

// takeAddress does a step about the addresses of a user, who has one here: the primary one,
// of work.
func (c *userChange) takeAddress(s step) (kept bool, err error) {
	current := c.in.Email.Or(c.user.Email)
	if s.selector != "" {
		if meant, err := selects(s.selector, current); err != nil || !meant {
			return false, err
		}
	}
	if s.sub != "" && s.sub != "value" {
		return false, nil
	}
	all, isList := s.value.([]any)
	if one, ok := s.value.(object); ok {
		all, isList = []any{one}, true
	}
	switch {
	case s.op == "remove" && isList && !slices.ContainsFunc(all, func(one any) bool {
		value, _ := lowered(asObject(one))["value"].(string)
		return current != nil && strings.EqualFold(value, *current)
	}):
		return false, nil
	case s.op == "remove" || s.value == nil || isList && len(all) == 0 && s.op == "replace":
		c.in.Email = patch.Null[string]()
	case isList && len(all) == 0:
	case isList:
		one, isMain := mainAddress(all)
		if s.op == "add" && !isMain && current != nil {
			return false, nil
		}
		c.in.Email, err = text(one["value"], "emails.value")
	case s.selector == "" && s.sub == "":
		err = invalid("invalidValue", "emails must be a list")
	default:
		c.in.Email, err = text(s.value, "emails.value")
	}
	return true, err
}

// mainAddress returns the address that a list means first: the primary one, or one of work,
// or one without a type; or else, with isMain false, the first.
func mainAddress(all []any) (one object, isMain bool) {
	for _, means := range []func(o object) bool{
		func(o object) bool { primary, _ := booleanOf(o["primary"]); return primary },
		func(o object) bool { kind, _ := o["type"].(string); return strings.EqualFold(kind, "work") },
		func(o object) bool { return o["type"] == nil },
	} {
		for _, sent := range all {
			if one = lowered(asObject(sent)); means(one) {
				return one, true
			}
		}
	}
	return lowered(asObject(all[0])), false
}

func asObject(value any) object {
	o, _ := value.(object)
	return o
}

var (
	// bothPattern is the word between two comparisons of a path.
	bothPattern = regexp.MustCompile(`(?i)\s+and\s+`)
	// selectorPattern matches a comparison of a path that means one address.
	selectorPattern = regexp.MustCompile(`(?i)^\s*(type|primary|value)\s+eq\s+"?([^"]*?)"?\s*$`)
)

// selects reports whether the brackets of a path mean the address that a user has.
func selects(selector string, current *string) (bool, error) {
	meant := true
	for _, part := range bothPattern.Split(selector, -1) {
		compared := selectorPattern.FindStringSubmatch(part)
		if compared == nil {
			return false, invalid("invalidFilter", "A path selects addresses by type, primary or value, with eq and and")
		}
		switch value := compared[2]; strings.ToLower(compared[1]) {
		case "type":
			meant = meant && strings.EqualFold(value, "work")
		case "primary":
			meant = meant && strings.EqualFold(value, "true")
		default:
			meant = meant && current != nil && strings.EqualFold(value, *current)
		}
	}
	return meant, nil
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
