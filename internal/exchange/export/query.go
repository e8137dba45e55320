package export

import (
	"context"
	"encoding/json"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/sheet"
)

// Query is what to export, as it was asked for.
type Query struct {
	// Document is a GraphQL document with one query; Path leads to a connection in it,
	// with dots between the names.
	Document  string
	Variables map[string]any
	Path      string
	// OnDate is the day that dated fields are read as of where the document names none.
	OnDate date.Date
	Heads  []*Head
}

// Head is what the head of a column says in CSV and XLSX, instead of the column's path.
type Head struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Source reads queries. It is the GraphQL door, so that scopes, limits and masks are
// those of any request.
type Source interface {
	// Plan checks a query as far as that needs no data. It returns problems with the
	// fields of the input.
	Plan(ctx context.Context, q Query) (Plan, error)
}

// Plan is a query that can be read page by page.
type Plan interface {
	Columns() []sheet.Column
	// Scopes are the scopes that the query's fields take.
	Scopes() []string
	// Page reads the rows after a cursor as the caller of the context may see them; an
	// empty cursor stands for the beginning.
	Page(ctx context.Context, after string) (Page, error)
}

// Page is a page of the rows of a query.
type Page struct {
	// Rows are objects of JSON.
	Rows []json.RawMessage
	// Next is the cursor of the next page; empty when no rows follow.
	Next string
	// Total counts the rows of all pages. It comes with the first page.
	Total *int
	// Reveals is true when the page shows a sensitive value in full.
	Reveals bool
	// Unreadable counts the stored values that cannot be decrypted; they are null.
	Unreadable int
}
