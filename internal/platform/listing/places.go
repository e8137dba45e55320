package listing

import (
	"context"
	"slices"
	"sync"

	"github.com/uplinehq/upline/internal/platform/page"
)

// placesKey is a list in one order.
type placesKey struct {
	list  totalKey
	order string
}

// places are where rows of a list stood when its tenant had a mark: every so many of them,
// read in one walk over the list (Rows.sample). That is done once the pages of this state
// have skipped as many rows as the list has. So whatever is asked for, and however often
// the tenant changes, looking for pages costs at most some twice what it costs with
// places that are known from the first page on, and never much more than without any.
type places struct {
	mu   sync.Mutex
	mark int64
	// passed is how many rows pages have skipped for want of places.
	passed int64
	// known are in their order in the list; nil until they are read.
	known []page.Place
}

// maxPlaces limits for how many lists places are kept, placesOfList how many of each:
// 5 MB together.
const maxPlaces, placesOfList = 64, 512

// near returns the place that is nearest to a page, nil if none is known.
func (t *Total) near(q *page.Query) *page.Near {
	if t == nil || t.totals == nil || t.same == "" || t.kept == unknown { // an uncounted page reads no mark
		return nil
	}
	n := &page.Near{Same: t.same, Rows: int(t.kept.rows)}
	n.Place = t.totals.placesOf(t.key, q).nearest(t.kept, q.Offset())
	return n
}

// nearest returns the known place nearest to a position. The beginning of the list and
// its end are always known.
func (p *places) nearest(of size, at int) page.Place {
	before, behind := page.Place{}, page.Place{At: int(of.rows)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mark == of.mark {
		i := p.index(at + 1)
		if i > 0 {
			before = p.known[i-1]
		}
		if i < len(p.known) {
			behind = p.known[i]
		}
	}
	return nearer(before, behind, at)
}

// nearer returns the nearer one of the places around a position. The end of the list counts
// as near as any place on the page: it needs no comparison of keys, for which SQLite reads
// all rows that differ by their id alone.
func nearer(before, behind page.Place, at int) page.Place {
	if behind.At-at < at-before.At || behind.Keys == nil && behind.At-at < endIsNear {
		return behind
	}
	return before
}

// endIsNear is how many rows before the end of a list it is looked at from there: those of a
// long page.
const endIsNear = 1000

// index returns the index of the first known place from a position on.
func (p *places) index(at int) int {
	i, _ := slices.BinarySearchFunc(p.known, at, func(known page.Place, at int) int { return known.At - at })
	return i
}

// placesOf returns the places of the list of a page.
func (t *Totals) placesOf(list totalKey, q *page.Query) *places {
	key := placesKey{list, q.Signature()}
	p, ok := t.places.Get(key)
	if !ok {
		p = new(places)
		t.places.Add(key, p)
	}
	return p
}

// skipped notes that a page was looked for from the nearer end of the list.
func (p *places) skipped(of size, at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mark != of.mark {
		p.mark, p.passed, p.known = of.mark, 0, nil
	}
	p.passed += max(min(at, of.rows-at), 0)
}

// sample reads the places of a list if it is time for that. Who asks for a page meanwhile
// waits for them.
func (l Rows) sample(ctx context.Context, q *page.Query) (err error) {
	t := l.Kept
	if t == nil || t.totals == nil || l.With != nil || !q.Counted() || !t.look(l.count) {
		return nil
	}
	p := t.totals.placesOf(t.key, q)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil && p.mark == t.kept.mark && p.passed >= t.kept.rows {
		every := max(int(t.kept.rows)/placesOfList, 1)
		p.known, p.mark, err = l.reading("").Sample(l.planned(ctx), l.Store, q, every, t.mark)
	}
	return err
}
