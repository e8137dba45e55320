package admission

import (
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

// noteEvery is how often the log notes the same reason.
const noteEvery = 10 * time.Second

// Notes decides which of many refusals are worth a line in the log, so that a flood of
// requests does not flood the log.
type Notes struct {
	clock clock.Clock

	mu   sync.Mutex
	last map[Reason]time.Time
	held map[Reason]int
}

// NewNotes returns notes without any refusal yet.
func NewNotes(c clock.Clock) *Notes {
	return &Notes{clock: c, last: map[Reason]time.Time{}, held: map[Reason]int{}}
}

// Due counts a refusal. due is true for the first refusal of a reason, and then once in
// ten seconds; count is the number of refusals since the last time.
func (n *Notes) Due(r Reason) (count int, due bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock.Now()
	n.held[r]++
	if last, noted := n.last[r]; noted && now.Sub(last) < noteEvery {
		return 0, false
	}
	count = n.held[r]
	n.last[r], n.held[r] = now, 0
	return count, true
}
