package agency_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// delete removes an agent whose downline somebody takes over.
func (w *agentWorld) delete(code, newUpline string) error {
	_, err := w.DeleteAgent(w.ctx, code, &newUpline, "hr")
	return err
}

// pay records a commission of an agent.
func (w *agentWorld) pay(code string) {
	w.t.Helper()
	w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO insights_commission_payment (tenant_id, agent_id, paid_on, amount_cents, recorded_at, recorded_by)
			SELECT tenant_id, id, $1, 1250, $2, 'payroll' FROM agency_agent WHERE tenant_id = $3 AND code = $4`, agentToday, w.clock.Now(), w.tenantID(), code)
		return err
	}))
}

// "Deleting an agent who has been paid commissions: rejected so payment history
// stays intact" (Errors, 6), whoever takes over, and told with all else that
// prevents it.
func TestDeleteOfAnAgentWithCommissionsIsRejected(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.plantTeam()
		w.pay("A11")
		w.pay("A")
		w.unchanged(func() {
			_, err := w.DeleteAgent(w.ctx, "A11", nil, "hr")
			equal(t, "paid", problems(err), []string{"AGENT_HAS_COMMISSIONS"})
			equal(t, "category", categories(err), []problem.Category{problem.Conflict})
			equal(t, "with an heir", problems(w.delete("A", "B")), []string{"AGENT_HAS_COMMISSIONS"})
			_, err = w.DeleteAgent(w.ctx, "A", nil, "hr")
			equal(t, "paid, with a downline", problems(err), []string{"AGENT_HAS_COMMISSIONS", "AGENT_HAS_DOWNLINE"})
			equal(t, "paid, and nobody takes over", problems(w.delete("A", "NOBODY")), []string{"AGENT_HAS_COMMISSIONS", "UNKNOWN_UPLINE newUplineAgentCode"})
		})
	})
}

// An agent that is somebody's direct upline today or later stays, unless the
// request says who takes over.
func TestDeleteNeedsSomebodyToTakeOver(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.plantTeam()
		d := agentToday.AddDays
		w.must(w.applyUpline("A11", new("B"), d(30), d(40).Ptr()))
		for _, c := range []struct{ code, heir, want string }{
			{"A", "NOBODY", "UNKNOWN_UPLINE newUplineAgentCode"},
			{"A", "A", "CIRCULAR_HIERARCHY newUplineAgentCode"},
			{"A", "A2", "CIRCULAR_HIERARCHY newUplineAgentCode"},
			{"A", "A11", "CIRCULAR_HIERARCHY newUplineAgentCode"},
			{"A11", "A11", "CIRCULAR_HIERARCHY newUplineAgentCode"},
			{"A11", "NOBODY", "UNKNOWN_UPLINE newUplineAgentCode"},
		} {
			w.unchanged(func() {
				equal(t, c.code+" to "+c.heir, problems(w.delete(c.code, c.heir)), []string{c.want})
			})
		}
		details := problem.From(w.delete("A", "A11"))[0].Details
		equal(t, "the cycle, from the report upwards", fmt.Sprint(details["cycle"], " ", details["onDate"]), "[A1 A11] "+agentToday.String())
		details = problem.From(w.delete("B", "A11"))[0].Details
		equal(t, "a report to be, on its first day", fmt.Sprint(details["cycle"], " ", details["onDate"]), "[A11] "+d(30).String())
		w.unchanged(func() {
			_, err := w.DeleteAgent(w.ctx, "A", nil, "hr")
			equal(t, "today", problems(err), []string{"AGENT_HAS_DOWNLINE"})
			equal(t, "how many", problem.From(err)[0].Details["directReports"], any(2))
			_, err = w.DeleteAgent(w.ctx, "B", nil, "hr")
			equal(t, "on a later day", problems(err), []string{"AGENT_HAS_DOWNLINE"})
		})
	})
}

// Who takes over is the upline on the days on which the others report to the
// agent, from today on; what is past keeps the agent's code.
func TestDeleteWithTakeOver(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.plantTeam()
		d := agentToday.AddDays
		w.must(w.applyUpline("A1", new("TOP"), d(20), d(29).Ptr()))
		w.must(w.applyUpline("A2", nil, d(10), nil))
		at := w.later()
		w.must(nil, w.delete("A", "B"))
		equal(t, "two periods of one report", w.uplineHistory("A1"), []string{span("A", d(-100), d(-1).Ptr()), span("B", agentToday, d(19).Ptr()),
			span("TOP", d(20), d(29).Ptr()), span("B", d(30), nil)})
		equal(t, "one that ends", w.uplineHistory("A2"), []string{span("A", d(-100), d(-1).Ptr()), span("B", agentToday, d(9).Ptr()), span("-", d(10), nil)})
		equal(t, "who is below them", w.uplineHistory("A11"), []string{span("A1", d(-100), nil)})
		for _, code := range []string{"A1", "A2"} {
			equal(t, "lastModified of "+code, w.agent(code).LastModified.UTC(), at)
			equal(t, "lastModifiedBy of "+code, w.agent(code).LastModifiedBy, "hr")
		}
		equal(t, "lastModified of who moves along", w.agent("A11").LastModified.Before(at), true)
		w.checkNoCycle(t)
		w.checkHierarchy(t, "A1 B 2", "A11 A1 3", "A2 B 2", "B TOP 1", "TOP - 0")
	})
}

// A takeover is bounded as a reorganisation is: beyond, it would lock the team's
// hierarchy for as long as it likes.
func TestTakeOverIsBounded(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"TOP", "B"} {
			w.register(newcomer(code))
		}
		w.register(under("TOP", "N0"))
		w.reports("N0", 500)
		w.unchanged(func() {
			err := w.delete("TOP", "B")
			equal(t, "501 direct reports", problems(err), []string{"OUT_OF_RANGE newUplineAgentCode"})
			equal(t, "the numbers", fmt.Sprint(problem.From(err)[0].Details), "map[directReports:501 max:500]")
			if message := problem.From(err)[0].Message; !strings.Contains(message, "500") || !strings.Contains(message, "reorgApply") {
				t.Errorf("the message does not say what to do: %s", message)
			}
		})
		w.must(w.applyUpline("N0", new("B"), agentToday, nil))
		w.must(nil, w.delete("TOP", "B"))
		equal(t, "reports of the heir", w.count("SELECT count(*) FROM agency_upline_period WHERE tenant_id = $1 AND superseded_at IS NULL AND upline_agent_id IS NOT NULL", w.tenantID()), 501)
	})
}

// reports makes agents that are in the same place as another: past the door,
// which would take long.
func (w *agentWorld) reports(like string, n int) {
	w.t.Helper()
	w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		const numbers = "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $3) "
		_, err := tx.Exec(ctx, numbers+`INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key,
				is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
			SELECT tenant_id, 'N' || n, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key,
				is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by FROM agency_agent, number WHERE tenant_id = $1 AND code = $2`, w.tenantID(), like, n)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO agency_upline_period (tenant_id, team_id, agent_id, upline_agent_id, effective_from, recorded_at, recorded_by)
			SELECT p.tenant_id, p.team_id, n.id, p.upline_agent_id, p.effective_from, p.recorded_at, p.recorded_by FROM agency_upline_period p
			JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id AND a.code = $2
			JOIN agency_agent n ON n.tenant_id = p.tenant_id AND n.code LIKE 'N%' AND n.id <> a.id WHERE p.tenant_id = $1`, w.tenantID(), like)
		return err
	}))
}

