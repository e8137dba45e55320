package doors_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// within is a test in another context.
type within struct {
	*testing.T
	ctx context.Context
}

// Context implements apptest.T.
func (w within) Context() context.Context { return w.ctx }

// work is what a server does without being asked, or in many transactions.
type work struct {
	name string
	// more gives it something to do, the n-th time.
	more func(t *testing.T, w *apptest.World, n int)
	do   func(t within, w *apptest.World) error
	// check checks what became of all, after n times.
	check func(t *testing.T, w *apptest.World, n int)
}

// Work whose database fails at any statement, or whose commit nobody hears of, is done
// whole by the next run: nothing is lost, torn or done twice. Each moment of each kind of
// work fails once.
func TestWorkWithFaults(t *testing.T) {
	for _, start := range []func() work{rebuilding, delivering, exporting, importing} {
		t.Run(start().name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, s *store.Store) {
				one, w := start(), apptest.New(t, s, apptest.Options{Development: true})
				w.LoadDemo(t, apptest.Acme, 60)
				n := 0
				for fired := true; fired; {
					n++
					one.more(t, w, n)
					fired = failingAt(t.Context(), n, func(ctx context.Context) { _ = one.do(within{t, ctx}, w) })
					w.Clock.Move(10 * time.Minute) // leases end
					if err := one.do(within{t, t.Context()}, w); err != nil {
						t.Fatalf("the run after moment %d failed: %v", n, err)
					}
				}
				one.check(t, w, n)
				w.RebuildNow(t, apptest.Acme)
				w.RebuildNow(t, apptest.Umbra)
				apptest.Sound(t, s, w.Clock)
				if t.Logf("%d moments failed", n-1); n < 6 {
					t.Errorf("only %d moments failed", n-1)
				}
			})
		})
	}
}

// failingAt runs f with a database that fails at the n-th moment, and reports whether
// there was one.
func failingAt(ctx context.Context, n int, f func(context.Context)) (fired bool) {
	var (
		mu   sync.Mutex
		seen int
	)
	f(store.WithFault(ctx, func(string) error {
		mu.Lock()
		defer mu.Unlock()
		if seen++; seen == n {
			fired = true
			return apptest.ErrFault
		}
		return nil
	}))
	mu.Lock()
	defer mu.Unlock()
	return fired
}

func rebuilding() work {
	return work{name: "a rebuild",
		more: func(t *testing.T, w *apptest.World, n int) {
			code, upline := fmt.Sprintf("A%d", 1040+n%15), []string{"A1000", "A1001"}[n%2]
			w.LeaveBehind(t, apptest.Acme)
			status, _, answer := w.As(apptest.Acme).REST(t, http.MethodPatch, "/teams/default/members/"+code, object{"membership": object{"directUpline": upline}, "initiator": "hr"})
			if status != http.StatusOK {
				t.Fatalf("move %s: %d %s", code, status, answer)
			}
		},
		do: func(t within, w *apptest.World) error {
			ctx := w.Context(t, apptest.Acme)
			team, err := w.App.Agency.Team(ctx, "default")
			if err == nil {
				_, err = w.Hierarchy.Rebuild(ctx, team)
			}
			return err
		},
		check: func(*testing.T, *apptest.World, int) {}, // the doctor compares with the periods
	}
}

