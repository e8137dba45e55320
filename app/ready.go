package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
)

const (
	// readyWithin bounds what a probe waits for the database.
	readyWithin = 2 * time.Second
	// readyKept is how long an answer is reused: probes must be no load.
	readyKept = time.Second
)

// Health tells probes whether requests can be answered, by the last check.
type Health struct {
	store *store.Store
	clock clock.Clock
	log   *slog.Logger

	mu       sync.Mutex
	until    time.Time
	err      error
	migrated bool
	// asked is when the last probe came; draining is set when the server is about to end.
	asked    time.Time
	draining bool
}

// ServeHTTP reports whether requests can be answered: the database is reachable and has all
// migrations.
func (h *Health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.check(r.Context()); err != nil {
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

const (
	// drainWithin is how long a server announces its end before it ends.
	drainWithin = 5 * time.Second
	// probedWithin is the time without a probe after which Drain takes it that nobody
	// probes.
	probedWithin = time.Minute
)

var errDraining = errors.New("the server is about to end")

// Drain tells probes that the server is not ready any more, and returns when they have
// had time to learn it. Until then requests are served as before. It returns at once when
// nobody probes.
func (h *Health) Drain(ctx context.Context) {
	h.mu.Lock()
	h.draining = true
	isProbed := !h.asked.IsZero() && h.clock.Now().Sub(h.asked) < probedWithin
	h.mu.Unlock()
	if !isProbed {
		return
	}
	select {
	case <-time.After(drainWithin):
	case <-ctx.Done():
	}
}

// check asks the database at most once a second.
func (h *Health) check(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = h.clock.Now()
	if h.draining {
		return errDraining
	}
	if h.clock.Now().Before(h.until) {
		return h.err
	}
	// A probe that gives up must not decide what the next probes learn.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWithin)
	defer cancel()
	h.err = h.askDatabase(ctx)
	if h.err != nil {
		h.log.WarnContext(ctx, "not ready", slog.Any("error", h.err))
	}
	h.until = h.clock.Now().Add(readyKept)
	return h.err
}

func (h *Health) askDatabase(ctx context.Context) error {
	if err := h.store.Ping(ctx); err != nil || h.migrated {
		return err // migrations do not become pending again
	}
	pending, err := h.store.PendingMigrations(ctx)
	if err == nil && pending {
		err = errors.New("migrations are pending: run upline migrate")
	}
	h.migrated = err == nil
	return err
}