// checkHierarchy rebuilds the flattened hierarchy and compares it: agent,
// upline, depth.
func (w *agentWorld) checkHierarchy(t *testing.T, want ...string) {
	t.Helper()
	w.app.RebuildNow(t, "acme")
	got, err := store.Collect(w.ctx, w.store, store.ScanOne[string], `SELECT a.code || ' ' || coalesce(u.code, '-') || ' ' || n.depth FROM hierarchy_node n
		JOIN agency_agent a ON a.tenant_id = n.tenant_id AND a.id = n.agent_id
		LEFT JOIN agency_agent u ON u.tenant_id = n.tenant_id AND u.id = n.upline_agent_id WHERE n.tenant_id = $1 ORDER BY a.code`, w.tenantID())
	w.must(got, err)
	equal(t, "flattened hierarchy", got, want)
}

// "Permanently removes the agent and related data" (Endpoints, Agents): no
// table that names agents has a row of this one left.
func TestDeleteLeavesNoRow(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		in := newcomer("A1")
		in.Teams[0].Level = new(10)
		in.Contact = agency.Contact{Addresses: map[agency.AddressKind]*agency.Address{agency.HomeAddress: {City: patch.Set("Austin")}},
			Phones: map[agency.PhoneKind]*agency.Phone{agency.CellPhone: {PhoneNumber: patch.Set("5550100")}}}
		in.W9 = new(someW9("Ana Diaz"))
		in.DirectDeposit = &payee.BankDetails{Country: patch.Set("CA"), AccountHolderName: patch.Set("Ana Diaz"), AccountType: patch.Set("CHECKING"),
			InstitutionNumber: patch.Set("001"), TransitNumber: patch.Set("12345"), AccountNumber: patch.Set("1234567")}
		w.register(in)
		w.must(w.UpsertCertification(w.ctx, certification.Upsert{AgentCode: "A1", Type: "AML", Initiator: "x"}, false))
		licence, err := w.UpsertCertification(w.ctx, certification.Upsert{AgentCode: "A1", Type: "LIFE", Jurisdiction: new("US-TX"), Initiator: "x"}, false)
		w.must(licence, err)
		w.must(w.CreateAlias(w.ctx, "A1", label.AliasInput{Identifier: "X-1", Initiator: "x"}))
		w.must(w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set("Mentor"), Initiator: "x"}))
		w.must(w.UpdateTags(w.ctx, "A1", label.TagsUpdate{Operations: []label.TagOperation{{Assign: true, Tag: "Mentor"}}, Initiator: "x"}))
		id := w.agent("A1").ID
		filled := w.tablesWith(id)
		for _, table := range []string{"agency_address", "agency_phone", "agency_pay_status_period", "agency_upline_period", "agency_level_period",
			"agency_certification", "agency_w9", "agency_w9_period", "agency_direct_deposit", "agency_alias", "agency_tag_assignment", "hierarchy_node"} {
			if !slices.Contains(filled, table) {
				t.Errorf("the test has no row in %s", table)
			}
		}
		// What was before the changes is left no more than what is.
		w.clock.Move(time.Second)
		w.must(w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{FirstName: patch.Set("Zoe")}, Initiator: "x"}))
		w.must(nil, w.DeleteCertification(w.ctx, licence.ID, "x"))
		if !slices.Contains(w.tablesWith(id), "past_row") {
			t.Error("nothing was kept of the agent")
		}
		w.must(w.DeleteAgent(w.ctx, "A1", nil, "hr"))
		if n := w.count("SELECT count(*) FROM past_row WHERE relation LIKE 'agency_certification%'"); n > 0 {
			t.Errorf("%d rows of certifications are kept", n)
		}
		// The list of changes keeps the id, which leads to nothing any more, for a hundred
		// changes: kept periods learn from it that the agent is gone.
		if left := slices.DeleteFunc(w.tablesWith(id), func(table string) bool { return table == "hierarchy_change" }); len(left) > 0 {
			t.Errorf("rows of the agent are left in %v", left)
		}
	})
}

