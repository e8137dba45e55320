package store_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Commissions that were taken back can outweigh those that were paid, and large amounts add
// up to more than an integer holds.
func TestSum(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		largest := int64(math.MaxInt64)
		for _, test := range []struct {
			amounts []int64
			want    string
		}{
			{[]int64{5, -20}, "-15"},
			{[]int64{-1_500_000_000, 400_000_000}, "-1100000000"},
			{[]int64{1_000_000_000, -1}, "999999999"},
			{[]int64{0}, "0"},
			{[]int64{largest, largest}, "18446744073709551614"},
			{[]int64{largest, -900_000_000}, "9223372035954775807"}, // the lower digits below zero
			{[]int64{-largest, -largest, 3}, "-18446744073709551611"},
			{nil, "none"},
		} {
			query, args := "SELECT coalesce(CAST("+store.Sum(s.Postgres(), "v.amount")+" AS text), 'none') FROM (SELECT CAST($1 AS bigint) AS amount WHERE false", []any{0}
			for _, amount := range test.amounts {
				args = append(args, amount)
				query += " UNION ALL SELECT $" + string(rune('0'+len(args)))
			}
			var got string
			if _, err := store.One(t.Context(), s, []any{&got}, query+") v", args...); err != nil {
				t.Fatal(err)
			}
			if number, ok := new(big.Int).SetString(got, 10); ok {
				got = number.String()
			}
			if got != test.want {
				t.Errorf("%d add up to %s, want %s", test.amounts, got, test.want)
			}
		}
	})
}
