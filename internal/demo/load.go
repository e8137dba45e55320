package demo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// ErrNotEmpty is returned for a tenant that has agents already.
var ErrNotEmpty = errors.New("demo: the tenant already has agents")

// initiator is recorded for everything that is loaded.
const initiator = "demo"

// batchSize is how many agents are written at a time at most, with all that belongs to
// them: it bounds the memory of rows and of PostgreSQL's pending foreign key checks.
const batchSize = 200

// batches yields the agents in the batches in which they are entered: those of one started
// in one year. A batch is valid until the next one.
func batches(agents iter.Seq[Agent]) iter.Seq[[]Agent] {
	return func(yield func([]Agent) bool) {
		batch := make([]Agent, 0, batchSize)
		for a := range agents {
			if len(batch) == batchSize || len(batch) > 0 && a.StartDate.Time().Year() != batch[0].StartDate.Time().Year() {
				if !yield(batch) {
					return
				}
				clear(batch)
				batch = batch[:0]
			}
			batch = append(batch, a)
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// entered is when agents are entered: when the last of them has started.
func entered(agents []Agent, zone *time.Location) time.Time {
	return agents[len(agents)-1].StartDate.Begin(zone).Add(17 * time.Hour).UTC()
}

// Load makes up an agency and stores it in a tenant that was made by directory.Create and has no
// agents, and asks for its hierarchy to be flattened. It tells progress how
// many agents are written, of how many.
//
// It goes through what the imports of the areas go through, with the time of the writes
// set to when the agents were entered: all of a year at once, with what came later. Facts
// are recorded now. It tells nobody: there are no events and no audit entries of it.
//
// Everything is one transaction: an interrupted load leaves the tenant empty,
// and nobody sees a part of an agency. Other writers of the tenant's team wait
// meanwhile, on SQLite all writers. Where the database asks for the transaction
// to be run again, progress starts again as well.
func Load(ctx context.Context, s *store.Store, v *vault.Vault, c clock.Clock, t *tenant.Tenant, o Options, progress func(done, total int)) error {
	ctx = tenant.With(ctx, t)
	// Keys are made in a transaction of their own.
	if err := v.Prepare(ctx, t.ID); err != nil {
		return fmt.Errorf("load agency: %w", err)
	}
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		l := &loader{tx: tx, vault: v, agency: agency.New(s, c, v), facts: facts.New(s, c, v), writer: record.NewWriter(s, c, v), of: o}
		team, err := l.takeTeam(ctx, t)
		if err != nil {
			return err
		}
		done, learned := 0, 0
		for some := range batches(o.agents()) {
			if done == 0 {
				at := entered(some[:1], t.Zone)
				if err := record.FirstOf(l.addTags(ctx, at), l.addProducts(ctx, at)); err != nil {
					return err
				}
			}
			if err := l.add(ctx, some); err != nil {
				return err
			}
			done += len(some)
			// With the statistics of empty tables, each foreign key is checked by
			// reading the tenant's whole part of an index.
			if done >= 4*learned {
				if err := tx.Learn(ctx); err != nil {
					return err
				}
				learned = done
			}
			progress(done, o.Agents)
		}
		// PostgreSQL has statistics of the filled tables, and the hierarchy is rebuilt.
		if err := tx.Learn(ctx); err != nil {
			return err
		}
		return hierarchy.ChangedAll(ctx, tx, team, c.Now())
	})
	if err != nil {
		return fmt.Errorf("load agency: %w", err)
	}
	return nil
}

// takeTeam finds the team and makes this the only load into it.
func (l *loader) takeTeam(ctx context.Context, t *tenant.Tenant) (team int64, err error) {
	if team, err = record.TeamID(ctx, l.tx, record.DefaultTeam); err != nil {
		return 0, err
	}
	if err := hierarchy.Lock(ctx, l.tx, team); err != nil {
		return 0, err
	}
	var id int64
	found, err := store.One(ctx, l.tx, []any{&id}, "SELECT id FROM agency_agent WHERE tenant_id = $1 LIMIT 1", t.ID)
	if err == nil && found {
		err = ErrNotEmpty
	}
	return team, err
}

// loader is a load under way.
type loader struct {
	tx     *store.Tx
	vault  *vault.Vault
	agency *agency.Service
	facts  *facts.Service
	writer *record.Writer
	of     Options
}

// addTags defines the tags at an instant. A tag of the same name that the tenant has already stays as
// it is.
func (l *loader) addTags(ctx context.Context, at time.Time) error {
	w, err := l.writer.Begin(ctx, l.tx, initiator)
	if err != nil {
		return err
	}
	w.StampAt(at)
	tags := l.of.tags()
	names := make([]string, len(tags))
	for i, t := range tags {
		names[i] = t.Name
	}
	there, err := record.AskKeys(ctx, w, record.TagTable, names)
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return err
	}
	for _, t := range tags {
		if there[t.Name] {
			continue
		}
		if err := reference.DefineTag(ctx, w, reference.TagInput{Name: patch.Set(t.Name), Description: given(t.Description), Color: given(t.Color), Initiator: initiator}); err != nil {
			return err
		}
	}
	return nil
}

