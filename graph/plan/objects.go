package plan

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// Objects are rows that Go code makes, by the id of their owner; without owners the id is
// 0.
type Objects map[int64][]any

// Each turns what was read for several owners into Objects.
func Each[T any](byOwner map[int64][]T) Objects {
	objects := make(Objects, len(byOwner))
	for owner, all := range byOwner {
		list := make([]any, len(all))
		for i, one := range all {
			list[i] = one
		}
		objects[owner] = list
	}
	return objects
}

// Of writes an object.
func Of[T any](write func(b []byte, r *Run, v T) []byte) Field {
	return func(_ *Compiler, at *Place, _ *ast.Field) Write {
		n := at.set.n
		return func(b []byte, r *Run, row int) []byte { return write(b, r, r.found[n].objects[row].(T)) }
	}
}

// Object returns the object of a row.
func Object[T any](at *Place, r *Run, row int) T { return r.found[at.set.n].objects[row].(T) }

// Number is a column with a number of each object; 0 stands for no number.
func Number[T any](at *Place, of func(T) int64) Column {
	s := at.set
	s.numbers = append(s.numbers, func(v any) int64 { return of(v.(T)) })
	return Column{s.n, len(s.lead) + len(s.numbers) - 1}
}

// gather keeps the objects of a set.
func (r *Run) gather(s *set) error {
	owners := r.found[s.n].owners
	byOwner, err := s.from.Objects(r, owners)
	if err != nil {
		return err
	}
	if owners == nil {
		owners = []int64{0}
	}
	f := &r.found[s.n]
	f.owners = owners
	f.cells = rowset.New(len(s.lead) + len(s.numbers))
	for _, owner := range owners {
		for i, object := range byOwner[owner] {
			f.objects = append(f.objects, object)
			f.cells.AddInt(0)
			f.cells.AddInt(owner)
			f.cells.AddInt(int64(i) + 1)
			for _, number := range s.numbers {
				if n := number(object); n != 0 {
					f.cells.AddInt(n)
				} else {
					f.cells.AddNull()
				}
			}
		}
	}
	f.group()
	return nil
}
