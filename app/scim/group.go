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
	return q.setMembers(q.body["displayname"], func([]int64) []int64 { return members })
}

func (q *request) setMembers(name any, next func(held []int64) []int64) (resource, error) {
	r, err := q.role()
	if err != nil {
		return resource{}, err
	}
	if text, _ := name.(string); name != nil && text != r.Name {
		return resource{}, invalid("mutability", "displayName cannot change")
	}
	if err := q.door.Identity.SetMembers(q.Context(), r.Name, next); err != nil {
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

// memberPath matches the path of one member (RFC 7644 §3.5.2.2).
var memberPath = regexp.MustCompile(`(?i)^members\[\s*value\s+eq\s+"(\d{1,18})"\s*\]$`)

func patchGroup(q *request) (resource, error) {
	all, err := q.operations()
	if err != nil {
		return resource{}, err
	}
	var (
		name  any
		steps []func(held []int64) []int64
	)
	for _, o := range all {
		value := o.value
		if o.path == "" {
			values, ok := o.value.(object)
			if !ok {
				return resource{}, invalid("invalidValue", "Without a path the value must be an object")
			}
			values = lowered(values)
			if values["displayname"] != nil {
				name = values["displayname"]
			}
			if value = values["members"]; value == nil {
				continue
			}
		}
		one := memberPath.FindStringSubmatch(o.path)
		switch path := attribute(o.path); {
		case path == "displayname":
			name = o.value
			continue
		case path == "externalid": // nothing is kept of it
			continue
		case one != nil && o.op == "remove":
			value = []any{object{"value": one[1]}}
		case path != "members" && path != "":
			return resource{}, invalid("invalidPath", "The path is not one of a group's attributes that can change")
		}
		ids, err := memberIDs(value)
		if err != nil {
			return resource{}, err
		}
		wholly := o.op == "replace" || o.op == "remove" && one == nil && value == nil
		steps = append(steps, func(held []int64) []int64 {
			switch {
			case wholly:
				return ids
			case o.op == "add":
				return append(held, ids...)
			}
			return slices.DeleteFunc(held, func(id int64) bool { return slices.Contains(ids, id) })
		})
	}
	return q.setMembers(name, func(held []int64) []int64 {
		for _, step := range steps {
			held = step(held)
		}
		return held
	})
}
