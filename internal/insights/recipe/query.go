package recipe

import (
	"context"
	"regexp"
	"slices"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
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
	// Path leads to the connection whose nodes are the rows, and the key of each column
	// from a node to its value: names in the response with dots between them.
	Path    string
	Columns []insights.Column
}

// SavedQueries knows the schema and runs queries on it, with the tenant and the scopes of
// the caller in the context, and with the same limits as for any other query.
type SavedQueries interface {
	// CheckQuery returns what is wrong with a query; fields are below definition.
	CheckQuery(ctx context.Context, q *SavedQuery) (problem.List, error)
	// RunQuery checks a query again, since the schema may have changed, and runs it. It
	// sets the rows and the types of the columns. The parameters in force are its
	// variables, without those for paging.
	RunQuery(ctx context.Context, q *SavedQuery, in insights.Request) (*insights.Result, error)
}

var pathForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,9}$`)

// parseQuery reads the definition of a saved query.
func parseQuery(given map[string]any) (*SavedQuery, problem.List) {
	p := &parser{}
	root := rootOf(given)
	p.object(root, "graphql", "variables", "connectionPath", "columns")
	q := &SavedQuery{}
	document, variables := root.at("graphql"), root.at("variables")
	if q.Document, _ = document.value.(string); q.Document == "" {
		p.refuse(problem.Required, "is required: a GraphQL document", document)
	}
	var isObject bool
	if q.Variables, isObject = variables.value.(map[string]any); !isObject && variables.value != nil {
		p.refuse(problem.InvalidFormat, "must be an object", variables)
	}
	q.Path = p.path(root.at("connectionPath"))
	p.queryColumns(q, root.at("columns"))
	return q, p.List
}

// path reads names in a response with dots between them.
func (p *parser) path(n node) string {
	text, _ := n.value.(string)
	switch {
	case n.value == nil:
		p.refuse(problem.Required, "is required", n)
	case !pathForm.MatchString(text):
		p.refuse(problem.InvalidFormat, "must be up to ten names of the response with dots between them, such as agent.payStatus.name", n)
	}
	return text
}

func (p *parser) queryColumns(q *SavedQuery, n node) {
	if n.none() {
		p.refuse(problem.Required, "must name at least one column", n)
	}
	for object := range p.objects(n, maxColumns, "field", "label", "format") {
		by := object.at("field")
		c := insights.Column{Key: p.path(by)}
		c.Label = p.label(object.at("label"), c.Key)
		c.Format = p.word(object.at("format"), []string{"text", "number", "currency", "percent", "date", "dateTime", "boolean"})
		if slices.ContainsFunc(q.Columns, func(other insights.Column) bool { return other.Key == c.Key }) {
			p.refuse(problem.DuplicateKey, "Another column is the same", by)
		}
		q.Columns = append(q.Columns, c)
	}
}

// runQuery runs a recipe that is a saved query.
func (r *Service) runQuery(ctx context.Context, recipe *Recipe, given map[string]any, in insights.Request) (*insights.Result, error) {
	q, refused := parseQuery(given)
	if err := refused.Err(); err != nil {
		return nil, err
	}
	skipped, misplaced := in.Skipped()
	if misplaced != nil {
		return nil, misplaced
	}
	if in.Parameters != nil {
		var err error
		if in.Parameters, _, err = normal(in.Parameters); err != nil {
			return nil, err
		}
	}
	out, err := r.Queries.RunQuery(ctx, q, in)
	if err != nil {
		return nil, err
	}
	out.Report = &insights.Report{Slug: recipe.UID, Title: recipe.Name, Columns: q.Columns}
	out.GeneratedAt, out.HasPrev = r.clock.Now(), in.After != nil || skipped > 0
	return out, nil
}
