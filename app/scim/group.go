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
	"github.com/uplinehq/upline/internal/problem"
)

func (q *request) showGroup(r *identity.Role, members []*identity.User) object {
	id := strconv.FormatInt(r.ID, 10)
	listed := []object{}
	for _, u := range members {
		id := strconv.FormatInt(u.ID, 10)
		listed = append(listed, object{"value": id, "display": u.Username, "type": "User", "$ref": q.location("Users", id)})
	}
	return object{"schemas": []string{groupSchema}, "id": id, "displayName": r.Name, "members": listed,
		"meta": object{"resourceType": "Group", "created": r.CreatedAt, "lastModified": r.LastModified, "location": q.location("Groups", id)}}
}

// role returns the role that the path names.
func (q *request) role() (*identity.Role, error) {
	id, ok := idOf(q.id)
	if !ok {
		return nil, errNotFound
	}
	found, err := q.door.Identity.RolesByID(q.Context(), []int64{id})
	if err == nil && found[id] == nil {
		err = errNotFound
	}
	return found[id], err
}

func (q *request) oneGroup(status int, r *identity.Role) (resource, error) {
	members, err := q.door.Identity.Members(q.Context(), []int64{r.ID})
	return resource{status: status, body: q.showGroup(r, members[r.ID])}, err
}

// groupFilter matches the one filter by which systems look for groups.
var groupFilter = regexp.MustCompile(`(?i)^(displayName|id) eq ("(?:[^"\\]|\\.)*")$`)

func listGroups(q *request) (resource, error) {
	all, err := q.door.Identity.Roles(q.Context())
	if err != nil {
		return resource{}, err
	}
	var roles []*identity.Role
	for args := (page.Args{First: new(all.Max)}); ; {
		p, err := all.Page(q.Context(), args)
		if err != nil {
			return resource{}, err
		}
		if roles = append(roles, p.Items...); !p.HasNext {
			break
		}
		args.After = new(p.Cursor(p.Items[len(p.Items)-1]))
	}
	if text := q.query.Get("filter"); text != "" {
		asked := groupFilter.FindStringSubmatch(strings.TrimSpace(text))
		if asked == nil {
			return resource{}, errFilter
		}
		value, err := strconv.Unquote(asked[2])
		if err != nil {
			return resource{}, errFilter
		}
		roles = slices.DeleteFunc(roles, func(r *identity.Role) bool {
			return !strings.EqualFold(r.Name, value) && strings.EqualFold(asked[1], "displayName") || strconv.FormatInt(r.ID, 10) != value && strings.EqualFold(asked[1], "id")
		})
	}
	start, count := q.page()
	total := len(roles)
	roles = roles[min(start-1, total):min(start-1+count, total)]
	ids := make([]int64, len(roles))
	for i, r := range roles {
		ids[i] = r.ID
	}
	members, err := q.door.Identity.Members(q.Context(), ids)
	shown := make([]object, len(roles))
	for i, r := range roles {
		shown[i] = q.showGroup(r, members[r.ID])
	}
	return list(total, start, shown), err
}

func getGroup(q *request) (resource, error) {
	r, err := q.role()
	if err != nil {
		return resource{}, err
	}
	return q.oneGroup(http.StatusOK, r)
}

// createGroup adds a role that allows nothing yet: which scopes it has, the agency says.
func createGroup(q *request) (resource, error) {
	name, _ := q.body["displayname"].(string)
	members, err := memberIDs(q.body["members"])
	if err != nil {
		return resource{}, err
	}
	r, err := q.door.Identity.CreateRole(q.Context(), identity.RoleInput{Name: name, Scopes: patch.Set([]string{})})
	if err == nil && len(members) > 0 {
		err = q.door.Identity.SetMembers(q.Context(), r.Name, func([]int64) []int64 { return members })
	}
	if err != nil {
		return resource{}, err
	}
	return q.oneGroup(http.StatusCreated, r)
}

func putGroup(q *request) (resource, error) {
	members, err := memberIDs(q.body["members"])
	if err != nil {
		return resource{}, err
	}
	return q.changeGroup(groupChange{name: q.body["displayname"], steps: []func([]int64) []int64{func([]int64) []int64 { return members }}})
}

