package bulkimport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

// Refusal is something that is wrong with some rows of a file.
type Refusal struct {
	// Problem is the problem of the first of these rows.
	Problem *problem.Error
	// Said is the problem in the words of the file.
	Said string
	// Rows is the number of rows with this problem, and First the line numbers of the
	// first ones.
	Rows  int
	First []int
}

const (
	// maxRefusals bounds the kinds of refusals that are counted.
	maxRefusals = 100
	// firstRows bounds the lines that a refusal names.
	firstRows = 5
)

// refusals counts what is wrong with rows, by field and message. After maxRefusals kinds,
// new kinds are not counted; the rows still report them.
type refusals struct {
	list  []*Refusal
	known map[string]*Refusal
}

func (s *refusals) add(row bulk.Result) {
	for _, p := range row.Problems {
		key := strings.Join(p.Field, ".") + "\x00" + p.Message
		r := s.known[key]
		if r == nil {
			if len(s.list) == maxRefusals {
				continue
			}
			if s.known == nil {
				s.known = map[string]*Refusal{}
			}
			r = &Refusal{Problem: p}
			s.list, s.known[key] = append(s.list, r), r
		}
		if r.Rows++; len(r.First) < firstRows && !slices.Contains(r.First, row.Number) { // a line may stand for several rows
			r.First = append(r.First, row.Number)
		}
	}
}

// all returns the refusals, the most frequent first.
func (s *refusals) all() []Refusal {
	all := make([]Refusal, len(s.list))
	for i, r := range s.list {
		all[i] = *r
	}
	slices.SortStableFunc(all, func(a, b Refusal) int { return cmp.Compare(b.Rows, a.Rows) })
	return all
}
