package facts

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// factRow is a row of a file that could be parsed. No two rows of one batch have the same
// key, if they have one.
type factRow[In any] struct {
	i   int
	key string
	in  In
}

// importFacts records the facts of rows in a transaction of the caller: read parses each
// row, and write records the parsed ones. If several rows have one key, the later ones
// are compared with what the earlier ones recorded, as if they came in another call.
func importFacts[In any](ctx context.Context, s *Service, tx *store.Tx, columns bulk.Columns, rows []bulk.Row, initiator string,
	read func(v *bulk.Values) (in In, key string), write func(ctx context.Context, w *change.Writing, rows []In) ([]Outcome, error),
) ([]bulk.Result, error) {
	var c check.Problems
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return nil, err
	}
	results := make([]bulk.Result, len(rows))
	var left []factRow[In]
	for i, row := range rows {
		var refused problem.List
		v := &bulk.Values{Columns: columns, Row: row, Refuse: func(p *problem.Error) { refused.Add(p) }}
		in, key := read(v)
		_, name := v.AgentCode()
		results[i] = bulk.Result{Number: row.Number, Key: name, Outcome: bulk.Rejected, Problems: refused}
		if len(refused) == 0 {
			left = append(left, factRow[In]{i, key, in})
		}
	}
	return results, s.writer.WriteIn(ctx, tx, initiator, func(ctx context.Context, w *change.Writing) error {
		for len(left) > 0 {
			var batch []factRow[In]
			batch, left = bulk.FirstOfEach(left, func(r factRow[In]) string { return r.key })
			if err := recordRows(ctx, w, batch, results, write); err != nil {
				return err
			}
		}
		return nil
	})
}

var outcomeOfFate = map[Fate]bulk.Outcome{Refused: bulk.Rejected, Unchanged: bulk.Unchanged, Created: bulk.Created, Updated: bulk.Updated}

func recordRows[In any](ctx context.Context, w *change.Writing, rows []factRow[In], results []bulk.Result, write func(ctx context.Context, w *change.Writing, rows []In) ([]Outcome, error)) error {
	inputs := make([]In, len(rows))
	for n, r := range rows {
		inputs[n] = r.in
	}
	outcomes, err := write(ctx, w, inputs)
	if err != nil {
		return err
	}
	for n, o := range outcomes {
		result := &results[rows[n].i]
		result.Outcome, result.Problems = outcomeOfFate[o.Fate], o.Problems
		if len(o.Problems) > 0 {
			result.Outcome = bulk.Rejected
		}
	}
	return nil
}

// ProductionImport imports production records by agent, provider company and
// policy number, as RecordProduction has them.
type ProductionImport struct{ s *Service }

// ImportProduction returns the import of production records.
func (s *Service) ImportProduction() *ProductionImport { return &ProductionImport{s} }

var productionImportColumns = bulk.NewColumns([]bulk.Column{
	bulk.Required("agentCode", "who wrote it; part of the key").Of(bulk.Agent),
	bulk.Required("providerCompany", "a configured provider company; part of the key").In(bulk.ProviderCompanies),
	bulk.Required("policyNumber", "the policy's number at the provider company; part of the key").Of(bulk.Code),
	bulk.Optional("productLine", "what kind of policy it is"),
	bulk.Optional("submittedOn", "when it was submitted; required unless a later step is given").Of(bulk.Day),
	bulk.Optional("issuedOn", "when it was issued").Of(bulk.Day),
	bulk.Optional("placedOn", "when it was placed").Of(bulk.Day),
	bulk.Required("annualPremium", "a decimal number, not negative, with at most two decimals").Of(bulk.Money),
})

// Columns are the columns that a file may have.
func (p *ProductionImport) Columns() []bulk.Column { return productionImportColumns.All }

// Apply records policies.
func (p *ProductionImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	results, err := importFacts(ctx, p.s, tx, productionImportColumns, rows, initiator, func(v *bulk.Values) (in ProductionInput, key string) {
		in = ProductionInput{
			AgentCode: v.Plain("agentCode"), ProviderCompany: v.Plain("providerCompany"), PolicyNumber: v.Plain("policyNumber"),
			ProductLine: v.Text("productLine"), SubmittedOn: v.Date("submittedOn").Value, IssuedOn: v.Date("issuedOn").Value,
			PlacedOn: v.Date("placedOn").Value, AnnualPremium: v.Plain("annualPremium"),
		}
		return in, in.AgentCode + "\x00" + in.ProviderCompany + "\x00" + in.PolicyNumber
	}, p.s.WriteProduction)
	if err != nil {
		return nil, err
	}
	return results, listCompanies(ctx, tx, results)
}

// listCompanies adds to the refusals of unknown provider companies which ones exist.
func listCompanies(ctx context.Context, tx *store.Tx, results []bulk.Result) error {
	var codes []string
	for i := range results {
		for n, p := range results[i].Problems {
			if p.Code != problem.UnknownProviderCompany {
				continue
			}
			if codes == nil {
				id, err := tenant.ID(ctx)
				if err != nil {
					return err
				}
				codes, err = store.Collect(ctx, tx, store.ScanOne[string], "SELECT code FROM agency_provider_company WHERE tenant_id = $1 AND is_enabled ORDER BY code", id)
				if err != nil {
					return err
				}
			}
			results[i].Problems[n] = bulk.WithConfigured(p, codes)
		}
	}
	return nil
}

// CommissionImport imports commission payments by all that a payment says, as
// RecordCommissions has them.
type CommissionImport struct{ s *Service }

// ImportCommissions returns the import of commission payments.
func (s *Service) ImportCommissions() *CommissionImport { return &CommissionImport{s} }

var commissionImportColumns = bulk.NewColumns([]bulk.Column{
	bulk.Required("agentCode", "who was paid; part of the key").Of(bulk.Agent),
	bulk.Required("paidOn", "when; part of the key").Of(bulk.Day),
	bulk.Required("amount", "a decimal number, not zero, negative when taken back, with at most two decimals; part of the key").Of(bulk.Money),
	bulk.Optional("reference", "what tells it apart from another payment to the agent on the day, for the same amount; part of the key").Of(bulk.Code),
})

// Columns are the columns that a file may have.
func (c *CommissionImport) Columns() []bulk.Column { return commissionImportColumns.All }

// Apply records payments.
func (c *CommissionImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	return importFacts(ctx, c.s, tx, commissionImportColumns, rows, initiator, func(v *bulk.Values) (in CommissionInput, key string) {
		// Without a key in the database, equal rows of one call are refused.
		return commissionOf(v), ""
	}, c.s.WriteCommissions)
}

func commissionOf(v *bulk.Values) CommissionInput {
	return CommissionInput{AgentCode: v.Plain("agentCode"), PaidOn: v.Day("paidOn"), Amount: v.Plain("amount"), Reference: v.Text("reference")}
}

// FileKey is the payment as it is stored; empty for a row that could not be parsed.
func (c *CommissionImport) FileKey(row bulk.Row) string {
	var read factCheck
	in := commissionOf(&bulk.Values{Columns: commissionImportColumns, Row: row, Refuse: func(p *problem.Error) { read.Add(p) }})
	code, p := read.commission(in, date.Max)
	if len(read.List) > 0 {
		return ""
	}
	return fmt.Sprintf("%s\x00%d\x00%d\x00%s", code, p.paidOn, int64(p.amount), p.reference)
}

// Repeated is the problem of a payment that an earlier row has, too.
func (c *CommissionImport) Repeated() *problem.Error { return repeatedPayment() }
