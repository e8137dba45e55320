package facts

import (
	"context"
	"iter"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// ProductionInput is a policy that an agent wrote, in its present state (api "Curated
// query slugs"). Its key is the agent, the provider company and the policy number; a
// policy that agents share is one record for each.
type ProductionInput struct {
	AgentCode, ProviderCompany, PolicyNumber string
	ProductLine                              *string
	// At least one step is given, and none is before the one it follows.
	SubmittedOn, IssuedOn, PlacedOn *date.Date
	// AnnualPremium is a decimal number, not negative.
	AnnualPremium string
}

// ProductionRecord is a policy that an agent wrote, as it is stored.
type ProductionRecord struct {
	ID, AgentID                     int64
	ProviderCompany, PolicyNumber   string
	ProductLine                     *string
	SubmittedOn, IssuedOn, PlacedOn *date.Date
	AnnualPremiumCents              int64 // hundredths of the agency's currency
	RecordedAt                      time.Time
	RecordedBy                      string
}

const productionEntity = "ProductionRecord"

// RecordProduction records policies in one transaction. A new one is added, a known one
// is changed to what the row says, and an equal one is left alone, so a batch may be sent
// twice. The outcomes are in the order of the rows; the error is about the batch as a
// whole.
func (s *Service) RecordProduction(ctx context.Context, rows []ProductionInput, b Batch) ([]Outcome, error) {
	return s.record(ctx, b, func(ctx context.Context, w *change.Writing) ([]Outcome, error) {
		return s.WriteProduction(ctx, w, rows)
	})
}

// RecordOneProduction records one policy and returns its record. There is none after a dry
// run, or if its agent has been deleted meanwhile.
func (s *Service) RecordOneProduction(ctx context.Context, row ProductionInput, b Batch) (*ProductionRecord, Fate, error) {
	done, err := one(s.RecordProduction(ctx, []ProductionInput{row}, b))
	if err != nil || b.DryRun {
		return nil, done.Fate, err
	}
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, done.Fate, err
	}
	var c factCheck
	row, _ = c.production(row, date.Max) // the key as it was stored
	r := &ProductionRecord{AgentID: done.AgentID, ProviderCompany: row.ProviderCompany, PolicyNumber: row.PolicyNumber}
	found, err := store.One(ctx, s.store, []any{&r.ID, &r.ProductLine, &r.SubmittedOn, &r.IssuedOn, &r.PlacedOn, &r.AnnualPremiumCents, &r.RecordedAt, &r.RecordedBy},
		`SELECT id, product_line, submitted_on, issued_on, placed_on, annual_premium_cents, recorded_at, recorded_by FROM insights_production_record
		WHERE tenant_id = $1 AND agent_id = $2 AND provider_company = $3 AND policy_number = $4`, tenantID, r.AgentID, r.ProviderCompany, r.PolicyNumber)
	if err != nil || !found {
		return nil, done.Fate, err
	}
	return r, done.Fate, nil
}

// productionKey identifies a record.
type productionKey struct {
	agentID                       int64
	providerCompany, policyNumber string
}

// production has the properties of a record that are not part of its key.
type production struct {
	productLine                     string
	submittedOn, issuedOn, placedOn date.Date // Max for none
	annualPremium                   money.Amount
}

// WriteProduction records policies in a transaction of the caller. It skips refused rows;
// the caller decides whether to keep the others.
func (s *Service) WriteProduction(ctx context.Context, w *change.Writing, rows []ProductionInput) ([]Outcome, error) {
	b := productionBatch{Writing: w, rows: make([]ProductionInput, len(rows)), facts: make([]production, len(rows)), outcomes: make([]Outcome, len(rows))}
	if err := b.check(ctx, rows); err != nil {
		return nil, err
	}
	again := problem.Clash(problem.DuplicateKey, "The same policy of this agent is given more than once", "policyNumber")
	err := place(ctx, w, b.outcomes, func(i int) string { return b.rows[i].AgentCode }, b.key, again)
	if err != nil {
		return nil, err
	}
	return b.outcomes, b.write(ctx)
}

// productionBatch is the recording of policies under way.
type productionBatch struct {
	*change.Writing
	rows     []ProductionInput
	facts    []production
	outcomes []Outcome
}

func (b *productionBatch) key(i int) productionKey {
	return productionKey{b.outcomes[i].AgentID, b.rows[i].ProviderCompany, b.rows[i].PolicyNumber}
}

func (b *productionBatch) check(ctx context.Context, rows []ProductionInput) error {
	checks := make([]factCheck, len(rows))
	for i, row := range rows {
		b.rows[i], b.facts[i] = checks[i].production(row, b.Today)
	}
	companies, err := b.companies(ctx)
	if err != nil {
		return err
	}
	for i, row := range b.rows {
		if row.ProviderCompany != "" && !companies.takes(row) {
			checks[i].Refuse(problem.UnknownProviderCompany, "The specified provider company is not recognized.", "providerCompany")
		}
		b.outcomes[i].Problems = checks[i].List
	}
	return nil
}

func (c *factCheck) production(in ProductionInput, today date.Date) (ProductionInput, production) {
	in.AgentCode = c.RequiredLine(in.AgentCode, check.MaxAgentCode, "agentCode")
	in.ProviderCompany = c.RequiredLine(in.ProviderCompany, maxText, "providerCompany")
	in.PolicyNumber = c.RequiredLine(in.PolicyNumber, maxPolicy, "policyNumber")
	in.ProductLine = c.optionalLine(in.ProductLine, maxText, "productLine")
	p := production{submittedOn: date.OrMax(in.SubmittedOn), issuedOn: date.OrMax(in.IssuedOn), placedOn: date.OrMax(in.PlacedOn)}
	p.annualPremium, _ = c.money(in.AnnualPremium, "annualPremium")
	if in.ProductLine != nil {
		p.productLine = *in.ProductLine
	}
	if p.annualPremium < 0 {
		c.Refuse(problem.OutOfRange, "must not be negative", "annualPremium")
	}
	c.steps(in, today)
	return in, p
}

