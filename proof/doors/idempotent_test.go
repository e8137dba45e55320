package doors_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

const newAgent = `{"firstName":"Ana","lastName":"%s","status":"Active","governmentIdentifier":"900-12-3456","teams":{"default":{"level":10}},"initiator":"hr"}`

func count(t *testing.T, w *apptest.World, table string) (n int) {
	t.Helper()
	if _, err := store.One(t.Context(), dbtest.Owner(t, w.Store), []any{&n}, "SELECT count(*) FROM "+table); err != nil {
		t.Fatal(err)
	}
	return n
}

// A newAgent, which is "not idempotent: each call creates a new agent", is
// repeated with its key: one agent, and the first answer byte for byte.
func TestRepeatedRegistration(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c, body := withToken(t, w), fmt.Sprintf(newAgent, "Diaz")
		status, h, first := send(t, c, "POST", "/agents", body, "Idempotency-Key", "k1")
		if status != 201 || h.Get("Idempotency-Replayed") != "" {
			t.Fatalf("%d %s", status, first)
		}
		w.Clock.Move(23 * time.Hour)
		c = withToken(t, w)
		again, g, second := send(t, c, "POST", "/agents", body, "Idempotency-Key", "k1")
		if again != 201 || second != first || g.Get("Location") != h.Get("Location") || g.Get("ETag") != h.Get("ETag") || g.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the replay: %d %v %s", again, g, second)
		}
		if n := count(t, w, "agency_agent"); n != 1 {
			t.Errorf("there are %d agents", n)
		}
		// The answer shows what its token could see; so must the next one.
		if status, _, answer := send(t, withToken(t, w, "read:agents"), "POST", "/agents", body, "Idempotency-Key", "k1"); status != 403 || strings.Contains(answer, "900-12-3456") {
			t.Errorf("a token without write:agents: %d %s", status, answer)
		}
		if status, _, _ := send(t, c, "POST", "/agents", fmt.Sprintf(newAgent, "Doe"), "Idempotency-Key", "k1"); status != 422 {
			t.Errorf("another request with the key: %d", status)
		}
		if logged := w.Logged(); strings.Contains(logged, "900-12-3456") || strings.Contains(logged, `"ERROR"`) {
			t.Error("the log holds the identifier, or an error")
		}
	})
}

// Refused requests and previews leave no key behind.
func TestOnlyChangesKeepTheirKey(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 3)
		c := withToken(t, w)
		const status = `{"agentCode":"A1001","status":"%s","effectiveFrom":"2026-06-01","initiator":"hr"}`
		for _, r := range []struct {
			path, body string
			want       int
		}{
			{"/payees/assigned-statuses", fmt.Sprintf(status, "Unheard"), 400},
			{"/payees/assigned-statuses", strings.Replace(fmt.Sprintf(status, "Active"), "A1001", "A9999", 1), 404},
			{"/payees/assigned-statuses?dryRun=true", fmt.Sprintf(status, "On Hold"), 200},
		} {
			if got, _, answer := send(t, c, "POST", r.path, r.body, "Idempotency-Key", "k1"); got != r.want {
				t.Errorf("%s: %d %s", r.body, got, answer)
			}
		}
		if n := count(t, w, "idempotent_request"); n != 0 {
			t.Errorf("%d keys are kept", n)
		}
		for _, want := range []int{201, 201} {
			if got, _, answer := send(t, c, "POST", "/payees/assigned-statuses", fmt.Sprintf(status, "On Hold"), "Idempotency-Key", "k1"); got != want {
				t.Errorf("%d %s, not %d", got, answer, want)
			}
		}
		// Without the key it is found to be there already.
		if got, _, _ := send(t, c, "POST", "/payees/assigned-statuses", fmt.Sprintf(status, "On Hold")); got != 200 {
			t.Errorf("the same period again: %d", got)
		}
	})
}

// Many requests at once with one key make one change. Each gets its answer, or is
// told to come back.
func TestConcurrentRequestsWithOneKey(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c, body := withToken(t, w), fmt.Sprintf(newAgent, "Diaz")
		var mu sync.Mutex
		answers := map[string]int{}
		var all sync.WaitGroup
		for range 24 {
			all.Go(func() {
				status, h, answer := send(t, c, "POST", "/agents", body, "Idempotency-Key", "k1")
				if status == http.StatusConflict {
					if !strings.Contains(answer, "IDEMPOTENCY_IN_PROGRESS") || h.Get("Retry-After") != "1" {
						t.Errorf("refused: %s", answer)
					}
					answer = ""
				} else if status != 201 {
					t.Errorf("%d %s", status, answer)
				}
				mu.Lock()
				defer mu.Unlock()
				answers[answer]++
			})
		}
		all.Wait()
		delete(answers, "")
		if n := count(t, w, "agency_agent"); n != 1 || len(answers) != 1 {
			t.Errorf("%d agents, %d different answers", n, len(answers))
		}
	})
}

// A process that dies between the commit and the answer leaves the key without
// one: the change is not made again, and its sender is told so.
func TestAnswerLostAfterTheCommit(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c, body := withToken(t, w), fmt.Sprintf(newAgent, "Diaz")
		if status, _, answer := send(t, c, "POST", "/agents", body, "Idempotency-Key", "k1"); status != 201 {
			t.Fatalf("%d %s", status, answer)
		}
		if err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE idempotent_request SET status = NULL, response = NULL")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_ANSWER_LOST"} {
			status, _, answer := send(t, c, "POST", "/agents", body, "Idempotency-Key", "k1")
			if status != http.StatusConflict || !strings.Contains(answer, want) {
				t.Errorf("%d %s, not %s", status, answer, want)
			}
			w.Clock.Move(31 * time.Second)
		}
		if n := count(t, w, "agency_agent"); n != 1 {
			t.Errorf("there are %d agents", n)
		}
	})
}
