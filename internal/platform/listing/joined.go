package listing

import (
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Joined says what the rows of a list are joined from, and what is known of it. How a
// statement joins them is chosen here (Rows.Join), and nowhere else.
type Joined struct {
	TenantID int64
	// Tables stand in a line, each joined to the one before it. Each row of the list has
	// one row of every table.
	Tables []Table
	// Where writes the conditions, each with AND before it.
	Where func(s *store.SQL)
	// Ranges writes more conditions, of which an index of Indexed has the order,
	// and what that index demands if rows may be found by it; nil for none. SQLite would otherwise
	// read a range of the agency's rows for each row of the table before.
	Ranges func(s *store.SQL, byIndex bool)
	// Few is the alias of the table of which few rows meet the conditions, whatever their values;
	// empty if there is none.
	Few string
	// InOrder writes conditions that every row meets, and that the index by the first sort
	// key demands if that is a column of Indexed. Without it, no index has their order.
	InOrder func(s *store.SQL, first page.Key)
	// Indexed is the alias of the table that InOrder is about.
	Indexed string
}

// Table is a table of a list, with a tenant_id. Its alias is one letter.
type Table struct {
	Name, Alias string
	// On is the condition that joins it to the one before it, tenants aside.
	On string
}

// Join completes a list of joined rows. A list of which few rows are wanted begins with the
// table that says which. Others are read in the order of an index, beginning with the table
// that has the first sort key. SQLite is told so, since it would begin with any index that
// has some condition, and sort what it finds. PostgreSQL finds out.
func (l Rows) Join(j Joined) Rows {
	first := j.position(aliasOf(l.Keys[0].SQL))
	isIndexed := j.Tables[first].Alias == j.Indexed
	l.From = func(s *store.SQL) {
		j.join(s, first, " JOIN ")
		j.where(s, true)
	}
	l.Counted = j.counted
	if l.Store.Postgres() && j.Few == "" {
		l.Each = l.From
	}
	if j.Few != "" {
		if !l.Store.Postgres() {
			l.Keys, l.Whole, l.Counted = hidden(l.Keys, j.Few), j.few, j.few
		}
		return l
	}
	if isIndexed && j.InOrder == nil {
		return l
	}
	keyword := " JOIN "
	if !l.Store.Postgres() {
		keyword = asWritten
		l.Keys = hidden(l.Keys, j.Tables[first].Alias)
	}
	l.Whole = func(s *store.SQL) {
		j.join(s, first, keyword)
		if isIndexed {
			j.InOrder(s, l.Keys[0])
			if !l.Store.Postgres() {
				s.Write(" AND " + l.Keys[0].SQL + " >= ''") // or SQLite reads an index that begins with another condition, and sorts
			}
		}
		j.where(s, isIndexed || l.Store.Postgres())
	}
	return l
}

// asWritten joins tables for SQLite, which keeps to the order in which they are written then.
const asWritten = " CROSS JOIN "

// few writes the rows for SQLite, beginning with the table of which few rows are wanted.
func (j Joined) few(s *store.SQL) {
	j.join(s, j.position(j.Few), asWritten)
	j.where(s, j.Few == j.Indexed)
}

func (j Joined) where(s *store.SQL, byIndex bool) {
	if j.Where(s); j.Ranges != nil {
		j.Ranges(s, byIndex)
	}
}

// hidden hides the keys of all tables but one from SQLite, which would read those tables
// in the order of their indexes for each row of the first. The few rows of it are sorted.
func hidden(keys []page.Key, shown string) []page.Key {
	keys = slices.Clone(keys)
	for i, k := range keys {
		if aliasOf(k.SQL) != shown {
			keys[i].SQL = "+" + k.SQL
		}
	}
	return keys
}

// aliasOf returns the alias of the first column in an expression.
func aliasOf(expression string) string {
	dot := strings.IndexByte(expression, '.')
	return expression[dot-1 : dot]
}

func (j Joined) position(alias string) int {
	return slices.IndexFunc(j.Tables, func(t Table) bool { return t.Alias == alias })
}

// join writes the tables and how they are joined, beginning with one of them.
func (j Joined) join(s *store.SQL, first int, keyword string) {
	s.Write(j.Tables[first].Name + " " + j.Tables[first].Alias)
	for i := first - 1; i >= 0; i-- {
		s.Write(keyword + j.on(i, i+1))
	}
	for i := first + 1; i < len(j.Tables); i++ {
		s.Write(keyword + j.on(i, i))
	}
	s.Write(" WHERE "+j.Tables[first].Alias+".tenant_id = ?", j.TenantID)
}

// on names a table and joins it by the condition of itself, or of the one after it.
func (j Joined) on(i, by int) string {
	t, before := j.Tables[i], j.Tables[by-1]
	condition := j.Tables[by]
	return t.Name + " " + t.Alias + " ON " + condition.Alias + ".tenant_id = " + before.Alias + ".tenant_id AND " + condition.On
}

// counted writes what is enough to count the rows: the tables that conditions name, and
// those between them.
func (j Joined) counted(s *store.SQL) {
	where := s.Piece(func(s *store.SQL) { j.where(s, true) })
	var named []int
	for i, t := range j.Tables {
		if strings.Contains(where, " "+t.Alias+".") || t.Alias == j.Indexed {
			named = append(named, i)
		}
	}
	j.Tables = j.Tables[named[0] : named[len(named)-1]+1]
	j.join(s, len(j.Tables)-1, " JOIN ")
	s.Write(where)
}
