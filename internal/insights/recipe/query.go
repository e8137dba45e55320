package recipe

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// savedQuery is the dataset of a recipe that is a saved GraphQL query: "save this
// playground query as a report" (api "Report recipe").
const savedQuery = "graphql"

// SavedQuery is the definition of such a recipe.
type SavedQuery struct {
	// Document is the GraphQL document, and Variables are its variables, unless a run
	// gives others.
	Document  string
	Variables map[string]any
	// Path leads to the connection whose nodes are the rows; each column's field leads
	// from a node to its value. Both are names in the response.
	Path    []string
	Columns []QueryColumn
}

// QueryColumn is a column of a saved query.
type QueryColumn struct {
	Path                 []string
	Field, Label, Format string
}

// QueryPage is a page of the connection of a saved query.
type QueryPage struct {
	// Rows have a JSON value for each column.
	Rows       [][]any
	TotalCount int
	HasNext    bool
	End        *string
	// Parameters are the variables that the query was run with, without those for paging.
	Parameters map[string]any
	// Types are the types of the columns, as in ReportColumn.
	Types []string
}

// QueryRun are the arguments of a run of a saved query.
type QueryRun struct {
	Parameters map[string]any
	// Texts are Parameters as texts of a URL; nil if Parameters are given.
	Texts map[string]any
	// OnDate is the variable onDate; if it is nil, DefaultDay is, for a query that has
	// the variable.
	OnDate, DefaultDay *date.Date
	First              int
	After              *string
	// Offset is how many rows to skip, if After is not given.
	Offset int
}

// SavedQueries knows the schema and runs queries on it, with the tenant and the scopes of
// the caller in the context, and with the same limits as for any other query.
type SavedQueries interface {
	// CheckQuery returns what is wrong with a query; fields are below definition.
	CheckQuery(ctx context.Context, q *SavedQuery) (problem.List, error)
	// RunQuery checks a query again, since the schema may have changed, and runs it.
	RunQuery(ctx context.Context, q *SavedQuery, in QueryRun) (*QueryPage, error)
}

var pathForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,9}$`)

// parseQuery reads the definition of a saved query.
func parseQuery(definition map[string]any) (*SavedQuery, problem.List) {
	p := &parser{dataset: &Dataset{}}
	root := []string{definitionField}
	p.known(root, definition, "graphql", "variables", "connectionPath", "columns")
	q := &SavedQuery{}
	q.Document, _ = definition["graphql"].(string)
	if q.Document == "" {
		p.refuse(problem.Required, "is required: a GraphQL document", below(root, "graphql"))
	}
	if v := definition["variables"]; v != nil {
		q.Variables, _ = p.object(below(root, "variables"), v)
	}
	q.Path = p.path(below(root, "connectionPath"), definition["connectionPath"])
	p.queryColumns(q, below(root, "columns"), definition["columns"])
	return q, p.List
}

// path reads names in a response with dots between them.
func (p *parser) path(path []string, v any) []string {
	text, _ := v.(string)
	switch {
	case v == nil:
		p.refuse(problem.Required, "is required", path)
		return nil
	case !pathForm.MatchString(text):
		p.refuse(problem.InvalidFormat, "must be up to ten names of the response with dots between them, such as agent.payStatus.name", path)
		return nil
	}
	return strings.Split(text, ".")
}

func (p *parser) queryColumns(q *SavedQuery, path []string, v any) {
	list := p.list(path, v, maxColumns)
	if none(v) {
		p.refuse(problem.Required, "must name at least one column", path)
	}
	for i, element := range list {
		here := at(path, i)
		object, ok := p.object(here, element)
		if !ok {
			continue
		}
		p.known(here, object, "field", "label", "format")
		c := QueryColumn{Path: p.path(below(here, "field"), object["field"])}
		c.Field, _ = object["field"].(string)
		c.Label = p.label(below(here, "label"), object["label"], c.Field)
		c.Format = p.word(below(here, "format"), object["format"], []string{"text", "number", "currency", "percent", "date", "dateTime", "boolean"})
		if slices.ContainsFunc(q.Columns, func(other QueryColumn) bool { return other.Field == c.Field }) {
			p.refuse(problem.DuplicateKey, "Another column is the same", below(here, "field"))
		}
		q.Columns = append(q.Columns, c)
	}
}

// runQuery runs a recipe that is a saved query.
func (r *Service) runQuery(ctx context.Context, definition map[string]any, in Run, rows int) (*Report, error) {
	q, refused := parseQuery(definition)
	if err := refused.Err(); err != nil {
		return nil, err
	}
	given, _, err := normal(in.Parameters)
	if err != nil {
		return nil, err
	}
	skipped, err := in.skipped()
	if err != nil {
		return nil, err
	}
	page, err := r.Queries.RunQuery(ctx, q, QueryRun{Parameters: given, Texts: in.Texts, OnDate: in.OnDate, DefaultDay: in.DefaultDay, First: rows, After: in.After, Offset: skipped})
	if err != nil {
		return nil, err
	}
	out := &Report{GeneratedAt: r.clock.Now(), Parameters: page.Parameters, Rows: make([]json.RawMessage, len(page.Rows)),
		HasNext: page.HasNext, HasPrev: in.After != nil || skipped > 0, End: page.End, TotalCount: page.TotalCount}
	for i, c := range q.Columns {
		out.Columns = append(out.Columns, ReportColumn{c.Field, c.Label, page.Types[i], c.Format})
	}
	for i, values := range page.Rows {
		if out.Rows[i], err = queryRow(q.Columns, values); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// queryRow writes a row as a JSON object, with the columns in their order.
func queryRow(columns []QueryColumn, values []any) (json.RawMessage, error) {
	b := []byte{'{'}
	for i, c := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		text, err := json.Marshal(values[i])
		if err != nil {
			return nil, err
		}
		b = append(append(b, `"`+c.Field+`":`...), text...) // names and dots
	}
	return append(b, '}'), nil
}
