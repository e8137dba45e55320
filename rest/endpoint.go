package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

// endpoint is a row of the table with its operation: the handler of one path.
type endpoint struct {
	*door
	schema    *ast.Schema
	api       paths.API
	route     paths.Route
	operation *operations.Operation
	request   binding
	// record is the field whose selection is that of the record.
	record *ast.Field
	// rows writes the record, or each record of the list; nil for removed and valid.
	rows *record.Plan
	// unwritten are properties of the record that are selected and not asked for.
	unwritten []string
	// listOf is the field of a record that holds the list, or the table; nil if the
	// operation's own field holds it.
	listOf *ast.Field
	// connection says that the list is paged in GraphQL too.
	connection bool
	// preview writes the field previewed, which says what a dry run would change; nil if
	// there is none.
	preview   *record.Plan
	previewed string
	// columns are the columns of a list's rows as CSV. A table names its own.
	columns []sheet.Column
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

// newEndpoints returns the endpoints of the table, not yet bound to a door.
func newEndpoints(schema *ast.Schema, apis []paths.API) ([]*endpoint, error) {
	var endpoints []*endpoint
	for _, a := range apis {
		for _, r := range a.Routes {
			e, err := newEndpoint(schema, a, r)
			if err != nil {
				return nil, err
			}
			endpoints = append(endpoints, e)
		}
	}
	return endpoints, nil
}

// newEndpoint reads the operation of a route. The error says how it does not fit the
// schema or the route.
func newEndpoint(schema *ast.Schema, a paths.API, r paths.Route) (*endpoint, error) {
	op, err := operations.Read(schema, r.Operation)
	if err != nil {
		return nil, fmt.Errorf("rest: %s %s: %w", r.Method, r.Path, err)
	}
	e := &endpoint{schema: schema, api: a, route: r, operation: op}
	if err := e.plan(); err != nil {
		return nil, fmt.Errorf("rest: %s: %w", r.Operation, err)
	}
	if err := e.bind(); err != nil {
		return nil, fmt.Errorf("rest: %s: %w", r.Operation, err)
	}
	return e, nil
}

// bind sorts the variables of the operation by where their values come from, and checks
// that path and method fit.
func (e *endpoint) bind() error {
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
func (e *endpoint) bindKeys(inPath []string) {
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

func (e *endpoint) plan() (err error) {
	planner := record.Planner{Schema: e.schema, Shape: e.route.Shape, Unwritten: e.unwritten}
	root := e.operation.Root
	switch e.route.Outcome {
	case paths.Removed, paths.Valid:
		return nil
	case paths.Array:
		if root.Definition.Type.Elem == nil {
			return fmt.Errorf("%s is not a list", root.Alias)
		}
	case paths.Listed:
		if root, err = e.planList(root); err != nil {
			return err
		}
	case paths.Tabled:
		root = e.inside(root)
	}
	e.record = root
	if e.rows, err = planner.Record(root); err != nil {
		return err
	}
	if e.route.Outcome == paths.Listed {
		e.columns = planner.Columns(e.rows.Elem)
		return nil
	}
	return e.planPreview(planner, root)
}

// planList returns the field whose elements are the rows. The list may be inside a
// record: agent { aliases { nodes … } }.
func (e *endpoint) planList(list *ast.Field) (*ast.Field, error) {
	list = e.inside(list)
	fields := selection.Fields(list.SelectionSet)
	nodes := slices.IndexFunc(fields, func(f *ast.Field) bool { return f.Alias == "nodes" })
	if e.connection = nodes >= 0; e.connection {
		list = fields[nodes]
	}
	if list.Definition.Type.Elem == nil {
		return nil, fmt.Errorf("%s is not a list", list.Alias)
	}
	return list, nil
}

// inside returns the only field of a record, if the path answers that field's value;
// otherwise the field itself.
func (e *endpoint) inside(f *ast.Field) *ast.Field {
	fields := selection.Fields(f.SelectionSet)
	if f.Definition.Type.Elem != nil || len(fields) != 1 {
		return f
	}
	e.listOf = fields[0]
	return e.listOf
}

// selecting returns the endpoint of answers that have only some properties of the record.
// Its operation asks for no others, but for the version of the record's ETag.
func (e *endpoint) selecting(chosen []string) (*endpoint, error) {
	return e.selections.Of(e.route.Operation, chosen, func() (*endpoint, error) {
		narrow := *e
		if e.revalidates() && !slices.Contains(chosen, lastModified) {
			narrow.unwritten = []string{lastModified}
		}
		var err error
		narrow.operation, err = e.operation.Selecting(e.Executor.Schema(), e.record, record.SpreadAlias, func(name string) bool {
			return slices.Contains(chosen, name) || slices.Contains(narrow.unwritten, name)
		})
		if err != nil {
			return nil, err
		}
		return &narrow, narrow.plan()
	})
}

// selects reports whether a request can choose from the properties of the record. A table
// names its columns itself.
func (e *endpoint) selects() bool {
	return e.route.Method == http.MethodGet && e.route.Outcome != paths.Tabled
}

// hasCSV reports whether the path answers rows, and so serves CSV, too.
func (e *endpoint) hasCSV() bool {
	return e.route.Outcome == paths.Listed || e.route.Outcome == paths.Tabled
}

// answers returns the field whose value the path answers.
func (e *endpoint) answers() *ast.Field {
	if e.listOf != nil {
		return e.listOf
	}
	return e.operation.Root
}

// argumentDescription returns the schema's description of the argument that takes a
// variable.
func (e *endpoint) argumentDescription(variable string) string {
	for _, f := range []*ast.Field{e.operation.Root, e.answers()} {
		for _, a := range f.Arguments {
			argument := f.Definition.Arguments.ForName(a.Name)
			if a.Value.Kind == ast.Variable && a.Value.Raw == variable {
				return argument.Description
			}
			for _, v := range a.Value.Children {
				if v.Value.Kind == ast.Variable && v.Value.Raw == variable {
					return e.schema.Types[argument.Type.Name()].Fields.ForName(v.Name).Description
				}
			}
		}
	}
	return ""
}

// ServeHTTP runs the operation of the path.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.hasCSV() {
		w.Header().Add("Vary", "Accept")
	}
	var answered *reply
	r, err := followed(r)
	if err == nil {
		answered, err = e.answer(w, r)
	}
	if err != nil {
		e.refuse(w, r, err)
		return
	}
	answered.write(w)
}

func (e *endpoint) answer(w http.ResponseWriter, r *http.Request) (*reply, error) {
	q, err := e.read(w, r)
	if err == nil && q.fields != nil {
		e, err = e.selecting(q.fields)
	}
	if err != nil {
		return nil, err
	}
	ctx, done, refused := e.Admit(r.Context())
	if refused != nil {
		return nil, refused
	}
	defer done()
	r = r.WithContext(ctx)
	run := e.run
	if q.key != "" && !q.dryRun() {
		run = e.runOnce
	}
	a, err := run(r, q)
	if err != nil {
		return nil, err
	}
	return a, e.reveal(r, a)
}

func (e *endpoint) run(r *http.Request, q request) (*reply, error) {
	ctx := r.Context()
	if q.match != nil {
		ctx = q.match.expect(ctx)
	}
	if q.csv { // a header must not be enough to get a file with an agency's sensitive values
		ctx = tenant.Masked(ctx)
	}
	ctx, shown := audit.Hold(ctx)
	a, err := e.reply(r, e.Executor.Execute(ctx, e.operation.Document, e.operation.Definition.Name, q.variables), q)
	if err == nil && !q.dryRun() { // A preview writes nothing of the record.
		a.shown = *shown
	}
	return a, err
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
