package demo

import (
	"math/rand/v2"

	"github.com/uplinehq/upline/internal/date"
)

// dice makes every choice of the generator. It uses no floating point, whose
// last bit differs between processors.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice {
	return dice{rand.New(rand.NewPCG(seed, 0x75706c696e65))}
}

// chance is true percent times in a hundred.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between returns a number from lo through hi.
func (d dice) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// day returns a day from lo through hi; ok is false when there is none.
func (d dice) day(lo, hi date.Date) (day date.Date, ok bool) {
	if lo > hi {
		return 0, false
	}
	return lo.AddDays(d.IntN(int(hi-lo) + 1)), true
}

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

// pickCommon prefers the front of the list, as names and towns do.
func pickCommon[T any](d dice, from []T) T {
	return from[min(d.IntN(len(from)), d.IntN(len(from)))]
}
