package certification

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

// Upsert is a certification to add, or to update if one matches.
type Upsert struct {
	// AgentCode, Type, ProviderCompany, Jurisdiction and Identifier decide which one
	// matches.
	AgentCode, Type                           string
	ProviderCompany, Jurisdiction, Identifier *string
	Details
	Status           *string    // nil: ACTIVE
	EffectiveFrom    *date.Date // nil: today
	EffectiveThrough *date.Date
	Initiator        string
}

// period returns the period of the status. It begins today unless the input says when.
func (in *Upsert) period(today date.Date) history.Period[string] {
	p := history.Period[string]{From: today, Through: in.EffectiveThrough, Value: *in.Status}
	if in.EffectiveFrom != nil {
		p.From = *in.EffectiveFrom
	}
	return p
}

// UpsertCertification adds a certification, or updates the agent's certification with the
// same type, provider company, jurisdiction and identifier.
//
// On a match "isVerified, isResidentCertification and note are overwritten; an omitted
// note clears the existing one; the status period is applied with the history rules (no
// change if an identical period exists)" (Certifications, outcomes). It reports
// everything that is wrong with the input at once.
func (s *Service) UpsertCertification(ctx context.Context, in Upsert, dryRun bool) (r Result, err error) {
	var c record.Check
	checkUpsert(&c, &in)
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		r, err = upsertOne(ctx, w, in, c)
		return err
	})
	return r, err
}

func checkUpsert(c *record.Check, in *Upsert) {
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Required(in.AgentCode, record.MaxText, "agentCode")
	checkCertification(c, in)
}

// checkCertification checks the properties of the certification itself.
func checkCertification(c *record.Check, in *Upsert) {
	in.Type = c.Required(in.Type, record.MaxText, "type")
	in.ProviderCompany = c.Optional(in.ProviderCompany, record.MaxText, "providerCompany")
	in.Jurisdiction = c.Optional(in.Jurisdiction, record.MaxText, "jurisdiction")
	// "A missing or blank value matches only certifications with no
	// identifier" (Matching rules, 4).
	in.Identifier = c.Optional(in.Identifier, record.MaxText, "identifier")
	Fields.Complete(&in.Details)
	Fields.Whole(&in.Details)
	c.Properties(Fields, &in.Details)
	if in.Status == nil {
		in.Status = new(string(record.ActiveStatus))
	}
	checkStatus(c, *in.Status)
}

func checkStatus(c *record.Check, status string) {
	if _, err := record.CertificationStatuses.Parse(status); err != nil {
		c.Refuse(problem.UnknownStatus, "The specified certification status is not recognized.", "status")
	}
}

// upsertOne is the batch of one. It locks the agent, and asks for the only row that can
// match: an agent may hold hundreds.
//
// Upserts of one agent wait here for each other, so the second of two that match finds
// what the first one wrote. The unique index agency_certification_match makes sure of
// that, and answers the look-up.
func upsertOne(ctx context.Context, w *record.Writing, in Upsert, c record.Check) (Result, error) {
	one := newUpserting(in, c, w.Today)
	agent, err := w.AskForAgent(ctx, w.ForUpdate(), in.AgentCode)
	if err != nil {
		return Result{}, err
	}
	b, err := askBatch(ctx, w, []*upserting{one}, `agent_id = (SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2) AND type = $3
		AND coalesce(provider_company, '') = $4 AND coalesce(jurisdiction, '') = $5 AND coalesce(identifier, '') = $6`,
		in.AgentCode, in.Type, orEmpty(in.ProviderCompany), orEmpty(in.Jurisdiction), orEmpty(in.Identifier))
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return Result{}, err
	}
	var agentID int64
	if in.AgentCode != "" {
		if agentID, err = w.Locked(ctx, agent, "agentCode"); err != nil && !one.refuseAgent(err) {
			return Result{}, err
		}
	}
	b.match(map[string]int64{in.AgentCode: agentID})
	if err := one.refused.Err(); err != nil {
		return Result{}, err
	}
	periods, err := b.write(ctx)
	if err != nil {
		return Result{}, err
	}
	one.Change = statuses.Describe(w, periods, one.ID, one.plan, one.period.From)
	return one.Result, nil
}

var newCertificationColumns = append([]string{"tenant_id"}, storedColumns...)

// insertCertifications adds certifications, which get the stamp of the write.
func insertCertifications(ctx context.Context, w *record.Writing, rows []*stored) error {
	return w.CopyLater(ctx, "agency_certification", newCertificationColumns, func(yield func([]any) bool) {
		row := make([]any, 0, len(newCertificationColumns))
		for _, c := range rows {
			c.CreatedAt, c.CreatedBy, c.LastModified, c.LastModifiedBy = w.Now, w.Initiator, w.Now, w.Initiator
			if row = c.written(append(row[:0], w.Tenant.ID)); !yield(row) {
				return
			}
		}
	})
}

// written appends the values of storedColumns to a row.
func (c *stored) written(row []any) []any {
	row = append(row, c.ID, c.AgentID, c.Type, c.ProviderCompany, c.Jurisdiction, c.Identifier, c.CreatedAt, c.CreatedBy, c.LastModified, c.LastModifiedBy)
	return Fields.Append(row, &c.Details)
}
