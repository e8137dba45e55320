package agency

import (
	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/internal/history"
)

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
	// row is the certification as the write leaves it.
	row db.Certification
}

// On returns the certification as the write left it, without another look at the
// database; nil where the write does not know what is asked for: what was known
// before it, or a status that it did not read.
func (r *CertificationResult) On(at history.AsOf) *Certification {
	if at.Known != (history.Known{}) || len(r.Change.After) == 0 {
		return nil
	}
	c := &Certification{ID: r.row.ID, AgentID: r.row.AgentID, Type: r.row.Type, ProviderCompany: r.row.ProviderCompany, Jurisdiction: r.row.Jurisdiction,
		Identifier: r.row.Identifier, IsResidentCertification: r.row.IsResidentCertification, IsVerified: r.row.IsVerified, Note: r.row.Note,
		CreatedAt: r.row.CreatedAt, CreatedBy: r.row.CreatedBy, LastModified: r.row.LastModified, LastModifiedBy: r.row.LastModifiedBy}
	for _, p := range r.Change.After {
		if p.EffectiveFrom <= at.Day && (p.EffectiveThrough == nil || at.Day <= *p.EffectiveThrough) {
			c.Status, c.EffectiveFrom, c.EffectiveThrough = p.Value, &p.EffectiveFrom, p.EffectiveThrough
		}
	}
	return c
}

// left notes how the write leaves the certification.
func (r *CertificationResult) left(w *writing, row db.Certification) {
	if r.row = row; r.Changed {
		r.row.LastModified, r.row.LastModifiedBy = w.Now, w.Initiator
	}
}
