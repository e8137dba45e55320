package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// query writes random documents: of every type that a plan reaches any of its fields,
// with arguments, directives, fragments, aliases, and fields asked for twice.
type query struct {
	*rand.Rand
	schema *ast.Schema
	roots  []string
	// names counts aliases, so that no two fields with arguments share a response name.
	names int
	// shared says that there is a fragment on agents to be spread.
	shared bool
}

func (q *query) text() string {
	root := q.schema.Query.Fields.ForName(q.roots[q.IntN(len(q.roots))])
	if q.IntN(3) == 0 {
		root = q.schema.Query.Fields.ForName(q.one("agent", "agents", "certifications"))
	}
	q.shared = false
	agents := q.fields(q.schema.Types["Agent"], 2)
	q.shared = true
	return "fragment shared on Agent { " + agents + " } query($first: Int, $yes: Boolean!, $no: Boolean = false) { u: viewer @include(if: $yes) { subject } f: __typename @skip(if: $no) p: agents(first: $first) { totalCount } it: " +
		root.Name + q.arguments(root, true) + q.selection(root, 5) + " z: agent(agentCode: \"A1000\") { ...shared } }"
}

func (q *query) one(of ...string) string { return of[q.IntN(len(of))] }

// selection is what is asked for of a field, so many levels deep.
func (q *query) selection(f *ast.FieldDefinition, depth int) string {
	of := q.schema.Types[f.Type.Name()]
	if of.IsLeafType() {
		return ""
	}
	return " { " + q.fields(of, depth) + " }"
}

func (q *query) fields(of *ast.Definition, depth int) string {
	var chosen []string
	for _, i := range q.Perm(len(of.Fields)) {
		f := of.Fields[i]
		leaf := q.schema.Types[f.Type.Name()].IsLeafType()
		if ofOtherAreas[of.Name+"."+f.Name] != "" || strings.HasPrefix(f.Name, "__") || !leaf && depth == 0 || len(chosen) > 5 {
			continue
		}
		chosen = append(chosen, q.field(f, depth-1))
	}
	if of.Name == "Agent" && depth > 0 && q.shared && q.IntN(4) == 0 {
		chosen = append(chosen, "...shared"+q.directive())
	}
	switch q.IntN(8) {
	case 0:
		chosen = append(chosen, "__typename")
	case 1:
		chosen = append(chosen, chosen[0]) // once more
	case 2:
		chosen = append(chosen, "... on "+of.Name+q.directive()+" { "+chosen[0]+" }")
	case 3:
		for _, i := range of.Interfaces {
			chosen = append(chosen, "... on "+i+" { __typename "+q.schema.Types[i].Fields[0].Name+" }")
		}
	case 4:
		chosen[0] = "..." + q.directive() + " { " + chosen[0] + " }"
	}
	return strings.Join(chosen, " ")
}

func (q *query) field(f *ast.FieldDefinition, depth int) string {
	name, arguments := f.Name, q.arguments(f, false)
	if arguments != "" || q.IntN(12) == 0 {
		q.names++
		name = "a" + strconv.Itoa(q.names) + ": " + name
	}
	return name + arguments + q.directive() + q.selection(f, depth)
}

func (q *query) directive() string {
	if q.IntN(8) > 0 {
		return ""
	}
	return q.one(" @include", " @skip") + "(if: " + q.one("$yes", "$no", "true", "false") + ")"
}

// arguments are those of a field, of connections a small page.
func (q *query) arguments(f *ast.FieldDefinition, root bool) string {
	var given []string
	for _, a := range f.Arguments {
		isNeeded := a.Type.NonNull && a.DefaultValue == nil || a.Name == "first" || a.Name == "maxNodes"
		if isNeeded || a.Name == "filter" && root && q.IntN(2) == 0 || q.IntN(4) == 0 {
			if v := q.value(f, a); v != "" {
				given = append(given, a.Name+": "+v)
			}
		}
	}
	if i := slices.IndexFunc(given, func(a string) bool { return strings.HasPrefix(a, "last") }); i >= 0 {
		given = slices.DeleteFunc(given, func(a string) bool { return strings.HasPrefix(a, "first") || strings.HasPrefix(a, "offset") })
	}
	if len(given) == 0 {
		return ""
	}
	return "(" + strings.Join(given, ", ") + ")"
}

// value is one of an argument, empty to leave it out.
func (q *query) value(f *ast.FieldDefinition, a *ast.ArgumentDefinition) string {
	switch a.Name {
	case "agentCode":
		return fmt.Sprintf(`"A10%02d"`, q.IntN(70))
	case "id":
		return strconv.Quote(strconv.Itoa(1 + q.IntN(40)))
	case "code":
		return q.one(`"LIFE"`, `"TX"`, `"none"`)
	case "name":
		return q.one(`"default"`, `"Silver"`, `"Active"`, `"none"`)
	case "value", "level", "depth", "minDepth", "offset", "last":
		return strconv.Itoa(1 + q.IntN(3))
	case "first":
		return q.one("$first", "2", "3", "0")
	case "maxDepth", "maxNodes":
		return strconv.Itoa(1 + q.IntN(4))
	case "withinDays":
		return q.one("90", "900")
	case "team":
		return `"default"`
	case "country":
		return `"US"`
	case "identifier", "providerCompany":
		return q.one(`"none"`, `"1"`)
	case "reveal":
		return q.one("true", "false", "$yes")
	case "onDate":
		return q.one(`"2015-06-01"`, `"2025-06-01"`, `"2026-05-04"`)
	case "asKnownAt":
		return q.one(`"2025-01-01T00:00:00Z"`, `"2015-08-01T02:00:00.5+02:00"`, `"2030-01-01T00:00:00Z"`)
	case "orderBy":
		values := q.schema.Types[q.schema.Types[a.Type.Name()].Fields.ForName("field").Type.Name()].EnumValues
		return "[{field: " + values[q.IntN(len(values))].Name + ", direction: " + q.one("ASC", "DESC") + "}]"
	case "filter":
		return q.filter(q.schema.Types[a.Type.Name()])
	}
	return ""
}

func (q *query) filter(of *ast.Definition) string {
	switch {
	case of.Name == "AgentFilter":
		return "{isActive: " + q.one("true", "false") + "}"
	case of.Name == "CertificationFilter":
		return q.one(`{type: "LIFE"}`, "{status: [ACTIVE, EXPIRED]}")
	case of.Fields.ForName("agentCode") != nil:
		return fmt.Sprintf(`{agentCode: "A10%02d"}`, q.IntN(30))
	}
	return ""
}
