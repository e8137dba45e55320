package authorization_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

var errKilled = errors.New("killed")

// killedAt returns a context in which everything fails from the nth moment on.
func killedAt(ctx context.Context, n int) context.Context {
	return store.WithFault(ctx, func(string) error {
		if n--; n < 0 {
			return errKilled
		}
		return nil
	})
}

// follower applies the events of a feed, as a receiver does.
type follower struct {
	after      *string
	authorized map[string]bool
	causes     map[string]int
}

func (f *follower) follow(t *rapid.T, w *world) {
	size := 100
	for {
		p, err := w.app.Events.Page(w.ctx, events.Filter{Types: []string{"SalesAuthorizationChanged"}}, page.Args{First: &size, After: f.after})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Items {
			var data struct {
				AgentCode, Product, Jurisdiction, Status string
				Reasons                                  []string
			}
			if err := json.Unmarshal(e.Data, &data); err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprint(data.AgentCode, " ", data.Product, " ", data.Jurisdiction)
			if is := data.Status == "AUTHORIZED"; is == f.authorized[key] || is == (len(data.Reasons) > 0) {
				t.Fatalf("told twice, or without a reason: %s", e.Data)
			}
			if f.authorized[key] = data.Status == "AUTHORIZED"; !f.authorized[key] {
				delete(f.authorized, key)
			}
			for _, r := range data.Reasons {
				f.causes[r]++
			}
			f.after = new(p.Cursor(e))
		}
		if !p.HasNext {
			return
		}
	}
}

// TestTold: whatever changes, days that pass and wherever the process is killed, the
// events of the watched product, applied one after the other, are the answer of now.
func TestTold(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		teller := authorization.NewTeller(w.store, w.app.Clock, w.app.Events)
		teller.Some, teller.Few = 3, 5 // so that everybody is several looks
		f := &follower{authorized: map[string]bool{}, causes: map[string]int{}}
		c := w.app.As("acme")
		agents, applied := 0, 0
		mutate := func(t *rapid.T, query string) {
			data, errs := c.GraphQL(t, "mutation { m: "+query+" { applied userErrors { code message field } } }", nil)
			if len(errs) > 0 {
				t.Fatalf("%s: %v", query, errs)
			}
			if apptest.At(data, "m.applied") == true {
				applied++
			}
		}
		c.Query(t, `mutation { productUpdate(input: {code: "P", isWatched: true}) { applied } productRuleApply(input: {product: "P", rule: "one", certificationTypes: ["LIFE"], effectiveFrom: "2026-01-01"}) { applied } }`, nil)
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(1, 6).Draw(t, "changes") {
				today := date.In(w.app.Clock.Now(), time.UTC)
				who := fmt.Sprint("T", rapid.IntRange(1, max(1, agents)).Draw(t, "agent"))
				period := fmt.Sprintf(`effectiveFrom: %q`, today.AddDays(rapid.IntRange(-5, 5).Draw(t, "from")))
				if rapid.Bool().Draw(t, "ends") {
					period += fmt.Sprintf(` effectiveThrough: %q`, today.AddDays(rapid.IntRange(6, 15).Draw(t, "through")))
				}
				switch rapid.IntRange(0, 9).Draw(t, "change") {
				case 0, 1:
					agents++
					upline := ""
					if agents > 1 {
						upline = fmt.Sprintf(`directUpline: "T%d"`, rapid.IntRange(1, agents-1).Draw(t, "upline"))
					}
					mutate(t, fmt.Sprintf(`agentRegister(input: {agentCode: "T%d", firstName: "T", lastName: "T", status: "Active", startDate: "2020-01-01T12:00:00Z", initiator: "x",
						teams: [{team: "default", membership: {level: %d %s}}]})`, agents, 10, upline))
				case 2, 3:
					mutate(t, fmt.Sprintf(`certificationUpsert(input: {agentCode: %q, type: "LIFE", jurisdiction: %q, isResidentCertification: true, isVerified: true, initiator: "x", status: %s, %s})`,
						who, rapid.SampledFrom(places).Draw(t, "place"), rapid.SampledFrom([]string{"ACTIVE", "ACTIVE", "SUSPENDED"}).Draw(t, "status"), period))
				case 4:
					mutate(t, fmt.Sprintf(`payStatusPeriodApply(input: {agentCode: %q, status: %q, initiator: "x", %s})`, who, rapid.SampledFrom([]string{"Active", "Terminated"}).Draw(t, "pay status"), period))
				case 5:
					mutate(t, fmt.Sprintf(`productRuleApply(input: {product: "P", rule: %q, certificationTypes: ["LIFE"], requiresActiveStatus: %t, uplineDepth: %d, initiator: "x", %s})`,
						rapid.SampledFrom([]string{"one", "two"}).Draw(t, "rule"), rapid.Bool().Draw(t, "active"), rapid.IntRange(0, 2).Draw(t, "depth"), period))
				case 6:
					mutate(t, fmt.Sprintf(`productUpdate(input: {code: "P", isWatched: true, name: "P%d", initiator: "x"})`, rapid.IntRange(0, 9).Draw(t, "name")))
				case 7:
					if rapid.IntRange(0, 3).Draw(t, "deletes") == 0 {
						mutate(t, fmt.Sprintf(`agentDelete(input: {agentCode: %q, initiator: "x"})`, who))
					}
				case 8:
					mutate(t, fmt.Sprintf(`uplinePeriodApply(input: {agentCode: %q, uplineAgentCode: "T%d", initiator: "x", %s})`, who, rapid.IntRange(1, max(1, agents)).Draw(t, "new upline"), period))
				case 9:
					w.app.Clock.Move(24 * time.Hour)
				}
				if rapid.Bool().Draw(t, "told meanwhile") {
					err := teller.Tell(killedAt(w.ctx, rapid.IntRange(0, 60).Draw(t, "killed at")))
					if err != nil && !errors.Is(err, errKilled) {
						t.Fatal(err)
					}
				}
			}
			if err := teller.Tell(w.ctx); err != nil {
				t.Fatal(err)
			}
			f.follow(t, w)
			var watched []string
			if found, err := store.One(w.ctx, w.store, []any{new(string)}, "SELECT code FROM agency_product WHERE is_watched AND tenant_id = (SELECT id FROM tenant WHERE identifier = 'acme')"); err != nil {
				t.Fatal(err)
			} else if found {
				watched = []string{"P"}
			}
			want := map[string]bool{}
			if watched != nil {
				status := authorization.Authorized
				for _, r := range w.ask(t, w.ctx, authorization.Question{Products: watched, Status: &status, AsOf: history.AsOf{Day: date.In(w.app.Clock.Now(), time.UTC)}}, 100) {
					want[fmt.Sprint(r.AgentCode, " ", r.Product, " ", r.Jurisdiction)] = true
				}
			}
			got, should := slices.Sorted(maps.Keys(f.authorized)), slices.Sorted(maps.Keys(want))
			if !slices.Equal(got, should) {
				t.Fatalf("told %s\nwant %s", strings.Join(got, ", "), strings.Join(should, ", "))
			}
		})
		t.Log(applied, "changes,", len(f.authorized), "authorized,", f.causes)
	})
}