// add writes agents and all that belongs to them.
func (l *loader) add(ctx context.Context, agents []Agent) error {
	w, err := l.writer.Begin(ctx, l.tx, initiator)
	if err != nil {
		return err
	}
	now, err := l.writer.Begin(ctx, l.tx, initiator)
	if err != nil {
		return err
	}
	w.StampAt(entered(agents, w.Tenant.Zone))
	newcomers := make([]agency.Newcomer, len(agents))
	for i := range agents {
		newcomers[i] = l.newcomer(&agents[i], w.Tenant.Zone)
	}
	ids, err := l.agency.AddAgents(ctx, w, newcomers)
	if err != nil {
		return err
	}
	var b belongings
	for i := range agents {
		b.take(ids[i], &agents[i])
	}
	aliasIDs, err := w.NewIDs(ctx, label.AliasTable, len(b.aliases))
	if err != nil {
		return err
	}
	for i, id := range aliasIDs {
		b.aliases[i].ID = id
	}
	for _, write := range []func() error{
		func() error { return certification.Insert(ctx, w, b.certifications) },
		func() error { return payee.Insert(ctx, l.vault, w, b.papers) },
		func() error { return label.InsertAliases(ctx, w, b.aliases) },
		func() error { return label.InsertAssignments(ctx, w, b.tags) },
		func() error { return accepted(l.facts.WriteProduction(ctx, now.Writing, b.production)) },
		func() error { return accepted(l.facts.WriteCommissions(ctx, now.Writing, b.commissions)) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// accepted returns the problems of the first fact that is refused.
func accepted(outcomes []facts.Outcome, err error) error {
	for _, o := range outcomes {
		if err := o.Problems.Err(); err != nil {
			return err
		}
	}
	return err
}

// newcomer returns an agent as the area has it, with its histories.
func (l *loader) newcomer(a *Agent, zone *time.Location) agency.Newcomer {
	h, phone := a.HomeAddress, a.CellPhone
	in := agency.Newcomer{
		Registration: agency.Registration{
			AgentCode: &a.Code, GovernmentIdentifier: &a.GovernmentIdentifier, StartDay: &a.StartDate, Initiator: initiator,
			Details: agency.Details{
				FirstName: given(a.FirstName), MiddleName: given(a.MiddleName), LastName: given(a.LastName), CommonName: given(a.CommonName),
				StartDate: patch.Set(a.StartDate.Begin(zone)), BirthDate: patch.Set(a.BirthDate), Gender: given(a.Gender), Email: given(a.Email), NPN: given(a.NPN),
			},
			Status: a.PayStatusPeriods[0].Value,
			Teams:  []agency.TeamAssignment{{Team: record.DefaultTeam, DirectUpline: l.code(a.UplinePeriods[0].Value), Level: &a.LevelPeriods[0].Value}},
			Contact: agency.Contact{
				Addresses: map[agency.AddressKind]*agency.Address{agency.HomeAddress: {
					Line1: given(h.Line1), City: given(h.City), Jurisdiction: given(h.Jurisdiction), PostalCode: given(h.PostalCode), Country: given(h.Country),
				}},
				Phones: map[agency.PhoneKind]*agency.Phone{agency.CellPhone: {AreaCode: given(phone.AreaCode), PhoneNumber: given(phone.PhoneNumber)}},
			},
		},
		Statuses: periods(a.PayStatusPeriods[1:]), Levels: periods(a.LevelPeriods[1:]),
	}
	for _, p := range a.UplinePeriods[1:] {
		in.Uplines = append(in.Uplines, history.Period[string]{From: p.From, Through: p.Through, Value: *l.code(p.Value)})
	}
	return in
}

// code returns the code of an upline; nil for none.
func (l *loader) code(upline int) *string {
	if upline == NoUpline {
		return nil
	}
	code := l.of.code(upline)
	return &code
}

func periods[T comparable](made []Period[T]) (all []history.Period[T]) {
	for _, p := range made {
		all = append(all, history.Period[T]{From: p.From, Through: p.Through, Value: p.Value})
	}
	return all
}

// given returns a text as a property; empty text is no value.
func given(s string) (p patch.Field[string]) {
	if s != "" {
		p = patch.Set(s)
	}
	return p
}

// orNil returns a text; nil for empty text.
func orNil(s string) *string { return given(s).Value }

// belongings is what belongs to agents, as the areas have it.
type belongings struct {
	certifications []certification.Held
	papers         []payee.Papers
	aliases        []label.NewAlias
	tags           []label.Assignment
	production     []facts.ProductionInput
	commissions    []facts.CommissionInput
}

// take adds what belongs to an agent.
func (b *belongings) take(id int64, a *Agent) {
	for _, c := range a.Certifications {
		b.certifications = append(b.certifications, certification.Held{AgentID: id, Statuses: periods(c.Periods), Upsert: certification.Upsert{
			AgentCode: a.Code, Type: c.Type, ProviderCompany: orNil(c.ProviderCompany), Jurisdiction: orNil(c.Jurisdiction), Identifier: orNil(c.Identifier),
			Details: certification.Details{IsResidentCertification: patch.Set(c.IsResident), IsVerified: patch.Set(c.IsVerified), Note: given(c.Note)},
		}})
	}
	for i := range a.W9Periods {
		b.papers = append(b.papers, payee.Papers{AgentID: id, Code: a.Code, From: a.W9Periods[i].From, W9: a.W9Periods[i].Value.details()})
	}
	if a.DirectDeposit != nil {
		b.papers = append(b.papers, payee.Papers{AgentID: id, Code: a.Code, DirectDeposit: a.DirectDeposit.details()})
	}
	for _, x := range a.Aliases {
		b.aliases = append(b.aliases, label.NewAlias{AgentID: id, Identifier: x.Identifier, ProviderCompany: &x.ProviderCompany})
	}
	for _, tag := range a.Tags {
		b.tags = append(b.tags, label.Assignment{AgentID: id, Tag: tag})
	}
	for _, p := range a.Production {
		b.production = append(b.production, facts.ProductionInput{AgentCode: a.Code, ProviderCompany: p.ProviderCompany, PolicyNumber: p.PolicyNumber, ProductLine: &p.ProductLine,
			SubmittedOn: &p.SubmittedOn, IssuedOn: p.IssuedOn, PlacedOn: p.PlacedOn, AnnualPremium: money.Amount(p.AnnualPremium).String()})
	}
	for _, c := range a.Commissions {
		b.commissions = append(b.commissions, facts.CommissionInput{AgentCode: a.Code, PaidOn: c.PaidOn, Amount: money.Amount(c.Amount).String(), Reference: &c.Reference})
	}
}

// details returns the W9 as the area has it.
func (w *W9) details() *payee.W9Details {
	return &payee.W9Details{
		Name: given(w.Name), BusinessName: given(w.BusinessName), TaxClassification: given(w.TaxClassification),
		Address:       payee.W9Address{StreetAddress: given(w.StreetAddress), City: given(w.City), State: given(w.State), ZipCode: given(w.ZipCode)},
		AccountNumber: given(w.AccountNumber), TaxpayerIdentifier: given(w.TaxpayerIdentifier), Signature: given(w.Signature),
		SignatureDate: patch.Set(w.SignatureDate),
	}
}

// details returns the bank details as the area has them.
func (d *DirectDeposit) details() *payee.BankDetails {
	return &payee.BankDetails{
		Country: given(d.Country), AccountHolderName: given(d.AccountHolderName), BankName: given(d.BankName), AccountType: given(d.AccountType),
		RoutingNumber: given(d.RoutingNumber), InstitutionNumber: given(d.InstitutionNumber), TransitNumber: given(d.TransitNumber), AccountNumber: given(d.AccountNumber),
	}
}

// products are what the agency sells, with the lines of authority of the NAIC.
var products = []reference.ProductInput{
	{Code: patch.Set("TERM-LIFE"), Name: patch.Set("Term life"), LineOfAuthority: patch.Set("Life"), IsWatched: patch.Set(true)},
	{Code: patch.Set("MAJOR-MEDICAL"), Name: patch.Set("Major medical"), LineOfAuthority: patch.Set("Accident & Health or Sickness")},
	{Code: patch.Set("FIXED-ANNUITY"), Name: patch.Set("Fixed annuity"), LineOfAuthority: patch.Set("Life")},
}

// productRules are what it takes to sell them, since before anybody did.
var productRules = []reference.ProductRuleInput{
	{Product: "TERM-LIFE", Rule: "Licence", CertificationTypes: []string{"LIFE"}, RequiresActiveStatus: true},
	{Product: "TERM-LIFE", Rule: "Upline", CertificationTypes: []string{"LIFE"}, Jurisdictions: []string{"US-NY"}, UplineDepth: 1},
	{Product: "MAJOR-MEDICAL", Rule: "Licence", CertificationTypes: []string{"HEALTH"}, RequiresActiveStatus: true},
	{Product: "FIXED-ANNUITY", Rule: "Licence and training", CertificationTypes: []string{"ANNUITY", "LIFE"}, RequiresAll: true, RequiresActiveStatus: true},
}

// addProducts defines the products and their rules at an instant. Products that the tenant
// has already stay as they are.
func (l *loader) addProducts(ctx context.Context, at time.Time) error {
	w, err := l.writer.Begin(ctx, l.tx, initiator)
	if err != nil {
		return err
	}
	w.StampAt(at)
	there, err := record.ReferenceKeys[string](ctx, w, record.ProductTable)
	if err != nil {
		return err
	}
	for _, p := range products {
		if p.Initiator = initiator; there[*p.Code.Value] {
			continue
		}
		if err := reference.DefineProduct(ctx, w, p); err != nil {
			return err
		}
		for _, r := range productRules {
			if r.Initiator, r.EffectiveFrom = initiator, date.Of(2000, time.January, 1); r.Product != *p.Code.Value {
				continue
			}
			if err := reference.ApplyRule(ctx, w, r); err != nil {
				return err
			}
		}
	}
	return nil
}
