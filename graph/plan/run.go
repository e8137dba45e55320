package plan

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// Run is one use of a plan.
type Run struct {
	Ctx context.Context
	// Variables are the variables of the operation, Args the arguments of the field.
	Variables, Args map[string]any
	// IDs are the ids of the objects of a plan with ByID.
	IDs      []int64
	TenantID int64
	// At is the day and the knowledge that everything is read as of.
	At    history.AsOf
	Store *store.Store

	found    []result
	page     *pageOf
	once     map[any]any
	failures []Failure
	// null is true while a value that failed, or is missing where the schema allows no
	// null, looks for the next object around it that can be null.
	null bool
}

// Once returns what make returned the first time for a key of the run.
func Once[T any](r *Run, key any, make func() T) T {
	if v, ok := r.once[key]; ok {
		return v.(T)
	}
	if r.once == nil {
		r.once = map[any]any{}
	}
	v := make()
	r.once[key] = v
	return v
}

// result is what the statement of a set returned.
type result struct {
	// refused is why the set was not read. It is the error of each field that the set is
	// for.
	refused error
	cells   *rowset.Cells
	plan    *page.Query
	keys    []page.Key
	// keyAt is where the columns of the keys begin.
	keyAt int
	// owners are the owners of the rows, by ascending id. order lists the rows of one
	// owner after the other, and spans says where the rows of each are.
	owners []int64
	order  []int32
	spans  []span
	// objects are the rows of a source of objects.
	objects []any
	// list is what was asked for page by page. beyond has the sizes of the lists of which
	// the page has no row.
	list   List
	beyond map[int64]int
}

// span is the part of order with the rows of one owner, and the number of rows in that
// owner's list.
type span struct {
	from, n int32
	total   int
}

// Read reads what a run asks for, for Write. An error is one of the server; what the
// request has wrong, Write tells in its place.
func (p *Plan) Read(r *Run) error {
	r.found = make([]result, len(p.sets))
	for depth := range p.depth + 1 {
		if err := p.read(r, depth); err != nil {
			r.Release()
			return err
		}
	}
	return nil
}

// Write appends the JSON of what Read has read, which it can do once. isNull is true if
// the field has no value, for a reason that Failures tell.
func (p *Plan) Write(b []byte, r *Run) (_ []byte, isNull bool) {
	defer r.Release()
	b = p.write(b, r, 0)
	return b, r.null
}

// Release gives back the memory of what was read. Write does it, too: then there is
// nothing left to give back.
func (r *Run) Release() {
	for _, f := range r.found {
		if f.cells != nil {
			f.cells.Release()
		}
	}
	r.found = nil
}

// read reads the sets of a level together.
func (p *Plan) read(r *Run, depth int) error {
	var (
		statements []store.Statement
		sets       []*set
	)
	for _, s := range p.sets {
		if s.trip(r) != depth {
			continue
		}
		owners := s.belongsTo(r)
		if owners != nil {
			if r.found[s.n].owners = owners.IDs; owners.One == nil && len(owners.IDs) == 0 {
				continue
			}
		}
		if s.from.When != nil && !s.from.When(r) {
			continue
		}
		if s.from.Objects != nil {
			if err := r.refuse(s, r.gather(s)); err != nil {
				return err
			}
			continue
		}
		one, err := s.statement(r, owners)
		if err = r.refuse(s, err); err != nil {
			return err
		}
		if r.found[s.n].refused == nil {
			statements, sets = append(statements, one), append(sets, s)
		}
	}
	if len(statements) == 0 {
		return nil
	}
	found, err := r.Store.Read(r.Ctx, statements)
	if err != nil {
		return err
	}
	for i, s := range sets {
		f := &r.found[s.n]
		if f.cells = found[i]; s.trip(r) != s.depth {
			f.owners = r.ownersOf(s)
			f.leaveOthers()
		}
		if f.owners != nil {
			f.group()
		}
	}
	return nil
}

