package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/platform/admission"
)

// turns are who of this process may do what only one transaction does at a time, such as
// changing the uplines of a team. Whoever comes second waits here, before its transaction,
// and not at the lock in the database, with a connection that nobody else has meanwhile.
type turns struct {
	mu sync.Mutex
	// waiting has the queue of each turn that is taken.
	waiting map[string][]chan struct{}
}

const (
	// mostWaiting bounds who waits for one turn.
	mostWaiting = 256
	// retryTurn is when to try again if there are so many.
	retryTurn = 2 * time.Second
)

// tookTurn ends a transaction that met another one's turn. InTx runs it again when that has
// ended.
type tookTurn struct{ name string }

func (e *tookTurn) Error() string { return "store: another transaction has the turn " + e.name }

// take takes a turn, unless another transaction has it.
func (t *turns) take(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, taken := t.waiting[name]; taken {
		return false
	}
	if t.waiting == nil {
		t.waiting = map[string][]chan struct{}{}
	}
	t.waiting[name] = nil
	return true
}

// wait takes a turn once those who came before have had it. Who waits takes no slot from
// those who work.
func (t *turns) wait(ctx context.Context, name string) error {
	if t.take(name) {
		return nil
	}
	admission.Leave(ctx)
	mine := make(chan struct{})
	t.mu.Lock()
	queue, taken := t.waiting[name]
	if !taken {
		t.waiting[name] = nil
		t.mu.Unlock()
		return nil
	}
	if len(queue) == mostWaiting {
		t.mu.Unlock()
		return &admission.Refusal{Reason: admission.NoConnection, After: retryTurn}
	}
	t.waiting[name] = append(queue, mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, other := range t.waiting[name] {
		if other == mine {
			t.waiting[name] = append(t.waiting[name][:i], t.waiting[name][i+1:]...)
			return ctx.Err()
		}
	}
	t.passOn(name) // it came at that moment
	return ctx.Err()
}

// end gives a turn to who waits for it.
func (t *turns) end(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passOn(name)
}

func (t *turns) passOn(name string) {
	if queue := t.waiting[name]; len(queue) > 0 {
		close(queue[0])
		t.waiting[name] = queue[1:]
		return
	}
	delete(t.waiting, name)
}

// Turn has the transaction wait for others of this process that do what only one does at a
// time, as Lock says of the uplines of a team. It returns an error if it must wait, with which
// the transaction ends; it is run again when its turn comes. It must be called before the lock
// itself, which keeps other processes out. SQLite has one writer at a time, who waits for no
// other.
func (t *Tx) Turn(name string) error {
	if !t.Postgres() || t.turn == name || t.settled {
		return nil
	}
	if t.turn == "" && t.store.turns.take(name) {
		t.turn = name
		return nil
	}
	if t.turn != "" { // whoever had one and waited for another could wait for somebody who waits for it
		return nil
	}
	return &tookTurn{name}
}

// inTurn runs a transaction, and runs it again when its turn comes if it met another one's.
func (s *Store) inTurn(ctx context.Context, run func(turn string) error) error {
	err := run("")
	var met *tookTurn
	for errors.As(err, &met) {
		if err := s.turns.wait(ctx, met.name); err != nil {
			return err
		}
		err = run(met.name)
	}
	return err
}
