package certification

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
)

// Result is the outcome of a change of a certification.
type Result struct {
	// ID is 0 after a dry run that would add the certification.
	ID int64
	// IsNew is false when a certification matched.
	IsNew bool
	// Change is what happens to the status history; it is zero when the request
	// names no status.
	Change record.Change
	// Changed reports whether anything differs: the certification, its history
	// or both.
	Changed bool
	// row is the certification as the write leaves it.
	row Certification
}

// On returns the certification as the write left it, without another look at the
// database; nil where the write does not know what is asked for: what was known
// before it, or a status that it did not read.
func (r *Result) On(at history.AsOf) *Certification {
	if at.Known != (history.Known{}) || len(r.Change.After) == 0 {
		return nil
	}
	c := new(r.row)
	for _, p := range r.Change.After {
		if p.EffectiveFrom <= at.Day && (p.EffectiveThrough == nil || at.Day <= *p.EffectiveThrough) {
			c.Status, c.EffectiveFrom, c.EffectiveThrough = p.Value, &p.EffectiveFrom, p.EffectiveThrough
		}
	}
	return c
}

// left notes how the write leaves the certification.
func (r *Result) left(w *record.Writing, row Certification) {
	if r.row = row; r.Changed {
		r.row.LastModified, r.row.LastModifiedBy = w.Now, w.Initiator
	}
}