// refuse keeps an error that is a refusal for the fields that a set is for. It returns any
// other.
func (r *Run) refuse(s *set, err error) error {
	if err == nil || !IsRefusal(err) {
		return err
	}
	r.found[s.n].refused = err
	return nil
}

// trip is the number of the round trip with which a set is read. SQLite has no round
// trips: there a set is read after the row that it belongs to.
func (s *set) trip(r *Run) int {
	if s.above != nil && r.Store.Postgres() {
		return s.above.depth
	}
	return s.depth
}

// belongsTo returns the owners whose rows a set holds; nil for a set without owners.
func (s *set) belongsTo(r *Run) *page.Owners {
	switch {
	case s.byID:
		return &page.Owners{IDs: slices.Compact(slices.Sorted(slices.Values(r.IDs)))}
	case s.owners == nil:
		return nil
	case s.trip(r) != s.depth:
		return &page.Owners{One: s.findOwner(r)}
	}
	return &page.Owners{IDs: r.ownersOf(s)}
}

// leaveOthers leaves out rows that belong to another owner than the one row: between the
// two statements that row came, went, or was replaced by one with the same key.
func (f *result) leaveOthers() {
	if f.cells.Rows() > 0 && (len(f.owners) == 0 || f.cells.Int(0, ownerAt) != f.owners[0]) {
		f.cells.Clear()
	}
}

// ownersOf returns the ids whose rows a set holds, each once.
func (r *Run) ownersOf(s *set) []int64 {
	var ids []int64
	for _, owner := range s.owners {
		cells := r.found[owner.set].cells
		if cells == nil {
			continue
		}
		ids = slices.Grow(ids, cells.Rows())
		for row := range cells.Rows() {
			if !cells.IsNull(row, owner.at) {
				ids = append(ids, cells.Int(row, owner.at))
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// The columns in front of the rows of owners.
const (
	totalAt = iota
	ownerAt
	placeAt
)

// group finds the rows of each owner.
func (f *result) group() {
	rows := f.cells.Rows()
	f.spans = make([]span, len(f.owners))
	at, before, inOrder := 0, int64(0), true
	for row := range rows {
		if id := f.cells.Int(row, ownerAt); row == 0 || id != f.owners[at] {
			at, _ = slices.BinarySearch(f.owners, id)
			inOrder = inOrder && f.spans[at].n == 0
			f.spans[at].from, before = int32(row), 0
		}
		place := f.cells.Int(row, placeAt)
		inOrder = inOrder && (place == 0 || place > before)
		before = place
		f.spans[at].n++
		f.spans[at].total = int(f.cells.Int(row, totalAt))
	}
	if f.order = upTo(rows); !inOrder {
		f.sort()
	}
}

// sort sorts the rows by their place in their owner's list.
func (f *result) sort() {
	next := int32(0)
	for i := range f.spans {
		f.spans[i].from = next
		next += f.spans[i].n
	}
	skipped := int64(0)
	if f.plan != nil {
		skipped = int64(f.plan.Offset())
	}
	f.order = make([]int32, len(f.order))
	for row := range f.order {
		owner, _ := slices.BinarySearch(f.owners, f.cells.Int(row, ownerAt))
		f.order[int64(f.spans[owner].from)+f.cells.Int(row, placeAt)-skipped-1] = int32(row)
	}
}

// rows is how many there are.
func (f *result) rows() int {
	if f.cells == nil {
		return 0
	}
	return f.cells.Rows()
}

// of returns the rows of an owner. Callers must not change them.
func (f *result) of(id int64) (rows []int32, s span) {
	if i, found := slices.BinarySearch(f.owners, id); found {
		s = f.spans[i]
	}
	return f.order[s.from : s.from+s.n], s
}

// counting are the numbers of the first rows, for results of any size.
var counting = func() []int32 {
	all := make([]int32, 4096)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}()

// upTo returns the numbers of the first rows. Callers must not change them.
func upTo(rows int) []int32 {
	if rows <= len(counting) {
		return counting[:rows:rows]
	}
	all := make([]int32, rows)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