// tablesWith returns the tables, of those with a column agent_id, that have a
// row of an agent once the hierarchy is flattened.
func (w *agentWorld) tablesWith(id int64) (with []string) {
	w.t.Helper()
	w.app.RebuildNow(w.t, "acme")
	catalogue := "SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'agent_id'"
	if !w.store.Postgres() {
		catalogue = "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'agent_id'"
	}
	all, err := store.Collect(w.ctx, w.store, store.ScanOne[string], catalogue)
	w.must(all, err)
	for _, table := range all {
		if w.count("SELECT count(*) FROM "+table+" WHERE tenant_id = $1 AND agent_id = $2", w.tenantID(), id) > 0 {
			with = append(with, table)
		}
	}
	return with
}

// Two deletions that name each other to take over, and moves beside them, wait
// for each other; nobody is left below an agent that is gone.
func TestDeletionsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		for round := range 12 {
			a, b, report := fmt.Sprint("A", round), fmt.Sprint("B", round), fmt.Sprint("R", round)
			w.register(under("TOP", a))
			w.register(under("TOP", b))
			w.register(under(a, report))
			var both sync.WaitGroup
			errs := make([]error, 3)
			both.Go(func() { errs[0] = w.delete(a, b) })
			both.Go(func() { errs[1] = w.delete(b, a) })
			both.Go(func() { _, errs[2] = w.applyUpline(report, &b, agentToday, nil) })
			both.Wait()
			for i, err := range errs {
				if err != nil && problem.From(err) == nil {
					t.Errorf("round %d, %d: %v", round, i, err)
				}
			}
			if errs[0] == nil && errs[1] == nil {
				t.Errorf("round %d: each took over from the other", round)
			}
		}
		equal(t, "live periods below a deleted agent today", w.count(`SELECT count(*) FROM agency_upline_period
			WHERE tenant_id = $1 AND deleted_upline_code IS NOT NULL AND superseded_at IS NULL AND effective_from <= $2
			AND (effective_through IS NULL OR effective_through >= $2)`, w.tenantID(), agentToday), 0)
	})
}

