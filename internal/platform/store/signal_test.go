package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A signal is heard once for each commit, by those who listen to it, and never
// of a transaction that was rolled back.
func TestSignals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		var heard, other []int64
		s.Listen("a", func(id int64) { heard = append(heard, id) })
		s.Listen("b", func(id int64) { other = append(other, id) })
		boom := errors.New("boom")
		for id, fail := range []error{nil, boom, nil} {
			err := s.InTx(t.Context(), func(_ context.Context, tx *store.Tx) error {
				tx.Signal("a", int64(id))
				if len(heard) > id {
					t.Error("a signal was heard before the commit")
				}
				return fail
			})
			if !errors.Is(err, fail) {
				t.Fatal(err)
			}
		}
		if !slices.Equal(heard, []int64{0, 2}) || other != nil {
			t.Errorf("heard %v and %v", heard, other)
		}
	})
}
