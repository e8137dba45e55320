package bulk

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

// names finds the column of a header or a property, by its name in small letters.
type names struct {
	columns []Column
	byName  map[string]int
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Header is the header of a column, or a property, that is not called like it.
type Header struct{ Name, Column string }

// newNames returns the names of columns, and those that headers adds.
func newNames(columns []Column, headers []Header) (names, error) {
	n := names{columns: columns, byName: make(map[string]int, len(columns)+len(headers))}
	for i, c := range columns {
		n.byName[fold(c.Name)] = i
	}
	added := make(map[string]int, len(headers))
	var twice, unknown bool
	for _, h := range headers {
		i, known := n.byName[fold(h.Column)]
		_, again := added[fold(h.Name)]
		twice, unknown = twice || again, unknown || !known
		added[fold(h.Name)] = i
	}
	var wrong problem.List
	if twice {
		wrong.Add(problem.Invalid(problem.DuplicateKey, "must not map a header twice; case, and blanks around it, tell no two apart", "headers"))
	}
	if unknown {
		wrong.Add(n.unknown("A header is mapped to a column that there is not", "headers"))
	}
	maps.Copy(n.byName, added)
	return n, wrong.Err()
}

// unknown says which names there are. It does not repeat the one that was given:
// the first row of a file without a header is data.
func (n names) unknown(message string, field ...string) *problem.Error {
	all := make([]string, len(n.columns))
	for i, c := range n.columns {
		all[i] = c.Name
	}
	return problem.Invalid(problem.UnknownField, message+". Columns are "+strings.Join(all, ", "), field...).With("columns", all)
}

// header returns the column of each cell of a header row.
func (n names) header(cells []string) ([]int, error) {
	columns := make([]int, len(cells))
	var unknown []string
	for i, cell := range cells {
		column, known := n.byName[fold(cell)]
		if !known {
			unknown = append(unknown, strconv.Itoa(i+1))
			continue
		}
		if first := slices.Index(columns[:i], column); first >= 0 && unknown == nil {
			return nil, problem.List{whole(problem.DuplicateKey, "The headers of the columns "+strconv.Itoa(first+1)+" and "+strconv.Itoa(i+1)+" mean the same")}
		}
		columns[i] = column
	}
	if unknown != nil {
		which := "The header of column " + unknown[0]
		if len(unknown) > 1 {
			which = "The headers of the columns " + strings.Join(unknown, ", ")
		}
		return nil, problem.List{n.unknown(which+" cannot be used: name it as a column, or map it", "file")}
	}
	return columns, nil
}
