package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/resttest"
)

// fakeReveals keeps what was recorded.
type fakeReveals struct {
	recorded []audit.Shown
	origins  []audit.Origin
	err      error
}

func (f *fakeReveals) RevealShown(ctx context.Context, shown audit.Shown) error {
	f.recorded, f.origins = append(f.recorded, shown), append(f.origins, audit.OriginFrom(ctx))
	return f.err
}

// revealing is an executor whose answers show a sensitive value.
type revealing struct{ *resttest.Fake }

func (f revealing) Execute(ctx context.Context, document, name string, variables map[string]any) *graphql.Response {
	*audit.Held(ctx) = audit.Shown{Operation: name, Entries: []audit.Entry{{EntityType: "Agent", EntityKeys: []string{"A1"}}}}
	return f.Fake.Execute(ctx, document, name, variables)
}

// newRevealingBench has a tenant that masks when it is told to.
func newRevealingBench(t *testing.T, masks *bool) *bench {
	return newBench(t, func(c *Config) {
		c.Executor = revealing{c.Executor.(*resttest.Fake)}
		c.Authorize = func(r *http.Request, _ *string) (context.Context, error) {
			ctx := tenant.With(context.WithValue(r.Context(), traceKey{}, "trace-1"), &tenant.Tenant{ID: 1, MaskSensitive: *masks})
			return tenant.WithCaller(ctx, tenant.Caller{Subject: "hr", Scopes: r.Header["Scope"]}), nil
		}
	})
}

// "Each request that returns full values writes one audit entry" (issue of the
// trail): one that returns none, a HEAD or a 304, writes none.
func TestOnlyWhatGoesOutIsRecorded(t *testing.T) {
	b := newRevealingBench(t, new(bool))
	b.Data(`{"payStatus":` + tagOne + `}`)
	first := b.call(http.MethodGet, "/pay-statuses/Gold", "")
	if first.Code != 200 || len(b.reveals.recorded) != 1 || b.reveals.recorded[0].Operation != "PayStatus" {
		t.Fatalf("GET: %d, recorded %v", first.Code, b.reveals.recorded)
	}
	if o := b.reveals.origins[0]; o.Surface != audit.REST || o.TraceID != "trace-1" {
		t.Errorf("recorded with %+v", o)
	}
	if w := b.call(http.MethodGet, "/pay-statuses/Gold", "", "If-None-Match", first.Header().Get("ETag")); w.Code != 304 || len(b.reveals.recorded) != 1 {
		t.Errorf("304: %d, %d recorded", w.Code, len(b.reveals.recorded))
	}
	if w := b.call(http.MethodHead, "/pay-statuses/Gold", ""); w.Code != 200 || len(b.reveals.recorded) != 1 {
		t.Errorf("HEAD: %d, %d recorded", w.Code, len(b.reveals.recorded))
	}
	b.Data(`{"payStatusPeriodApply":{"_":null,"changes":null,"applied":false,"userErrors":[]}}`)
	if w := b.call(http.MethodPost, "/payees/assigned-statuses?dryRun=true", period); w.Code != 200 || len(b.reveals.recorded) != 1 {
		t.Errorf("a preview: %d, %d recorded", w.Code, len(b.reveals.recorded))
	}
}

// Without the entry there is no answer.
func TestWhatIsNotRecordedIsNotAnswered(t *testing.T) {
	b := newRevealingBench(t, new(bool))
	b.reveals.err = errors.New("no database")
	b.Data(`{"payStatus":` + tagOne + `}`)
	if w := b.call(http.MethodGet, "/pay-statuses/Gold", ""); w.Code != 500 || strings.Contains(w.Body.String(), "Gold") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A replayed answer shows its values again: it leaves an entry of its own, and is
// refused to whom the tenant would show masks by now.
func TestReplaysAreRecorded(t *testing.T) {
	masks := false
	b := newRevealingBench(t, &masks)
	b.Data(createdReply)
	for n := 1; n <= 2; n++ {
		w := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", "k1")
		if w.Code != 201 || len(b.reveals.recorded) != n || b.reveals.recorded[n-1].Operation != "PayStatusCreate" {
			t.Fatalf("%d, recorded %v", w.Code, b.reveals.recorded)
		}
	}
	masks = true
	if w := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", "k1"); w.Code != 403 || strings.Contains(w.Body.String(), "Gold") || len(b.reveals.recorded) != 2 {
		t.Errorf("with masks: %d %s", w.Code, w.Body)
	}
	if w := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", "k1", "Scope", "read:agents:sensitive"); w.Code != 201 || len(b.reveals.recorded) != 3 {
		t.Errorf("with the scope: %d %s", w.Code, w.Body)
	}
	if b.Calls != 1 {
		t.Errorf("%d operations ran", b.Calls)
	}
}