// steps checks the days: a policy is submitted, then issued, then placed.
func (c *factCheck) steps(in ProductionInput, today date.Date) {
	var last *date.Date
	for _, step := range []struct {
		field string
		day   *date.Date
	}{{"submittedOn", in.SubmittedOn}, {"issuedOn", in.IssuedOn}, {"placedOn", in.PlacedOn}} {
		c.Day(step.day, today, step.field)
		if step.day == nil {
			continue
		}
		if last != nil && *step.day < *last {
			c.Refuse(problem.OutOfRange, "must not be before the step it follows", step.field)
		}
		last = step.day
	}
	if last == nil {
		c.Refuse(problem.Required, "is required unless issuedOn or placedOn is given", "submittedOn")
	}
}

// write adds the records that are new and changes those that differ.
func (b *productionBatch) write(ctx context.Context) error {
	stored, err := b.stored(ctx)
	if err != nil {
		return err
	}
	var n notes
	for i := range b.outcomes {
		o := &b.outcomes[i]
		if len(o.Problems) > 0 {
			continue
		}
		have, known := stored[b.key(i)]
		switch {
		case !known:
			o.Fate = Created
			n.add(b.name(i), productionFields...)
		case have == b.facts[i]:
			o.Fate = Unchanged
		default:
			o.Fate = Updated
			n.add(b.name(i), have.differences(b.facts[i])...)
			if err := b.update(ctx, i); err != nil {
				return err
			}
		}
	}
	n.write(b.Writing, productionEntity)
	return b.CopyFrom(ctx, "insights_production_record", productionColumns, b.added())
}

// name is the name of a record in audit entries.
func (b *productionBatch) name(i int) string {
	r := b.rows[i]
	return r.AgentCode + "/" + r.ProviderCompany + "/" + r.PolicyNumber
}

// stored reads the records of the batch that there are already. The batch is later than these.
func (b *productionBatch) stored(ctx context.Context) (map[productionKey]production, error) {
	var keys [][]any
	for i, r := range b.rows {
		if len(b.outcomes[i].Problems) == 0 {
			keys = append(keys, []any{b.outcomes[i].AgentID, r.ProviderCompany, r.PolicyNumber})
		}
	}
	var s store.SQL
	s.Write(`SELECT agent_id, provider_company, policy_number, coalesce(product_line, ''), submitted_on, issued_on, placed_on, annual_premium_cents, recorded_at
		FROM insights_production_record WHERE tenant_id = ?`, b.Tenant.ID)
	s.Write(" AND (agent_id, provider_company, policy_number) IN (SELECT CAST(k.value->>0 AS bigint), k.value->>1, k.value->>2 FROM " + b.EachKey("k", s.Arg(store.Keys(keys))) + ")")
	found := map[productionKey]production{}
	var latest time.Time
	err := store.Each(ctx, b, &s, func(row store.Scanner) error {
		var (
			k                         productionKey
			p                         production
			submitted, issued, placed *date.Date
			recorded                  time.Time
		)
		err := row.Scan(&k.agentID, &k.providerCompany, &k.policyNumber, &p.productLine, &submitted, &issued, &placed, &p.annualPremium, &recorded)
		latest = later(latest, recorded)
		p.submittedOn, p.issuedOn, p.placedOn = date.OrMax(submitted), date.OrMax(issued), date.OrMax(placed)
		found[k] = p
		return err
	})
	b.StampAfter(latest)
	return found, err
}

var productionFields = []string{"productLine", "submittedOn", "issuedOn", "placedOn", "annualPremium"}

func (p production) differences(other production) (fields []string) {
	for i, differs := range []bool{p.productLine != other.productLine, p.submittedOn != other.submittedOn, p.issuedOn != other.issuedOn,
		p.placedOn != other.placedOn, p.annualPremium != other.annualPremium} {
		if differs {
			fields = append(fields, productionFields[i])
		}
	}
	return fields
}

func (b *productionBatch) update(ctx context.Context, i int) error {
	r := b.rows[i]
	_, err := b.Exec(ctx, `UPDATE insights_production_record SET product_line = $1, submitted_on = $2, issued_on = $3, placed_on = $4, annual_premium_cents = $5, recorded_at = $6, recorded_by = $7
		WHERE tenant_id = $8 AND agent_id = $9 AND provider_company = $10 AND policy_number = $11`,
		r.ProductLine, r.SubmittedOn, r.IssuedOn, r.PlacedOn, int64(b.facts[i].annualPremium), b.Now, b.Initiator,
		b.Tenant.ID, b.outcomes[i].AgentID, r.ProviderCompany, r.PolicyNumber)
	return err
}

var productionColumns = []string{"tenant_id", "agent_id", "provider_company", "policy_number", "product_line", "submitted_on", "issued_on", "placed_on",
	"annual_premium_cents", "recorded_at", "recorded_by"}

func (b *productionBatch) added() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i, r := range b.rows {
			if b.outcomes[i].Fate == Created && !yield([]any{b.Tenant.ID, b.outcomes[i].AgentID, r.ProviderCompany, r.PolicyNumber,
				r.ProductLine, r.SubmittedOn, r.IssuedOn, r.PlacedOn, int64(b.facts[i].annualPremium), b.Now, b.Initiator}) {
				return
			}
		}
	}
}
