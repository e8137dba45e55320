package certification

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
)

// Result is the outcome of a change of a certification.
type Result struct {
	// ID is 0 after a dry run that would add the certification.
	ID int64
	// IsNew is false if the input matched a certification.
	IsNew bool
	// Change is the change of the status history; zero if the request has no status.
	Change record.Change
	// Changed reports whether the certification or its history differs from before.
	Changed bool
	// row is the certification after the write.
	row Certification
}

// On returns the certification after the write, without reading the database again. It
// returns nil for what the write does not know: an earlier state of knowledge, or a
// status that it did not read.
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

// left stores the certification as the write leaves it.
func (r *Result) left(w *record.Writing, row Certification) {
	if r.row = row; r.Changed {
		r.row.LastModified, r.row.LastModifiedBy = w.Now, w.Initiator
	}
}
