package bulkimport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/problem"
)

// Refusal is something that is wrong with some rows of a file.
type Refusal struct {
	// Problem is as the first of them has it.
	Problem *problem.Error
	// Rows is how many have it, and First the first of their lines.
	Rows  int
	First []int
}

const (
	// maxRefusals bounds the kinds of refusals that are counted.
	maxRefusals = 100
	// firstRows bounds the lines that a refusal names.
	firstRows = 5
)

// refusals counts what is wrong with rows, by field and message. What is no more of
// the first kinds is not counted: it is in the rows.
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
		if r.Rows++; len(r.First) < firstRows {
			r.First = append(r.First, row.Number)
		}
	}
}

// all are the refusals, the most frequent first.
func (s *refusals) all() []Refusal {
	all := make([]Refusal, len(s.list))
	for i, r := range s.list {
		all[i] = *r
	}
	slices.SortStableFunc(all, func(a, b Refusal) int { return cmp.Compare(b.Rows, a.Rows) })
	return all
}
