package admission

import (
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/words/clock"
)

// noteEvery is how often one reason is noted in the log.
const noteEvery = 10 * time.Second

// Notes says which of many refusals are worth a line in the log, so that a flood
// of requests is no flood of lines.
type Notes struct {
	clock clock.Clock

	mu   sync.Mutex
	last map[Reason]time.Time
	held map[Reason]int
}

// NewNotes returns notes that were not asked yet.
func NewNotes(c clock.Clock) *Notes {
	return &Notes{clock: c, last: map[Reason]time.Time{}, held: map[Reason]int{}}
}

// Due counts a refusal. due is true for the first of a reason and then once in
// ten seconds; count is then how many there were since the last one.
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
