package listing

import (
	"context"
	"crypto/sha256"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Totals keeps the number of rows of lists until their tenant changes. A client that
// pages through a list asks for its size with every page, and counting the rows costs
// more than reading a page. Each size is kept with the tenant's mark when it was counted
// (store.Mark), read in the same statement and so in the same state. The statement of the
// next page reads the mark again, and counts only if it has grown. So a size is right
// whichever process has written.
//
// A list with a table that changes without the mark is counted for every page. Totals is
// safe for concurrent use.
//
// Where rows of a list stand is kept as long, for pages far into it (places).
type Totals struct {
	sizes  *lru.Cache[totalKey, size]
	places *lru.Cache[placesKey, *places]
}

// totalKey is the hash of what determines a list: the tenant, the query and its
// arguments.
type totalKey [sha256.Size]byte

type size struct{ mark, rows int64 }

// unknown has a mark that no tenant has.
var unknown = size{mark: -1}

// maxTotals limits how many sizes are kept, for all tenants together: 1 MB.
const maxTotals = 8192

// NewTotals returns Totals that keep nothing yet.
func NewTotals() *Totals {
	sizes, err := lru.New[totalKey, size](maxTotals)
	if err != nil {
		panic(err) // only for a size below one
	}
	places, err := lru.New[placesKey, *places](maxPlaces)
	if err != nil {
		panic(err)
	}
	return &Totals{sizes, places}
}

// Of returns the total of a list that is about to be read. It is nil for a limited
// caller, who sees only a part of the rows, and wherever else a query reads other rows than
// it shows (store.ReadsLikeOthers), and if t is nil.
func (t *Totals) Of(ctx context.Context) *Total {
	of := tenant.From(ctx)
	if !store.ReadsLikeOthers(ctx) || t == nil || of == nil {
		return nil
	}
	return &Total{totals: t, tenantID: of.ID}
}

// Total is the number of rows of a list, for one read of it.
type Total struct {
	// totals is nil if the number is not kept.
	totals   *Totals
	tenantID int64
	key      totalKey
	kept     size
	// same is the condition under which kept still holds.
	same string
}

// A total is read together with the mark, as one number: the upper bits are the mark,
// modulo what fits, and the lower bits the total.
const markRange = 1 << 31

// look finds what is kept of a list, given the query that counts its rows. It reports
// whether its size can be kept.
func (t *Total) look(count func(s *store.SQL) string) bool {
	var alone store.SQL
	text := count(&alone)
	if !store.MarkCounts(text) {
		t.totals = nil
		return false
	}
	hash := fmt.Appendf(nil, "%d\x00%s", t.tenantID, text)
	for _, argument := range alone.Args() {
		hash = fmt.Appendf(hash, "\x00%#v", argument)
	}
	t.key = sha256.Sum256(hash)
	var found bool
	if t.kept, found = t.totals.sizes.Get(t.key); !found {
		t.kept = unknown
	}
	return true
}

// mark writes a query of the tenant's mark.
func (t *Total) mark(s *store.SQL) string {
	return fmt.Sprintf("(%s) %% %d", store.Mark(s.Arg(t.tenantID)), markRange)
}

// write writes a query of the mark and the total, given the query that counts the rows.
func (t *Total) write(s *store.SQL, count func(s *store.SQL) string) string {
	if t.totals == nil || !t.look(count) {
		return count(s)
	}
	mark, kept := t.mark(s), s.Arg(t.kept.mark)
	t.same = mark + " = " + kept
	return fmt.Sprintf("SELECT m.mark * %d + CASE WHEN m.mark = %s THEN %s ELSE (%s) END FROM (SELECT %s AS mark) m",
		int64(1)<<page.RowBits, kept, s.Arg(t.kept.rows), count(s), mark)
}

// told returns the total from the result of the query of a page, nil for none, and keeps
// it. A nil Total keeps nothing.
func (t *Total) told(q *page.Query, total int) int {
	if t == nil || t.totals == nil || t.same == "" { // the page was not counted
		return total
	}
	now := size{mark: int64(total) >> page.RowBits, rows: int64(total) & (1<<page.RowBits - 1)}
	if now != t.kept {
		t.totals.sizes.Add(t.key, now)
	}
	if q != nil && q.IsFar() {
		t.totals.placesOf(t.key, q).skipped(now, int64(q.Offset()))
	}
	return int(now.rows)
}
