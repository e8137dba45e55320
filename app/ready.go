package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	// readyWithin bounds what a probe waits for the database.
	readyWithin = 2 * time.Second
	// readyKept is how long an answer is reused: probes must be no load.
	readyKept = time.Second
)

// health is the result of the last check.
type health struct {
	mu       sync.Mutex
	until    time.Time
	err      error
	migrated bool
	// asked is when the last probe came; draining is set when the server is about to end.
	asked    time.Time
	draining bool
}

// ready reports whether requests can be answered: the database is reachable and has all
// migrations.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	if err := a.checkHealth(r.Context()); err != nil {
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
func (a *App) Drain(ctx context.Context) {
	h := &a.health
	h.mu.Lock()
	h.draining = true
	isProbed := !h.asked.IsZero() && a.Clock.Now().Sub(h.asked) < probedWithin
	h.mu.Unlock()
	if !isProbed {
		return
	}
	select {
	case <-time.After(drainWithin):
	case <-ctx.Done():
	}
}

// checkHealth asks the database at most once a second.
func (a *App) checkHealth(ctx context.Context) error {
	h := &a.health
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = a.Clock.Now()
	if h.draining {
		return errDraining
	}
	if a.Clock.Now().Before(h.until) {
		return h.err
	}
	// A probe that gives up must not decide what the next probes learn.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWithin)
	defer cancel()
	h.err = a.askDatabase(ctx, h)
	if h.err != nil {
		a.Log.WarnContext(ctx, "not ready", slog.Any("error", h.err))
	}
	h.until = a.Clock.Now().Add(readyKept)
	return h.err
}

func (a *App) askDatabase(ctx context.Context, h *health) error {
	if err := a.Store.Ping(ctx); err != nil || h.migrated {
		return err // migrations do not become pending again
	}
	pending, err := a.Store.PendingMigrations(ctx)
	if err == nil && pending {
		err = errors.New("migrations are pending: run upline migrate")
	}
	h.migrated = err == nil
	return err
}
