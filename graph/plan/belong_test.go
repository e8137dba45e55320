package plan

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// Rows that were found with the one they belong to, but of another, are left out: it was
// deleted meanwhile, and one with the same key has come.
func TestRowsOfAnotherOwner(t *testing.T) {
	for _, c := range []struct {
		name   string
		owners []int64
		rows   int
	}{{"the same", []int64{7}, 1}, {"another", []int64{8}, 0}, {"none", nil, 0}} {
		cells := rowset.New(3)
		for _, v := range []int64{0, 7, 0} { // total, owner, place
			cells.AddInt(v)
		}
		f := result{cells: cells, owners: c.owners}
		f.leaveOthers()
		f.group()
		if rows, _ := f.of(7); f.rows() != c.rows || len(rows) != c.rows {
			t.Errorf("%s: %d rows, of the owner %d; want %d", c.name, f.rows(), len(rows), c.rows)
		}
	}
}