// delivering counts what arrives: each event, and again only after an attempt whose record
// was lost.
func delivering() work {
	var (
		mu      sync.Mutex
		arrived = map[string]int{}
	)
	return work{name: "deliveries",
		more: func(t *testing.T, w *apptest.World, n int) {
			if n == 1 {
				receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					arrived[r.Header.Get("X-Webhook-Sequence")]++
				}))
				t.Cleanup(receiver.Close)
				w.As(apptest.Acme, allScopes...).Query(t, `mutation($url: String!) { webhookSubscriptionCreate(input: {url: $url, events: ["AgentUpdated"]}) { webhookSubscription { id } } }`,
					object{"url": receiver.URL})
			}
			w.Raise(t, apptest.Acme, events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated,
				events.AgentChange{AgentID: 1, AgentCode: "A1000", Operation: "agentUpdate", ChangedFields: []string{"email"}, Initiator: "hr"}))
		},
		do: func(t within, w *apptest.World) error {
			ctx := w.Context(t, apptest.Acme)
			if err := w.Webhooks.FanOut(ctx); err != nil {
				return err
			}
			all, err := w.Webhooks.Subscriptions(ctx, false, page.Args{})
			for _, sub := range all.Items {
				_, err = w.Webhooks.Drain(ctx, sub.ID, nil)
			}
			return err
		},
		check: func(t *testing.T, w *apptest.World, n int) {
			mu.Lock()
			defer mu.Unlock()
			again := 0
			for _, times := range arrived {
				again += times - 1
			}
			if t.Logf("%d events, %d came again", n, again); len(arrived) != n {
				t.Errorf("%d of %d events arrived", len(arrived), n)
			}
			var recorded int
			_, err := store.One(w.Context(t, apptest.Acme), w.Store, []any{&recorded}, "SELECT count(DISTINCT event_id) FROM webhook_delivery WHERE tenant_id = $1 AND is_successful",
				w.Tenants[apptest.Acme].ID)
			if err != nil || recorded != n {
				t.Errorf("%d of %d events are recorded as delivered: %v", recorded, n, err)
			}
		},
	}
}

// exporting looks into the files: whole, or failed and no file.
func exporting() work {
	var ids []string
	all := apptest.Export(`{ agents { nodes { agentCode firstName } } }`, "agents", "CSV")
	return work{name: "exports",
		more: func(t *testing.T, w *apptest.World, _ int) {
			ids = append(ids, apptest.AskExport(t, w.As(apptest.Acme), all))
		},
		do: func(t within, w *apptest.World) (err error) {
			for found := true; found && err == nil; {
				found, err = w.Exports.WorkNext(t.Context())
			}
			return err
		},
		check: func(t *testing.T, w *apptest.World, _ int) {
			c, failed := w.As(apptest.Acme), 0
			for _, id := range ids {
				state := apptest.At(c.Query(t, apptest.ExportState, object{"id": id}), "export")
				if status := apptest.At(state, "status"); status == "FAILED" {
					failed++
				} else if rows := strings.Count(apptest.Download(t, c, state).Body.String(), "\n"); status != "COMPLETED" || rows != 61 {
					t.Errorf("an export is %v, with %d lines: %v", status, rows, state)
				}
			}
			t.Logf("%d of %d exports failed", failed, len(ids))
		},
	}
}

// importing brings in a file of new agents each time, and again after the failure.
func importing() work {
	file := func(n int) string {
		text := "agentCode,firstName,lastName,status,startDate,teams.default.level\n"
		for i := range 5 {
			text += fmt.Sprintf("N%d-%d,Ana,Low,Active,2026-01-01,10\n", n, i)
		}
		return text
	}
	now := 0
	return work{name: "imports",
		more: func(_ *testing.T, _ *apptest.World, n int) { now = n },
		do: func(t within, w *apptest.World) error {
			c := w.WithToken(apptest.Acme, w.As(apptest.Acme).Token(t.T))
			r := c.Upload(t, fmt.Sprintf(bringIn, false), object{"entity": "AGENT", "initiator": "hr"}, file(now))
			if r.Errors != nil {
				return fmt.Errorf("%+v", r.Errors)
			}
			if p := apptest.At(r.Data, "bulkImport").(object); fmt.Sprintf("%v %v", p["acceptedCount"], p["rejectedCount"]) != "5 0" {
				return fmt.Errorf("%s", outcome(p))
			}
			return nil
		},
		check: func(t *testing.T, w *apptest.World, n int) {
			data := w.As(apptest.Acme).Query(t, `{ agents(first: 0) { totalCount } }`, nil)
			if got, want := fmt.Sprint(apptest.At(data, "agents.totalCount")), fmt.Sprint(60+5*n); got != want {
				t.Errorf("%s agents; want %s", got, want)
			}
		},
	}
}
