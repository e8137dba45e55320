package insights_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

var batch = facts.Batch{Initiator: "feed"}

func policy(code, company, number string) facts.ProductionInput {
	return facts.ProductionInput{AgentCode: code, ProviderCompany: company, PolicyNumber: number, SubmittedOn: ptr(today.AddDays(-30)), AnnualPremium: "1200.50"}
}

func (w *world) count(t *testing.T, table string) (n int) {
	t.Helper()
	if _, err := store.One(w.ctx, w.store, []any{&n}, "SELECT count(*) FROM "+table); err != nil {
		t.Fatal(err)
	}
	return n
}

func fates(outcomes []facts.Outcome) (all []facts.Fate) {
	for _, o := range outcomes {
		all = append(all, o.Fate)
	}
	return all
}

// The key of a policy is the agent, the provider company and the number; a batch
// sent again changes nothing, and what its source says otherwise is changed.
func TestProductionIsRecordedByItsKey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		record := func(rows ...facts.ProductionInput) []facts.Outcome {
			return must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, rows, batch))
		}
		rows := []facts.ProductionInput{policy("A", "ACO", "1"), policy("B", "ACO", "1"), policy("A", "BCO", "1"), policy("A", "ACO", "2")}
		equal(t, "new", fates(record(rows...)), []facts.Fate{facts.Created, facts.Created, facts.Created, facts.Created})
		equal(t, "again", fates(record(rows...)), []facts.Fate{facts.Unchanged, facts.Unchanged, facts.Unchanged, facts.Unchanged})
		rows[1].IssuedOn, rows[1].AnnualPremium = ptr(today.AddDays(-20)), "1200.5"
		rows[2].AnnualPremium = " 1300 "
		equal(t, "changed", fates(record(rows...)), []facts.Fate{facts.Unchanged, facts.Updated, facts.Updated, facts.Unchanged})
		equal(t, "rows", w.count(t, "insights_production_record"), 4)
		shown, fate, err := w.RecordOneProduction(w.ctx, rows[2], batch)
		if err != nil || fate != facts.Unchanged || shown.AnnualPremiumCents != 130000 || shown.RecordedBy != "feed" || shown.IssuedOn != nil {
			t.Errorf("%v %v %+v", err, fate, shown)
		}
		_, _, err = w.RecordOneProduction(w.other, rows[2], batch)
		equal(t, "a foreign agent", refusals(problem.From(err)), []string{"UNKNOWN_PROVIDER_COMPANY[providerCompany]"})
	})
}

// A disabled provider company is refused in new records only: a batch may be sent
// again, and what its source says otherwise of a policy is still recorded.
func TestProductionOfADisabledCompany(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		record := func(rows ...facts.ProductionInput) []facts.Outcome {
			return must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, rows, batch))
		}
		known, issued := policy("A", "ACO", "1"), policy("A", " ACO ", "1 ")
		record(known, policy("A", "BCO", "2"))
		w.app.As(apptest.Acme).Query(t, `mutation { providerCompanyUpsert(input: {code: "ACO", name: "ACO", isEnabled: false, initiator: "hr"}) { applied } }`, nil)
		issued.IssuedOn = ptr(today)
		equal(t, "again", fates(record(known)), []facts.Fate{facts.Unchanged})
		equal(t, "issued since", fates(record(issued)), []facts.Fate{facts.Updated})
		for name, row := range map[string]facts.ProductionInput{"another number": policy("A", "ACO", "2"), "another agent": policy("B", "ACO", "1")} {
			equal(t, name, refusals(record(known, row)[1].Problems), []string{"UNKNOWN_PROVIDER_COMPANY[providerCompany]"})
		}
		known.AnnualPremium = "x"
		equal(t, "nothing else", refusals(record(known)[0].Problems), []string{"INVALID_FORMAT[annualPremium]"})
	})
}

// All that is wrong with a row is told at once, and one refused row keeps the
// others out.
func TestRefusedProduction(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		bad := facts.ProductionInput{AgentCode: "A", ProviderCompany: "NONE", PolicyNumber: " ", AnnualPremium: "-1", IssuedOn: ptr(today.AddDays(1)), PlacedOn: ptr(today.AddDays(-1))}
		rows := []facts.ProductionInput{policy("A", "ACO", "1"), bad, policy("NOBODY", "ACO", "1"), policy("A", " ACO ", "1"),
			{AgentCode: "A", ProviderCompany: "ACO", PolicyNumber: "9", AnnualPremium: "1e3"}}
		outcomes := must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, rows, batch))
		equal(t, "a bad row", refusals(outcomes[1].Problems), []string{"REQUIRED[policyNumber]", "OUT_OF_RANGE[annualPremium]", "OUT_OF_RANGE[issuedOn]",
			"OUT_OF_RANGE[placedOn]", "UNKNOWN_PROVIDER_COMPANY[providerCompany]"})
		equal(t, "nobody", refusals(outcomes[2].Problems), []string{"UNKNOWN_AGENT[agentCode]"})
		equal(t, "twice", refusals(outcomes[3].Problems), []string{"DUPLICATE_KEY[policyNumber]"})
		equal(t, "no day", refusals(outcomes[4].Problems), []string{"INVALID_FORMAT[annualPremium]", "REQUIRED[submittedOn]"})
		equal(t, "rows", w.count(t, "insights_production_record"), 0)

		dry := facts.Batch{Initiator: "feed", DryRun: true}
		equal(t, "dry", fates(must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, rows, dry)))[0], facts.Created)
		equal(t, "rows", w.count(t, "insights_production_record"), 0)
		_, err := w.RecordProduction(w.ctx, rows[:1], facts.Batch{})
		equal(t, "the batch", refusals(problem.From(err)), []string{"REQUIRED[initiator]"})
	})
}

