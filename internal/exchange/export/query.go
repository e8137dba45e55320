package export

import (
	"context"
	"encoding/json"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/words/date"
)

// Query is what to export, as it was asked for.
type Query struct {
	// Document is a GraphQL document of one query; Path leads to a connection of
	// it, with dots between the names.
	Document  string
	Variables map[string]any
	Path      string
	// OnDate is the day that dated fields are read as of, where the document
	// names none.
	OnDate date.Date
}

// Source reads queries: the GraphQL door, so that scopes, limits and masks are
// those of any request.
type Source interface {
	// Plan checks a query, as far as that takes no data; it returns problems of
	// the fields of the input.
	Plan(ctx context.Context, q Query) (Plan, error)
}

// Plan is a query that can be read page by page.
type Plan interface {
	Columns() []sheet.Column
	// Scopes are those that the query's fields take.
	Scopes() []string
	// Page reads the rows behind a cursor, the first ones behind an empty one, as
	// the caller of the context may see them.
	Page(ctx context.Context, after string) (Page, error)
}

// Page is some rows of a query.
type Page struct {
	// Rows are objects of JSON.
	Rows []json.RawMessage
	// Next is the cursor behind them; empty when no rows follow.
	Next string
	// Total counts the rows of all pages; it comes with the first page.
	Total *int
	// Reveals is true when a sensitive value is shown in full.
	Reveals bool
	// Unreadable counts the stored values that cannot be shown: they are null.
	Unreadable int
}
