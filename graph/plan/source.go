package plan

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Source is where rows come from.
type Source struct {
	// List returns the list that is read page by page: the whole of it, or the list of
	// each of several owners.
	List func(r *Run, owners page.Owners) (List, error)
	Args func(r *Run) page.Args
	// Rows writes a SELECT of all rows where there are no pages: of owners, with the
	// columns owner and place in front.
	Rows func(s *Builder, columns string)
	// Objects reads rows that no statement finds as they are.
	Objects func(r *Run, owners []int64) (Objects, error)
	// When reports whether there is anything to read; nil means always.
	When func(r *Run) bool
}

// List is a list of rows that is read page by page; listing.Rows is one.
type List interface {
	Plan(ctx context.Context, args page.Args) (*page.Query, error)
	Sorted() []page.Key
	Count(ctx context.Context) (int, error)
	Counts(ctx context.Context, owners []int64) (map[int64]int, error)
	// Told is the number of rows in the whole list, given the column total of a page of it.
	Told(q *page.Query, total int) int
	// WritePage writes a SELECT of a page with the columns total and those given.
	WritePage(s *store.SQL, plan *page.Query, columns string)
	// WritePages writes a SELECT of the same page of each owner's list, with the columns
	// total, owner, place, and those given.
	WritePages(s *store.SQL, plan *page.Query, owners page.Owners, columns string)
	// WriteGroups writes a SELECT of the groups g of the rows, of each owner if there is a
	// placeholder of owners, with the columns total, owner and place, and those given.
	WriteGroups(s *store.SQL, by []string, first int, owners, columns string) error
	// IsByValue reports whether a page of the whole list is planned with its values.
	IsByValue() bool
}

// Builder is a statement that is being written.
type Builder struct {
	*store.SQL
	Run *Run
	// Owners returns the placeholder of a list of ids.
	Owners string
	tenant string
	err    error
}

// NewBuilder returns a statement that is empty.
func NewBuilder(r *Run) *Builder { return &Builder{SQL: store.NewSQL(), Run: r} }

// Fail says that the statement cannot be written, and why.
func (b *Builder) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// IsFailing reports whether Fail was called, so that nobody waits for the database any more.
func (b *Builder) IsFailing() bool { return b.err != nil }

// Tenant returns the placeholder of the tenant's id. The id becomes an argument at the
// first use: PostgreSQL refuses arguments that are not used.
func (b *Builder) Tenant() string {
	if b.tenant == "" {
		b.tenant = b.Arg(b.Run.TenantID)
	}
	return b.tenant
}
