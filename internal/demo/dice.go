package demo

import (
	"fmt"
	"math/rand/v2"

	"github.com/uplinehq/upline/internal/date"
)

// dice makes every choice of the generator. It uses no floating point, whose
// last bit differs between processors.
type dice struct{ *rand.Rand }

// Each part has dice of its own: one that is added, or draws differently, leaves
// the agents of a seed as they were.
const agentDice, payeeDice, salesDice = 0x75706c696e65, 0x706179656573, 0x73616c6573

func newDice(seed, part uint64) dice {
	return dice{rand.New(rand.NewPCG(seed, part))}
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

// digits returns a number of so many digits, at most 18.
func (d dice) digits(n int) string {
	limit := uint64(1)
	for range n {
		limit *= 10
	}
	return fmt.Sprintf("%0*d", n, d.Uint64N(limit))
}

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

// pickCommon prefers the front of the list, as names and towns do.
func pickCommon[T any](d dice, from []T) T {
	return from[min(d.IntN(len(from)), d.IntN(len(from)))]
}
