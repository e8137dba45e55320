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
		r, err = upsertCertification(ctx, w, in, c)
		return err
	})
	if dryRun && r.IsNew {
		r.ID = 0
	}
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

// upsertCertification writes an input that has passed the checks that need no database; c
// holds the problems they found.
func upsertCertification(ctx context.Context, w *record.Writing, in Upsert, c record.Check) (r Result, err error) {
	period := in.period(w.Today)
	c.Period(period.From, period.Through)
	m, err := matchCertification(ctx, w, in, &c)
	if err := record.FirstOf(err, c.Err()); err != nil {
		return r, err
	}
	row, h := &m.row, statuses.None(0)
	if r.IsNew = !*m.found; r.IsNew {
		row = in.added(m.newID[0], w.AgentID)
		err = insertCertifications(ctx, w, []*stored{row})
	} else {
		h, err = statuses.Read(ctx, w, 0, row.ID)
	}
	if err != nil {
		return r, err
	}
	r.ID = row.ID
	if r.Change, err = statuses.Change(ctx, w, h, row.ID, period); err != nil {
		return r, err
	}
	next := *row
	differ := withStatus(Fields.Become(&next.Details, &in.Details), r.Change)
	r.Changed = len(differ) > 0
	switch {
	case r.IsNew:
		err = touchCertification(ctx, w, row, record.Added)
	case r.Changed:
		err = saveCertification(ctx, w, &next, differ...)
	}
	return r, err
}

// certificationMatch is what an upsert found in the database.
type certificationMatch struct {
	// row is the certification that matches, if one does.
	row   stored
	found *bool
	// newID is the id for a certification that is to be added.
	newID []int64
}

// matchCertification locks the agent and finds the certification that the input matches.
// It adds to c the problems that keep a new one from being added.
//
// Upserts of one agent wait here for each other, so the second of two that match finds
// what the first one wrote. The unique index agency_certification_match makes sure of
// that, and answers the look-up.
func matchCertification(ctx context.Context, w *record.Writing, in Upsert, c *record.Check) (m *certificationMatch, err error) {
	agent, err := w.AskForAgent(ctx, w.ForUpdate(), in.AgentCode)
	if err != nil {
		return nil, err
	}
	m = new(certificationMatch)
	m.found, err = askForCertification(ctx, w, &m.row, `
		WHERE tenant_id = $1 AND agent_id = (SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2) AND type = $3
		AND coalesce(provider_company, '') = $4 AND coalesce(jurisdiction, '') = $5 AND coalesce(identifier, '') = $6`,
		w.Tenant.ID, in.AgentCode, in.Type, orEmpty(in.ProviderCompany), orEmpty(in.Jurisdiction), orEmpty(in.Identifier))
	if err != nil {
		return nil, err
	}
	known, err := askReferences(ctx, w, &in)
	if err != nil {
		return nil, err
	}
	if m.newID, err = w.AskNewIDs(ctx, "agency_certification", 1); err != nil {
		return nil, err
	}
	if err := w.Flush(ctx); err != nil {
		return nil, err
	}
	if in.AgentCode != "" {
		_, err = w.Locked(ctx, agent, "agentCode")
		problems, fault := record.AsProblems(err)
		if fault != nil {
			return nil, fault
		}
		// The first problem decides the status: "POST /certifications with an
		// unknown AgentCode" is 404 (Errors), whatever else is wrong.
		c.List = append(problems, c.List...)
	}
	if !*m.found {
		known.check(&in, c)
	}
	return m, nil
}

// orEmpty returns the text of a nullable column as the unique index has it: a missing
// value "matches only certifications with no" such value (Matching rules, 2 to 4).
func orEmpty(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}

var newCertificationColumns = append([]string{"tenant_id"}, storedColumns...)

// added returns the certification that is added to an agent.
func (in *Upsert) added(id, agentID int64) *stored {
	return &stored{ID: id, AgentID: agentID, Type: in.Type, ProviderCompany: in.ProviderCompany, Jurisdiction: in.Jurisdiction, Identifier: in.Identifier, Details: in.Details}
}

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
