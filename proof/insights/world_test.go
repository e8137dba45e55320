package insights_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// world is an agency with the starter reference data, the provider companies
// ACO and BCO, and the agents A, below it B, below that C, and D beside A. It is
// noon of June 15, 2026, UTC.
type world struct {
	*insights.Service
	*recorder
	app        *apptest.World
	store      *store.Store
	ctx, other context.Context
}

// recorder is the service of the facts, beside that of the queries.
type recorder = facts.Service

var today = date.Of(2026, time.June, 15)

// onEach runs a test on every database.
func onEach(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		a := apptest.New(t, s, apptest.Options{})
		w := &world{Service: a.Insights, recorder: a.Facts, app: a, store: s, ctx: a.Context(t, apptest.Acme), other: a.Context(t, apptest.Umbra)}
		c := a.As(apptest.Acme)
		for _, code := range []string{"ACO", "BCO"} {
			c.Query(t, fmt.Sprintf(`mutation { providerCompanyUpsert(input: {code: %q, name: %q, initiator: "hr"}) { applied } }`, code, code), nil)
		}
		w.register(t, "A", "")
		w.register(t, "B", "A")
		w.register(t, "C", "B")
		w.register(t, "D", "")
		f(t, w)
	})
}

// register adds an agent of 2020.
func (w *world) register(t *testing.T, code, upline string) {
	t.Helper()
	body := map[string]any{"agentCode": code, "firstName": "Ann", "lastName": code, "status": "Active", "startDate": "2020-01-01T12:00:00Z", "initiator": "hr",
		"teams": map[string]any{"default": map[string]any{"level": 10, "directUpline": upline}}}
	if upline == "" {
		body["teams"] = map[string]any{"default": map[string]any{"level": 10}}
	}
	if status, _, answer := w.app.As(apptest.Acme).REST(t, "POST", "/agents", body); status != 201 {
		t.Fatalf("register %s: %d %s", code, status, answer)
	}
}

func (w *world) delete(code string) error {
	_, err := w.app.Agency.DeleteAgent(w.ctx, code, nil, "hr")
	return err
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
	}
}

func must[T any](t interface {
	Helper()
	Fatal(args ...any)
}) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// refusals are the codes of problems with their fields.
func refusals(list problem.List) (all []string) {
	for _, p := range list {
		all = append(all, fmt.Sprint(p.Code, p.Field))
	}
	return all
}

func ptr[T any](v T) *T { return &v }
