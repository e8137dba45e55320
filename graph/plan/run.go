package plan

import (
	"context"
	"errors"
	"slices"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
)

// Run is one use of a plan.
type Run struct {
	Ctx context.Context
	// Variables are those of the operation, Args the arguments of the field.
	Variables, Args map[string]any
	// IDs are those of the objects of a plan of ByID.
	IDs      []int64
	TenantID int64
	// At is what everything is read as of.
	At    history.AsOf
	Store *store.Store

	found []result
	page  *pageOf
	once  map[any]any
	err   error
}

// Once returns what make returned for a key of the run the first time.
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

// ErrElsewhere says that the generated executor has to answer.
var ErrElsewhere = errors.New("plan: the executor answers")

// refused leaves a refusal to the executor, which tells it. Any other error stays: what
// the database could not be asked now, the executor would wait for in vain as well.
func refused(err error) error {
	if err != nil && problem.From(err) != nil {
		return errors.Join(ErrElsewhere, err)
	}
	return err
}

// Fail says that a value cannot be written here.
func (r *Run) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// result is what the statement of a set found.
type result struct {
	cells *store.Cells
	plan  *page.Query
	keys  []page.Key
	// keyAt is where the columns of the keys begin.
	keyAt int
	// owners are those whose rows these are, from the smallest id on; order are the rows of
	// each, one after the other, and spans where those of each are.
	owners []int64
	order  []int32
	spans  []span
	// objects are the rows of a source of objects.
	objects []any
	// list is what was asked for page by page, beyond the sizes of those lists of which
	// the page has no row.
	list   List
	beyond map[int64]int
}

// span is a piece of order, with how many rows the list of its owner has.
type span struct {
	from, n int32
	total   int
}

// JSON reads what a run asks for and appends it. ErrElsewhere leaves the answer to the
// executor.
func (p *Plan) JSON(b []byte, r *Run) ([]byte, error) {
	defer r.release()
	if err := p.readAll(r); err != nil {
		return b, err
	}
	b = p.write(b, r, 0)
	return b, r.failed()
}

func (p *Plan) readAll(r *Run) error {
	r.found = make([]result, len(p.sets))
	for depth := range p.depth + 1 {
		if err := p.read(r, depth); err != nil {
			return err
		}
	}
	return nil
}

// release gives the memory of what was found back.
func (r *Run) release() {
	for _, f := range r.found {
		if f.cells != nil {
			f.cells.Release()
		}
	}
}

// IsFailing reports whether Fail was called: whoever would wait for the database need not.
func (r *Run) IsFailing() bool { return r.err != nil }

// failed is what could not be written.
func (r *Run) failed() error {
	return refused(r.err)
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
			if err := r.gather(s); err != nil {
				return err
			}
			continue
		}
		one, err := s.statement(r, owners)
		if err != nil {
			return refused(err)
		}
		statements, sets = append(statements, one), append(sets, s)
	}
	if len(statements) == 0 || r.err != nil {
		return r.failed()
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

// trip is the round trip with which a set is read. SQLite has none, and reads what
// belongs to a row when there is one.
func (s *set) trip(r *Run) int {
	if s.above != nil && r.Store.Postgres() {
		return s.above.depth
	}
	return s.depth
}

// belongsTo returns those whose rows a set holds; nil for one without owners.
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

// leaveOthers leaves out rows of another than the one owner: in the moment between the two
// statements the row came, or went, or one with the same key took its place.
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

// sort puts the rows into their places, which say which row is which of an owner's.
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

// of returns the rows of an owner, which nobody changes.
func (f *result) of(id int64) (rows []int32, s span) {
	if i, found := slices.BinarySearch(f.owners, id); found {
		s = f.spans[i]
	}
	return f.order[s.from : s.from+s.n], s
}

// counting are the first rows of any result.
var counting = func() []int32 {
	all := make([]int32, 4096)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}()

// upTo returns so many rows, one after the other; nobody changes them.
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
