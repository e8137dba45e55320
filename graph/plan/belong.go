package plan

import (
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
)

// belong finds out whether all rows of a set belong to the single row of another set, by
// the id in a column of that set's own table.
func (s *set) belong(sets []*set) {
	if len(s.owners) != 1 || s.from.Objects != nil {
		return
	}
	owner := s.owners[0]
	above := sets[owner.set]
	if !above.single || above.from.Rows == nil {
		return
	}
	// A column of a joined table would have the joins written once more.
	name, own := strings.CutPrefix(above.columns[owner.at-len(above.lead)], "x.v")
	if n, err := strconv.Atoi(name); own && err == nil {
		s.above, s.ownID = above, above.inner[n]
	}
}

// findOwner returns a function that writes a query for the id of the row that the rows of
// a set belong to.
func (s *set) findOwner(r *Run) func(*store.SQL) string {
	return func(q *store.SQL) string {
		return "(" + q.Piece(func(q *store.SQL) {
			s.above.from.Rows(&Builder{SQL: q, Run: r}, s.ownID)
		}) + ")"
	}
}
