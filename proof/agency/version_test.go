package agency_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
)

// The stamp of a change is later than that of the one before, on a clock that
// stands still and on one that is behind that of another process: lastModified
// is the version of a record, and no version comes twice.
func TestVersionsNeverRepeat(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		_, err := w.CreatePayStatus(w.ctx, reference.PayStatusInput{Name: patch.Set("Gold"), IsActive: patch.Set(true), Initiator: "x"})
		w.must(nil, err)
		certified, err := w.UpsertCertification(w.ctx, certification.Upsert{AgentCode: "A1", Type: "HEALTH", Jurisdiction: new("US-TX"), Initiator: "x"}, false)
		w.must(certified, err)
		stamps := map[string]string{
			"agent":         "SELECT last_modified FROM agency_agent WHERE code = 'A1'",
			"certification": "SELECT last_modified FROM agency_certification",
			"pay status":    "SELECT last_modified FROM agency_pay_status WHERE name = 'Gold'",
		}
		last := map[string]time.Time{}
		for i := range 6 {
			if i == 3 {
				w.clock.Move(-time.Hour)
			}
			_, err := w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{NPN: patch.Set(fmt.Sprint(i))}, Initiator: "x"})
			w.must(nil, err)
			_, err = w.UpdateCertification(w.ctx, certified.ID, certification.Update{Details: certification.Details{Note: patch.Set(fmt.Sprint(i))}, Initiator: "x"}, false)
			w.must(nil, err)
			_, _, err = w.UpdatePayStatus(w.ctx, "Gold", reference.PayStatusInput{SortOrder: patch.Set(i + 100), Initiator: "x"})
			w.must(nil, err)
			for what, query := range stamps {
				var at time.Time
				if found, err := store.One(w.ctx, w.store, []any{&at}, query); err != nil || !found {
					t.Fatalf("%s: %v", what, err)
				}
				if !at.After(last[what]) {
					t.Errorf("the %s has the version %v after %v", what, at, last[what])
				}
				last[what] = at
			}
		}
	})
}

// "If-Match" names the record of the path: of a certification its own version
// counts, not that of the agent who holds it, and the other way round. A change
// that checks nothing is not made.
func TestExpectedVersionIsThatOfTheRecord(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		certified, err := w.UpsertCertification(w.ctx, certification.Upsert{AgentCode: "A1", Type: "HEALTH", Jurisdiction: new("US-TX"), Initiator: "x"}, false)
		w.must(certified, err)
		_, err = w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{NPN: patch.Set("1")}, Initiator: "x"})
		w.must(nil, err)
		var changed time.Time
		_, err = store.One(w.ctx, w.store, []any{&changed}, "SELECT last_modified FROM agency_certification")
		w.must(nil, err)
		tag := []string{version.Of(w.agent("A1").LastModified)}
		ofAgent := version.Expect(w.ctx, tag)
		ofCertification := version.Expect(w.ctx, []string{version.Of(changed)})
		update := func(ctx context.Context, dryRun bool) error {
			_, err := w.UpdateCertification(ctx, certified.ID, certification.Update{Details: certification.Details{Note: patch.Set("n")}, Initiator: "x"}, dryRun)
			return err
		}
		w.unchanged(func() {
			if err := update(ofAgent, false); !problem.Has(err, problem.PreconditionFailed) {
				t.Errorf("a certification by its agent's version: %v", err)
			}
			if err := update(ofAgent, true); !problem.Has(err, problem.PreconditionFailed) {
				t.Errorf("the dry run of it: %v", err)
			}
			if _, err := w.UpdateAgent(ofCertification, "A1", agency.AgentUpdate{Details: agency.Details{NPN: patch.Set("2")}, Initiator: "x"}); !problem.Has(err, problem.PreconditionFailed) {
				t.Errorf("an agent by its certification's version: %v", err)
			}
			move := agency.Reorganisation{Team: "default", Moves: []agency.Move{{AgentCode: "A1", NewUpline: patch.Null[string]()}}, EffectiveFrom: agentToday, Initiator: "x"}
			if _, err := w.Reorganise(ofCertification, move, false); !problem.Has(err, problem.PreconditionFailed) {
				t.Errorf("a move of an agent by its certification's version: %v", err)
			}
			if _, err := w.Register(version.Expect(w.ctx, tag), newcomer("A2"), false); !errors.Is(err, version.ErrUnchecked) {
				t.Errorf("a change that has no version to check: %v", err)
			}
		})
		if err := update(ofCertification, false); err != nil {
			t.Errorf("a certification by its version: %v", err)
		}
	})
}

// What takes effect today does so on the day of the clock, also when another
// process, whose clock is past midnight already, changed the agent last.
func TestTodayIsTheDayOfTheClock(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("U1"), agentToday.AddDays(-100)))
		w.register(since(newcomer("A1"), agentToday.AddDays(-100)))
		w.clock.Move(24 * time.Hour)
		_, err := w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{NPN: patch.Set("1")}, Initiator: "x"})
		w.must(nil, err)
		w.clock.Move(-24 * time.Hour)
		ahead := w.agent("A1").LastModified
		_, err = w.UpdateMembership(w.ctx, "default", "A1", agency.MembershipUpdate{DirectUpline: patch.Set("U1"), Level: patch.Set(10), Initiator: "x"}, false)
		w.must(nil, err)
		equal(t, "upline", w.uplineHistory("A1")[1:], []string{span("U1", agentToday, nil)})
		equal(t, "level", w.levelHistory("A1"), []string{span("10", agentToday, nil)})
		if at := w.agent("A1").LastModified; !at.After(ahead) {
			t.Errorf("the version went back from %v to %v", ahead, at)
		}
	})
}