// A payment is known by all it says; "deleting an agent who has been paid
// commissions: rejected so payment history stays intact" (Errors, 6), also when
// the payment was taken back. Production goes with its agent.
func TestCommissions(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		paid := facts.CommissionInput{AgentCode: "C", PaidOn: today, Amount: "50"}
		second, back := paid, paid
		second.Reference, back.Amount = ptr("line 2"), "-50.00"
		rows := []facts.CommissionInput{paid, second, back}
		outcomes := must[[]facts.Outcome](t)(w.RecordCommissions(w.ctx, rows, batch))
		equal(t, "new", fates(outcomes), []facts.Fate{facts.Created, facts.Created, facts.Created})
		equal(t, "again", fates(must[[]facts.Outcome](t)(w.RecordCommissions(w.ctx, rows, batch))), []facts.Fate{facts.Unchanged, facts.Unchanged, facts.Unchanged})
		equal(t, "rows", w.count(t, "insights_commission_payment"), 3)

		wrong := []facts.CommissionInput{{AgentCode: "C", PaidOn: today.AddDays(1), Amount: ""}, {AgentCode: "C", PaidOn: today, Amount: "0.00"}, {AgentCode: "X", PaidOn: today, Amount: "1"}, paid, paid, {AgentCode: "", PaidOn: today, Amount: "0"}}
		outcomes = must[[]facts.Outcome](t)(w.RecordCommissions(w.ctx, wrong, batch))
		equal(t, "late", refusals(outcomes[0].Problems), []string{"OUT_OF_RANGE[paidOn]", "REQUIRED[amount]"})
		equal(t, "zero", refusals(outcomes[1].Problems), []string{"OUT_OF_RANGE[amount]"})
		equal(t, "nobody", refusals(outcomes[2].Problems), []string{"UNKNOWN_AGENT[agentCode]"})
		equal(t, "twice", refusals(outcomes[4].Problems), []string{"DUPLICATE_KEY[reference]"})
		equal(t, "both", refusals(outcomes[5].Problems), []string{"REQUIRED[agentCode]", "OUT_OF_RANGE[amount]"})

		must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, []facts.ProductionInput{policy("C", "ACO", "1"), policy("D", "ACO", "1")}, batch))
		if err := w.delete("C"); !problem.Has(err, problem.AgentHasCommissions) {
			t.Errorf("the agent was deleted: %v", err)
		}
		if err := w.delete("D"); err != nil {
			t.Error(err)
		}
		equal(t, "records", w.count(t, "insights_production_record"), 1)
	})
}

func TestMoney(t *testing.T) {
	for text, want := range map[string]money.Amount{"0": 0, "12": 1200, "12.5": 1250, "-0.05": -5, "9999999999999.99": 999999999999999} {
		if got, err := money.Parse(text); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1.", ".5", "1,5", "1.005", "+1", "1e2", "12345678901234", "٣"} {
		if got, err := money.Parse(text); err == nil {
			t.Errorf("%s is %d", text, got)
		}
	}
	equal(t, "the least", money.Amount(math.MinInt64).String(), "-92233720368547758.08")
	rapid.Check(t, func(t *rapid.T) {
		m := money.Amount(rapid.Int64Range(-999999999999999, 999999999999999).Draw(t, "amount"))
		if back, err := money.Parse(m.String()); err != nil || back != m {
			t.Errorf("%d is written %s, which is %d %v", m, m, back, err)
		}
	})
}

// A record is found by its key as it is stored, without what programs add around a text;
// one that is deleted before it is read for the answer is none.
func TestOneFactIsReadAsStored(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		row := policy("A", "\u200bACO", "7\ufeff")
		shown, fate, err := w.RecordOneProduction(w.ctx, row, batch)
		if err != nil || fate != facts.Created || shown == nil || shown.ID == 0 || shown.PolicyNumber != "7" {
			t.Errorf("%v %v %+v", err, fate, shown)
		}
		payment := facts.CommissionInput{AgentCode: "A", PaidOn: today, Amount: "5", Reference: ptr("\u200bR")}
		paid, _, err := w.RecordOneCommission(w.ctx, payment, batch)
		if err != nil || paid == nil || paid.ID == 0 || paid.Reference != "R" {
			t.Errorf("%v %+v", err, paid)
		}
		committed, deleted := false, false
		meanwhile := store.WithFault(w.ctx, func(moment string) error {
			if committed && !deleted {
				deleted = true
				return w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.Exec(ctx, "DELETE FROM insights_production_record WHERE tenant_id = $1", tenant.From(ctx).ID)
					return err
				})
			}
			committed = committed || moment == store.Committed
			return nil
		})
		if gone, _, err := w.RecordOneProduction(meanwhile, policy("B", "ACO", "8"), batch); err != nil || gone != nil || !deleted {
			t.Errorf("deleted meanwhile: %v %+v", err, gone)
		}
	})
}
