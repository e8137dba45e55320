package webhooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/internal/vault"
	"github.com/uplinehq/upline/internal/webhooks"
)

// What a child process is told by its environment.
const (
	childURL   = "UPLINE_TEST_WEBHOOKS_CHILD"       // its database
	childRound = "UPLINE_TEST_WEBHOOKS_CHILD_ROUND" // how often it was started before
	childPoint = "UPLINE_TEST_WEBHOOKS_CHILD_POINT" // where it kills itself, and when: "before the row 7"
)

// ahead is the machine's clock, some minutes fast: leases of a process that was
// killed are over for the next one.
type ahead time.Duration

// Now implements clock.Clock.
func (a ahead) Now() time.Time { return clock.System{}.Now().Add(time.Duration(a)) }

// ledgerService is the service of the ledger: its retries come at once, by the
// subscriptions' own policy.
func ledgerService(ctx context.Context, s *store.Store, round int) (*webhooks.Service, error) {
	now := ahead(time.Duration(round) * time.Minute)
	v, err := vault.New(bytes.Repeat([]byte{7}, 32), tenants.NewKeysets(s))
	if err != nil {
		return nil, err
	}
	return webhooks.New(webhooks.Config{Store: s, Clock: now, Vault: v, Feed: events.NewFeed(s), Find: tenants.NewDirectory(s, now).ByID,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})), Development: true, ApplySubscriptionRetryPolicy: true}), ctx.Err()
}

// serveChild is the other process of TestLedger. It does not return.
func serveChild(url string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
	}
	ctx := context.Background()
	s, err := store.Open(ctx, url)
	fail(err)
	round, err := strconv.Atoi(os.Getenv(childRound))
	fail(err)
	service, err := ledgerService(ctx, s, round)
	fail(err)
	killAt(service, os.Getenv(childPoint))
	service.Start(ctx)
	fail(service.Tick(ctx)) // as the job does when a process starts
	t, err := tenants.NewDirectory(s, clock.System{}).Find(ctx, "acme")
	fail(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	fmt.Println(listener.Addr())
	fail(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { write(w, r.WithContext(tenant.With(r.Context(), t)), s) })))
}

// killAt has the process kill itself when it passes a point for the nth time.
func killAt(s *webhooks.Service, at string) {
	var (
		passed atomic.Int32
		name   string
		n      int32
	)
	if i := bytes.LastIndexByte([]byte(at), ' '); i > 0 {
		name = at[:i]
		count, _ := strconv.Atoi(at[i+1:])
		n = int32(count)
	}
	s.SetPassed(func(point string) {
		if point == name && passed.Add(1) == n {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				os.Exit(1)
			}
			select {} // it is on its way
		}
	})
}

var errUndone = errors.New("undone")

// write is a change with events, about the agent of the query. It answers the
// ids of the events when they are committed. Some changes are undone at their
// end.
func write(w http.ResponseWriter, r *http.Request, s *store.Store) {
	ctx, agent, undone := r.Context(), r.URL.Query().Get("agent"), r.URL.Query().Has("undone")
	var ids []string
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		var all []events.Event
		for _, name := range []string{events.AgentUpdated, events.AgentTagsChanged}[:1+len(agent)%2] {
			all = append(all, events.AgentEvent(tenant.From(ctx), name, events.AgentChange{AgentCode: agent, Operation: r.URL.Query().Get("n")}))
		}
		err := events.WriteAll(ctx, tx, clock.System{}.Now(), all)
		if err == nil {
			ids, err = store.Collect(ctx, tx, store.ScanOne[string], "SELECT e.id FROM outbox_event e WHERE e.tenant_id = $1 AND e.agent_code = $2 ORDER BY e.written DESC LIMIT 2",
				tenant.From(ctx).ID, agent)
			ids = ids[:min(len(ids), len(all))]
		}
		if undone {
			err = errors.Join(err, errUndone)
		}
		return err
	})
	switch {
	case undone && errors.Is(err, errUndone):
		ids = nil
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(ids)
}
