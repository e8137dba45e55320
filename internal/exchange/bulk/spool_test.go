package bulk

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is kept of a sheet is read as it was, again and again, with what is wrong with its rows.
func TestSpooledRowsAreAsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []record
		s := new(spool)
		for n := range rapid.IntRange(0, 20).Draw(t, "rows") {
			r := record{number: n*rapid.IntRange(1, 300).Draw(t, "step") + 1, cells: rapid.SliceOfN(rapid.String(), 0, 5).Draw(t, "cells")}
			if len(all) > 0 {
				r.number += all[len(all)-1].number
			}
			if rapid.Bool().Draw(t, "wrong") {
				r.problems = refused("is wrong")
			}
			if all = append(all, r); !s.add(r) {
				t.Fatal("there is no room for a few rows")
			}
		}
		for range 2 {
			g := s.open()
			for _, want := range all {
				is, err := g.next()
				if err != nil || is.number != want.number || !slices.Equal(is.cells, want.cells) || len(is.problems) != len(want.problems) {
					t.Fatalf("read %v, %v; want %v", is, err, want)
				}
			}
			if _, err := g.next(); !errors.Is(err, io.EOF) {
				t.Fatalf("at the end: %v", err)
			}
		}
	})
	s := new(spool)
	if s.add(record{cells: []string{strings.Repeat("x", maxSpool)}}) {
		t.Error("more is kept than there is room for")
	}
}
