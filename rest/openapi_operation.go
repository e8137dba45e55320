package rest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/rest/choice"
	"github.com/uplinehq/upline/rest/paths"
)

// operationID returns the name of an endpoint's operation in the document.
func (e *tableRow) operationID() string {
	name := e.operation.Definition.Name
	return strings.ToLower(name[:1]) + name[1:]
}

func (d *describer) operation(e *endpoint) (*openapi3.Operation, error) {
	scope, err := d.scope(e.operation.Root.Definition)
	if err != nil {
		return nil, err
	}
	shown := d.examples.Operations[e.operationID()]
	responses, err := d.responses(e, shown)
	if err != nil {
		return nil, err
	}
	description := d.words.operation(e)
	o := &openapi3.Operation{
		OperationID: e.operationID(),
		Summary:     firstSentence(description),
		Description: description + describeEngine(e),
		Tags:        []string{e.api.Title},
		Parameters:  d.parameters(e, shown),
		Responses:   responses,
		Security:    &openapi3.SecurityRequirements{{oauthScheme: {scope}}, {keyScheme: {}}},
		Extensions:  map[string]any{"x-graphql": e.operation.Document},
	}
	if body := e.request.body; body != nil {
		d.takesMore, d.schema = paths.TakesMore[e.route.Operation], e.schema
		o.RequestBody = &openapi3.RequestBodyRef{Value: &openapi3.RequestBody{
			Description: d.words.text(d.schema.Types[body.Name()].Description), Required: true,
			Content: openapi3.Content{jsonMediaType: {Schema: d.input(body), Example: shown.Request}},
		}}
	}
	return o, nil
}

// describeEngine describes what the engine adds to an operation.
func describeEngine(e *endpoint) string {
	var text string
	if e.hasCSV() {
		text += "\n\nWith `Accept: text/csv` the rows of the page come as CSV."
	}
	if e.preview != nil {
		text += "\n\nWith `dryRun=true` nothing is changed, and the answer is what would be."
	}
	return text
}

func (d *describer) parameters(e *endpoint, shown recordedOperation) openapi3.Parameters {
	var list openapi3.Parameters
	add := func(in, name, description string, schema *openapi3.SchemaRef) {
		list = append(list, &openapi3.ParameterRef{Value: &openapi3.Parameter{
			In: in, Name: name, Description: d.words.text(description), Required: in == "path", Schema: schema, Example: shown.parameter(name, schema)}})
	}
	if e.api.HasTenant() {
		add("path", paths.TenantParameter, "The tenant: the agency whose data it is.", typed("string"))
	}
	for _, p := range e.request.path {
		add("path", p.Name, p.Description, d.input(p.Type))
	}
	for _, p := range slices.Concat(e.request.filter, e.request.query) {
		if d.masked && p.Sensitive {
			continue
		}
		add("query", p.Name, p.Description, bounded(e.operationID()+"."+p.Name, withoutNull(d.input(p.Type))))
	}
	if e.request.sort != nil {
		add("query", sortParameter, paths.SortForms[e.api.Sort].Description+" The fields are "+strings.Join(e.request.sort.Names, ", ")+".", typed("string"))
	}
	if e.request.others {
		values := typed("object")
		values.Value.AdditionalProperties.Schema = typed("string")
		add("query", parametersVariable, "The parameters of the query, each by its own name.", values)
		last := list[len(list)-1].Value
		last.Style, last.Explode = "form", openapi3.Ptr(true)
	}
	if e.selects() && !d.masked {
		add("query", choice.Parameter, "Properties of the record, by their names, separated by commas: the answer has only these. All others are absent, even if they are required.", typed("string"))
	}
	if e.request.paged {
		add("query", e.api.Paging.Index, "The page, from 1.", pageSchema())
		add("query", pageSizeParameter, describeSize(e.api.Paging), sizeSchema(e.api.Paging))
	}
	describeHeaderParameters(e, add)
	return list
}

// pageSchema describes the number of a page. It is an integer of 32 bits, as is the
// number of the page's last row.
func pageSchema() *openapi3.SchemaRef {
	page := typed("integer")
	page.Value.Format, page.Value.Default = "int32", 1
	page.Value.Min = openapi3.Ptr(1.0)
	return page
}

// sizeSchema describes the size of a page, without a maximum if each query sets its own.
func sizeSchema(p paths.Paging) *openapi3.SchemaRef {
	size := typed("integer")
	size.Value.Format, size.Value.Min = "int32", openapi3.Ptr(1.0)
	if p.Most != math.MaxInt32 {
		size.Value.Max = openapi3.Ptr(float64(maxPageSize))
	}
	return size
}

func describeSize(p paths.Paging) string {
	if p.Most == 0 {
		return "Rows in a page; default and maximum are set per tenant."
	}
	if p.Most == math.MaxInt32 {
		return fmt.Sprintf("Rows in a page; %d by default, and each query has a maximum.", p.Usual)
	}
	return fmt.Sprintf("Rows in a page; %d by default, at most %d.", p.Usual, p.Most)
}

// responses describes the successes of an endpoint, and lists the statuses of its
// problems.
func (d *describer) responses(e *endpoint, shown recordedOperation) (*openapi3.Responses, error) {
	responses := openapi3.NewResponsesWithCapacity(16)
	responses.Set("default", refResponse(problemName(0)))
	for _, status := range problemStatuses(e) {
		responses.Set(strconv.Itoa(status), refResponse(problemName(status)))
	}
	if e.revalidates() {
		responses.Set("304", response("The record still has one of the ETags of If-None-Match.", nil, openapi3.Headers{"ETag": etagHeader()}))
	}
	if text := emptyText[e.route.Outcome]; text != "" {
		responses.Set("204", response(text, nil, nil))
		return responses, nil
	}
	schema, err := d.result(e)
	if err != nil {
		return nil, err
	}
	if err := d.preview(e); err != nil {
		return nil, err
	}
	for _, status := range successes[e.route.Outcome] {
		r := response(successText[status], d.content(e, status, schema, shown), describeHeaders(e, status))
		if e.hasCSV() {
			r.Value.Extensions = map[string]any{moreContent: csvContent(shown)}
		}
		responses.Set(strconv.Itoa(status), r)
	}
	return responses, nil
}

// successes are the statuses of each outcome.
var successes = map[paths.Outcome][]int{
	paths.Found: {200}, paths.Listed: {200}, paths.Tabled: {200}, paths.Array: {200}, paths.Changed: {200}, paths.Created: {201}, paths.Upserted: {200, 201}, paths.Applied: {200, 201}, paths.Removed: {204}, paths.Valid: {204},
}

// emptyText describes the answers that have no body.
var emptyText = map[paths.Outcome]string{paths.Removed: "Removed.", paths.Valid: "Complete and ready to submit."}

var successText = map[int]string{200: "OK.", 201: "Created."}

// problemStatuses returns the statuses of the problems that an endpoint can answer with.
func problemStatuses(e *endpoint) []int {
	statuses := []int{400, 401, 403, 406, 429, 503}
	if len(e.request.path) > 0 || e.request.body != nil || e.route.Outcome == paths.Found && !e.operation.Root.Definition.Type.NonNull {
		statuses = append(statuses, 404)
	}
	if e.operation.Definition.Operation == ast.Mutation {
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
