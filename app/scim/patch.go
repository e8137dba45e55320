package scim

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
)

// maxOperations limits the operations of a PATCH.
const maxOperations = 1000

// step is what a request asks of one attribute.
type step struct {
	// op is add, replace or remove.
	op string
	// attribute is in lower case, without the schema of the resource. selector is what its
	// brackets hold, sub a part of it; both may be empty.
	attribute, selector, sub string
	// value is nil for a removal that names none.
	value any
}

// pathPattern matches a path (RFC 7644 §3.5.2).
var pathPattern = regexp.MustCompile(`^([a-z$][a-z0-9_$-]*)(?:\[([^\]]+)\])?(?:\.([a-z$][a-z0-9_$-]*))?$`)

// stepOf reads a path. One that leads into a schema that is not kept here is an attribute of
// its own.
func stepOf(op, path string, value any) (step, error) {
	name := attribute(path)
	parts := pathPattern.FindStringSubmatch(name)
	switch {
	case parts != nil:
		return step{op, parts[1], parts[2], parts[3], value}, nil
	case strings.HasPrefix(name, "urn:"):
		return step{op: op, attribute: name, value: value}, nil
	}
	return step{}, invalid("invalidPath", "The path is not one of RFC 7644 §3.5.2")
}

// steps reads an operation of a PATCH, which without a path names several attributes. Entra
// writes op with a capital, and paths where the names of attributes are.
func steps(sent any) (all []step, err error) {
	o := lowered(asObject(sent))
	op, _ := o["op"].(string)
	op = strings.ToLower(op)
	path, hasPath := o["path"].(string)
	if !slices.Contains([]string{"add", "replace", "remove"}, op) || o["path"] != nil && !hasPath || len(o) < len(asObject(sent)) {
		return nil, invalid("invalidSyntax", "An operation has op, which must be add, replace or remove, path and value, each once")
	}
	if path != "" {
		one, err := stepOf(op, path, o["value"])
		return []step{one}, err
	}
	values, isObject := o["value"].(object)
	switch {
	case op == "remove":
		return nil, invalid("noTarget", "remove needs a path")
	case !isObject:
		return nil, invalid("invalidValue", "Without a path the value must be an object")
	case len(lowered(values)) < len(values):
		return nil, invalid("invalidSyntax", "An operation names no attribute twice")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		one, err := stepOf(op, name, values[name])
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// takeAll calls take for each step of a PATCH. It refuses one of which nothing is kept.
func (q *request) takeAll(take func(s step) (kept bool, err error)) error {
	listed, _ := q.body["operations"].([]any)
	if len(listed) == 0 || len(listed) > maxOperations {
		return invalid("invalidSyntax", "Operations must have 1 to 1000 operations")
	}
	var (
		anyKept bool
		others  []string
	)
	for _, one := range listed {
		all, err := steps(one)
		if err != nil {
			return err
		}
		for _, s := range all {
			kept, err := take(s)
			if err != nil {
				return err
			}
			if anyKept = anyKept || kept; !kept && len(others) < 20 {
				others = append(others, s.attribute)
			}
		}
	}
	if !anyKept {
		return invalid("invalidPath", "Nothing of this is kept here; leave it out of what is provisioned: "+strings.Join(others, ", "))
	}
	return nil
}

// deactivates reports whether a request, whatever else it asks, takes a user's access.
func (q *request) deactivates() bool {
	switch q.Method + " " + q.kind {
	case "PUT Users":
		active, ok := booleanOf(q.body["active"])
		return ok && !active
	case "PATCH Users":
	default:
		return false
	}
	off := false
	listed, _ := q.body["operations"].([]any)
	for _, one := range listed[:min(len(listed), maxOperations)] {
		all, _ := steps(one) // what cannot be read was refused
		for _, s := range all {
			if active, ok := booleanOf(s.value); ok && s.attribute == "active" && s.op != "remove" {
				off = !active
			}
		}
	}
	return off
}

// deactivate takes the access of a user whose change is refused for another reason, so that
// no leaver keeps it.
func deactivate(q *request) (resource, error) {
	u, err := q.find()
	if err != nil {
		return resource{}, err
	}
	return q.change(u, identity.UserInput{Status: patch.Set(identity.Pending)})
}