func (q *request) changeGroup(c groupChange) (resource, error) {
	r, err := q.role()
	if err != nil {
		return resource{}, err
	}
	if name, isText := c.name.(string); c.name != nil && !isText {
		return resource{}, invalid("invalidValue", "displayName must be a text")
	} else if isText && name != r.Name {
		if r, _, err = q.door.Identity.UpdateRole(q.Context(), r.Name, identity.RoleInput{Name: name}); err != nil {
			return resource{}, err
		}
	}
	if err := q.door.Identity.SetMembers(q.Context(), r.Name, c.members); err != nil {
		return resource{}, err
	}
	return q.oneGroup(http.StatusOK, r)
}

func deleteGroup(q *request) (resource, error) {
	r, err := q.role()
	if err == nil && r.IsSystem {
		err = problem.Clash(problem.SystemRole, "The role is one that every tenant has; it cannot change", "displayName")
	}
	if err == nil {
		err = q.door.Identity.SetMembers(q.Context(), r.Name, func([]int64) []int64 { return nil })
	}
	if err == nil {
		_, err = q.door.Identity.DeleteRole(q.Context(), r.Name)
	}
	return resource{status: http.StatusNoContent}, err
}

// memberIDs reads members: their ids are those of users.
func memberIDs(value any) ([]int64, error) {
	all, isList := value.([]any)
	if one, ok := value.(object); ok {
		all, isList = []any{one}, true
	}
	if value != nil && !isList {
		return nil, invalid("invalidValue", "members must be a list")
	}
	ids := make([]int64, len(all))
	for i, one := range all {
		o, _ := one.(object)
		o = lowered(o)
		text, _ := o["value"].(string)
		id, ok := idOf(text)
		if kind, isText := o["type"].(string); !ok || isText && !strings.EqualFold(kind, "User") {
			return nil, invalid("invalidValue", "members must be ids of users")
		}
		ids[i] = id
	}
	return ids, nil
}

// memberPattern matches the brackets of the path of one member (RFC 7644 §3.5.2.2).
var memberPattern = regexp.MustCompile(`^\s*value\s+eq\s+"(\d{1,18})"\s*$`)

func patchGroup(q *request) (resource, error) {
	changing := groupChange{id: q.id}
	if err := q.takeAll(changing.take); err != nil {
		return resource{}, err
	}
	return q.changeGroup(changing)
}

// groupChange collects what the steps of a request make of a group.
type groupChange struct {
	id string
	// name is nil for the name that it has.
	name  any
	steps []func(held []int64) []int64
}

// members returns who is to be a member, given who is.
func (c *groupChange) members(held []int64) []int64 {
	for _, step := range c.steps {
		held = step(held)
	}
	return held
}

// take does a step. kept is false for a step about what is not kept here.
func (c *groupChange) take(s step) (kept bool, err error) {
	switch {
	case s.attribute == "id" && s.value == c.id:
		return true, nil
	case slices.Contains(readOnly, s.attribute):
		return false, invalid("mutability", s.attribute+" cannot be changed here")
	case s.attribute == "displayname" && s.selector == "" && s.sub == "":
		if c.name = s.value; s.value == nil {
			return false, invalid("mutability", "displayName cannot be removed")
		}
		return true, nil
	case s.attribute == "members" && s.sub == "":
		return true, c.takeMembers(s)
	}
	return false, nil
}

func (c *groupChange) takeMembers(s step) error {
	value := s.value
	if s.selector != "" {
		one := memberPattern.FindStringSubmatch(s.selector)
		if one == nil || s.op != "remove" {
			return invalid("invalidPath", "Members are selected by value eq, and only to remove them")
		}
		value = []any{object{"value": one[1]}}
	}
	if s.op == "add" && value == nil {
		return invalid("invalidValue", "add needs a value")
	}
	ids, err := memberIDs(value)
	c.steps = append(c.steps, func(held []int64) []int64 {
		switch {
		case s.op == "replace" || value == nil:
			return ids
		case s.op == "add":
			return append(held, ids...)
		}
		return slices.DeleteFunc(held, func(id int64) bool { return slices.Contains(ids, id) })
	})
	return err
}
