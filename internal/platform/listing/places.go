package listing

import (
	"slices"
	"sync"

	"github.com/uplinehq/upline/internal/platform/page"
)

// placesKey is a list in one order.
type placesKey struct {
	list  totalKey
	order string
}

// places are where rows of a list stood when its tenant had a mark.
type places struct {
	mu   sync.Mutex
	mark int64
	// known are in their order in the list.
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
	if p, ok := t.totals.places.Get(placesKey{t.key, q.Signature()}); ok {
		n.Place = p.nearest(t.kept, q.Offset())
	} else {
		n.Place = nearer(page.Place{}, page.Place{At: n.Rows}, q.Offset())
	}
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

// keepPlace keeps where a row stands, unless places close to it are known.
func (t *Totals) keepPlace(key placesKey, of size, place page.Place) {
	p, ok := t.places.Get(key)
	if !ok {
		p = &places{mark: of.mark}
		t.places.Add(key, p)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mark != of.mark {
		p.mark, p.known = of.mark, nil
	}
	apart := max(int(of.rows)/placesOfList, 1)
	i := p.index(place.At)
	if i > 0 && place.At-p.known[i-1].At < apart || i < len(p.known) && p.known[i].At-place.At < apart {
		return
	}
	p.known = slices.Insert(p.known, i, place)
}
