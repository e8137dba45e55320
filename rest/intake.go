package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/paths"
)

// The variables that have the same meaning in every operation.
const (
	inputVariable  = "input"   // the body
	filterVariable = "filter"  // query parameters
	orderVariable  = "orderBy" // the query parameter sort
	firstVariable  = "first"   // pageSize
	offsetVariable = "offset"  // pageIndex
	lastVariable   = "last"    // pageSize, with the parameter before
	afterVariable  = "after"   // the cursor in the link to the next page
	beforeVariable = "before"  // the cursor in the link to the previous page
	// parametersVariable holds query parameters that the schema does not name.
	parametersVariable = "parameters"
	reasonVariable     = "reason" // the header Change-Reason
)

// The query parameters for order and page of a list. Some APIs have another name for the
// page, too.
const (
	sortParameter      = "sort"
	pageSizeParameter  = "pageSize"
	pageIndexParameter = "pageIndex"
)

// intake says which request a path takes.
type intake struct {
	shape
	request binding
}

// binding says where the values of an operation's variables come from.
type binding struct {
	path []input.Parameter
	// keys are the fields of the variable input that a parameter of the path gives, by its
	// name.
	keys  map[string]string
	query []input.Parameter
	// filter are query parameters that go into the variable filter.
	filter []input.Parameter
	sort   *input.Sorting
	paged  bool
	// others reports whether query parameters that nothing else takes go into the
	// variable parameters.
	others bool
	// reasoned is true if a header gives the reason of the change; a body has it as a
	// property.
	reasoned bool
	// body is the type of the variable input; nil without a body.
	body *ast.Type
}

// bind sorts the variables of the operation by where their values come from, and checks
// that path and method fit.
func (e *intake) bind() error {
	b := &e.request
	inPath := pathNames(e.route.Path)
	for _, v := range e.operation.Definition.VariableDefinitions {
		p := input.Parameter{Name: v.Variable, Type: v.Type, Description: e.argumentDescription(v.Variable)}
		switch {
		case slices.Contains(inPath, v.Variable):
			b.path = append(b.path, p)
		case v.Variable == inputVariable:
			b.body = v.Type
		case v.Variable == filterVariable:
			def := e.schema.Types[v.Type.Name()]
			for _, f := range def.Fields {
				if e.schema.Types[f.Type.Name()].Kind == ast.InputObject { // no query parameter has its form
					continue
				}
				b.filter = append(b.filter, input.Parameter{Name: input.NameOf(def, f), Field: f.Name, Description: f.Description, Type: f.Type, Sensitive: input.HoldsSensitive(e.schema, f)})
			}
		case v.Variable == orderVariable:
			b.sort = input.NewSorting(e.schema, v.Type, e.api.Sort)
		case v.Variable == firstVariable, v.Variable == offsetVariable, v.Variable == lastVariable:
		case v.Variable == reasonVariable:
			b.reasoned = true
		case v.Variable == parametersVariable:
			b.others = true
		default:
			b.query = append(b.query, p)
		}
	}
	e.bindKeys(inPath)
	b.paged = e.route.Outcome == paths.Listed || e.route.Outcome == paths.Tabled || e.route.Outcome == paths.Array
	hasBody := e.route.Method == http.MethodPost && e.route.Outcome != paths.Valid || e.route.Method == http.MethodPut || e.route.Method == http.MethodPatch
	switch {
	case len(b.path) != len(inPath):
		return fmt.Errorf("the variables do not match the path %s", e.route.Path)
	case hasBody != (b.body != nil):
		return fmt.Errorf("the variable input does not match the method %s", e.route.Method)
	}
	return nil
}

// bindKeys finds the parameters of the path that are no variables, but fields of the body's
// type, and describes the body without them.
func (e *intake) bindKeys(inPath []string) {
	b := &e.request
	if b.body == nil {
		return
	}
	def := e.schema.Types[b.body.Name()]
	b.keys = map[string]string{}
	for _, f := range def.Fields {
		if name := input.NameOf(def, f); slices.Contains(inPath, name) {
			b.keys[name] = f.Name
			b.path = append(b.path, input.Parameter{Name: name, Type: f.Type, Description: f.Description})
		}
	}
	e.schema = input.BodyOf(e.schema, def, b.keys)
}

// pathNames returns the parameters of a path pattern.
func pathNames(pattern string) []string {
	var names []string
	for part := range strings.SplitSeq(pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// unescapePath decodes a part of a path; net/url has checked its encoding.
func unescapePath(part string) string {
	if decoded, err := url.PathUnescape(part); err == nil {
		return decoded
	}
	return part
}

// request is a request in the form in which the engine runs it.
type request struct {
	variables map[string]any
	page      window
	// fields are the properties that the answer has, nil for all.
	fields []string
	// body is the body as it was sent.
	body []byte
	// csv asks for a list as CSV.
	csv bool
	// match and noneMatch are If-Match and If-None-Match, nil when not sent.
	match, noneMatch *tagList
	// key is the Idempotency-Key, "" for none.
	key string
}

// dryRun reports whether the request asks for a preview.
func (q request) dryRun() bool { return q.variables[dryRunVariable] == true }

// indexOf returns the name of the page parameter that a request uses.
func (e *intake) indexOf(query url.Values) string {
	if name := e.api.Paging.Index; query.Has(name) {
		return name
	}
	return pageIndexParameter
}
