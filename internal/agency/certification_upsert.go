package agency

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/certification"
	"github.com/uplinehq/upline/ent/db/predicate"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
)

// CertificationUpsert is a certification to add, or to update when one matches.
type CertificationUpsert struct {
	// AgentCode, Type, ProviderCompany, Jurisdiction and Identifier decide what
	// matches.
	AgentCode, Type                           string
	ProviderCompany, Jurisdiction, Identifier *string
	IsResidentCertification, IsVerified       bool
	Status                                    *string    // nil: ACTIVE
	EffectiveFrom                             *date.Date // nil: today
	EffectiveThrough                          *date.Date
	Note                                      *string
	Initiator                                 string
}

// CertificationResult is the outcome of a change of a certification.
type CertificationResult struct {
	// ID is 0 after a dry run that would add the certification.
	ID int64
	// IsNew is false when a certification matched.
	IsNew bool
	// Change is what happens to the status history; it is zero when the request
	// names no status.
	Change Change
	// Changed reports whether anything differs: the certification, its history
	// or both.
	Changed bool
}

// UpsertCertification adds a certification, or updates the one of the agent
// that matches by type, provider company, jurisdiction and identifier.
//
// On a match "isVerified, isResidentCertification and note are overwritten; an
// omitted note clears the existing one; the status period is applied with the
// history rules (no change if an identical period exists)" (Certifications,
// outcomes). Everything wrong with the input is reported together.
func (s *Service) UpsertCertification(ctx context.Context, in CertificationUpsert, dryRun bool) (r CertificationResult, err error) {
	var c inputCheck
	c.certificationUpsert(&in)
	err = s.write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *writing) error {
		r, err = w.upsertCertification(ctx, in, c)
		return err
	})
	if dryRun && r.IsNew {
		r.ID = 0
	}
	return r, err
}

func (c *inputCheck) certificationUpsert(in *CertificationUpsert) {
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Required(in.AgentCode, maxText, "agentCode")
	c.certification(in)
}

// certification checks what an input says of the certification itself.
func (c *inputCheck) certification(in *CertificationUpsert) {
	in.Type = c.Required(in.Type, maxText, "type")
	in.ProviderCompany = c.Optional(in.ProviderCompany, maxText, "providerCompany")
	in.Jurisdiction = c.Optional(in.Jurisdiction, maxText, "jurisdiction")
	// "A missing or blank value matches only certifications with no
	// identifier" (Matching rules, 4).
	in.Identifier = c.Optional(in.Identifier, maxText, "identifier")
	in.Note = c.Optional(in.Note, maxNote, "note")
	if in.Status == nil {
		in.Status = new(string(ActiveStatus))
	}
	c.certificationStatus(*in.Status)
}

func (c *inputCheck) certificationStatus(status string) {
	if _, err := CertificationStatuses.Parse(status); err != nil {
		c.Refuse(problem.UnknownStatus, "The specified certification status is not recognized.", "status")
	}
}

// upsertCertification writes an input that has been checked as far as that goes
// without the database; c holds what was found.
func (w *writing) upsertCertification(ctx context.Context, in CertificationUpsert, c inputCheck) (r CertificationResult, err error) {
	period := history.Period[string]{From: w.Today, Through: in.EffectiveThrough, Value: *in.Status}
	if in.EffectiveFrom != nil {
		period.From = *in.EffectiveFrom
	}
	c.period(period.From, period.Through)
	agentID, row, err := w.matchCertification(ctx, in, &c)
	if err := firstOf(err, c.Err()); err != nil {
		return r, err
	}
	if r.IsNew = row == nil; r.IsNew {
		if row, err = w.insertCertification(ctx, agentID, in); err != nil {
			return r, err
		}
	}
	r.ID = row.ID
	if r.Change, err = w.applyCertificationPeriod(ctx, row.ID, period); err != nil {
		return r, err
	}
	next := *row
	next.IsResidentCertification, next.IsVerified, next.Note = in.IsResidentCertification, in.IsVerified, in.Note
	differ := certificationDifferences(row, &next, r.Change)
	r.Changed = len(differ) > 0
	switch {
	case r.IsNew:
		err = w.touchCertification(ctx, row, added)
	case r.Changed:
		err = w.saveCertification(ctx, &next, differ...)
	}
	return r, err
}

