package page

import "github.com/uplinehq/upline/internal/platform/store"

// Owners are the owners whose lists a statement reads.
type Owners struct {
	IDs []int64
	// One writes an expression for the id of the only owner, if that is not known yet
	// because the owner's own row is read in the same round trip.
	One func(s *store.SQL) string
}

// Single returns the expression of the id in a statement, if there is only one owner.
func (o Owners) Single(s *store.SQL) (id string, ok bool) {
	switch {
	case o.One != nil:
		return o.One(s), true
	case len(o.IDs) == 1:
		return s.Arg(o.IDs[0]), true
	}
	return "", false
}

// List returns the expression of the list of ids in a statement.
func (o Owners) List(s *store.SQL, q store.Querier) string {
	if o.One != nil {
		return "ARRAY[" + o.One(s) + "]"
	}
	return s.Arg(q.List(o.IDs))
}