// uplineRow is the upline of a period: the id of one that is still there, and the code.
type uplineRow struct {
	ID   *int64
	Code *string
}

// uplineOn returns the upline in the period of an agent that covers a day, nil for none.
func (w *agentWorld) uplineOn(code string, asOf history.AsOf) *uplineRow {
	w.t.Helper()
	list, err := w.PeriodList(w.ctx, history.Uplines, w.team, record.PeriodFilter{AgentCode: &code, From: &asOf.Day, Through: &asOf.Day, Known: asOf.Known}, nil)
	w.must(nil, err)
	p, err := read(list, "p.upline_agent_id, "+uplineOfPeriod, func(u *uplineRow) []any { return []any{&u.ID, &u.Code} }).Page(w.ctx, page.Args{})
	w.must(nil, err)
	if len(p.Items) == 0 {
		return nil
	}
	return p.Items[0]
}

// "Past periods of others keep the agent's code" (divergences, Endpoints): on
// these days it is the direct upline, for who asks of an agent and for who looks
// for the agents below it.
func TestDeletedUplineIsThatOfItsDays(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		lastWeek := agentToday.AddDays(-7)
		w.register(since(newcomer("BOSS"), agentToday.AddDays(-100)))
		w.register(since(under("BOSS", "A1"), agentToday.AddDays(-100)))
		w.register(since(newcomer("A2"), agentToday.AddDays(-100)))
		w.must(w.applyUpline("A1", nil, agentToday, nil))
		below := func(name, code string, want ...string) {
			t.Helper()
			list, err := w.PeriodList(w.ctx, history.Uplines, w.team, record.PeriodFilter{UplineAgentCode: &code}, nil)
			w.must(nil, err)
			equal(t, "periods below "+code+", "+name, lines(w, periodsOf(list, uplineOfPeriod), func(p *periodRow) string { return p.AgentCode + " below " + *p.Value }), append([]string{}, want...))
		}
		below("who is there", "BOSS", "A1 below BOSS")
		known := w.clock.Now()
		w.later()
		w.must(w.DeleteAgent(w.ctx, "BOSS", nil, "hr"))
		below("who was deleted", "BOSS", "A1 below BOSS")
		below("whom nobody knows", "NOBODY")
		for _, c := range []struct {
			name string
			asOf history.AsOf
			want string
		}{
			{"last week", history.AsOf{Day: lastWeek}, "BOSS"},
			{"last week, as known before", history.AsOf{Day: lastWeek, Known: history.KnownAt(known)}, "BOSS"},
			{"today", history.AsOf{Day: agentToday}, ""},
		} {
			if u := w.uplineOn("A1", c.asOf); u == nil || u.ID != nil || (u.Code == nil) != (c.want == "") || u.Code != nil && *u.Code != c.want {
				t.Errorf("%s: %+v", c.name, u)
			}
			if u := w.uplineOn("A2", c.asOf); u == nil || u.Code != nil {
				t.Errorf("%s, of a root: %+v", c.name, u)
			}
			list, err := w.AgentList(w.ctx, agency.AgentFilter{UplineAgentCode: new("BOSS")}, nil, c.asOf)
			w.must(nil, err)
			equal(t, c.name+", below", strings.Join(lines(w, texts(list, "a.code"), text), " "),
				map[bool]string{true: "A1"}[c.want != ""])
		}
	})
}