// matchCertification locks the agent and finds the certification that the input
// matches, nil for none. What keeps a new one from being added goes to c.
//
// Every upsert waits here for the others of its agent, so the second of two
// that match finds what the first one wrote; the unique index
// agency_certification_match backs this.
func (w *writing) matchCertification(ctx context.Context, in CertificationUpsert, c *inputCheck) (agentID int64, row *db.Certification, err error) {
	if in.AgentCode != "" {
		agentID, err = w.lockAgent(ctx, in.AgentCode, "agentCode")
		problems, fault := asProblems(err)
		if fault != nil {
			return 0, nil, fault
		}
		// The first problem decides the status: "POST /certifications with an
		// unknown agentCode" is 404 (Errors), whatever else is wrong.
		c.List = append(problems, c.List...)
	}
	row, err = w.Certification.Query().Where(
		certification.AgentID(agentID), certification.Type(in.Type),
		equalOrMissing(in.ProviderCompany, certification.ProviderCompany, certification.ProviderCompanyIsNil),
		equalOrMissing(in.Jurisdiction, certification.Jurisdiction, certification.JurisdictionIsNil),
		equalOrMissing(in.Identifier, certification.Identifier, certification.IdentifierIsNil),
	).Only(ctx)
	if db.IsNotFound(err) {
		return agentID, nil, w.checkNewCertification(ctx, in, c)
	}
	return agentID, row, err
}

// equalOrMissing is the condition that a value "matches only certifications
// with no" such value when it is missing itself (Matching rules, 2 to 4).
func equalOrMissing(v *string, equal func(string) predicate.Certification, missing func() predicate.Certification) predicate.Certification {
	if v == nil {
		return missing()
	}
	return equal(*v)
}

// checkNewCertification checks what a new certification refers to. One that
// matches refers to it already: a disabled type is no reason to refuse its
// renewal.
func (w *writing) checkNewCertification(ctx context.Context, in CertificationUpsert, c *inputCheck) error {
	var needsJurisdiction, needsCompany bool
	known, err := store.One(ctx, w, []any{&needsJurisdiction, &needsCompany},
		`SELECT requires_jurisdiction, requires_provider_company FROM agency_certification_type
		WHERE tenant_id = $1 AND code = $2 AND is_enabled`, w.Tenant.ID, in.Type)
	if err != nil {
		return err
	}
	if !known && in.Type != "" {
		c.Refuse(problem.UnknownCertificationType, "The specified certification type is not recognized.", "type")
	}
	for _, r := range []struct {
		table    referenceTable
		key      *string
		required bool
		field    string
	}{
		{jurisdictionTable, in.Jurisdiction, needsJurisdiction, "jurisdiction"},
		{providerCompanyTable, in.ProviderCompany, needsCompany, "providerCompany"},
	} {
		switch {
		case r.key != nil:
			if err := w.mustRefer(ctx, &c.List, r.table, *r.key, r.field); err != nil {
				return err
			}
		case r.required:
			c.Refuse(problem.Required, "is required for certifications of this type", r.field)
		}
	}
	return nil
}

func (w *writing) insertCertification(ctx context.Context, agentID int64, in CertificationUpsert) (*db.Certification, error) {
	return w.Certification.Create().SetAgentID(agentID).SetType(in.Type).SetNillableProviderCompany(in.ProviderCompany).
		SetNillableJurisdiction(in.Jurisdiction).SetNillableIdentifier(in.Identifier).
		SetIsResidentCertification(in.IsResidentCertification).SetIsVerified(in.IsVerified).SetNillableNote(in.Note).
		SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
}
