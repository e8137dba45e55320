package certification

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
)

// applyCertifications applies the rows that are not refused, in order, and writes the
// outcome.
func applyCertifications(ctx context.Context, im *imports.Import, rows []*certificationRow, matched, fresh []*importedCertification) error {
	ids, err := im.NewIDs(ctx, "agency_certification", len(fresh))
	if err != nil {
		return err
	}
	added := make([]*stored, len(fresh))
	for n, c := range fresh {
		c.ID, added[n] = ids[n], &c.stored
	}
	known := make([]int64, len(matched))
	for n, c := range matched {
		known[n] = c.ID
	}
	periods, err := statuses.Read(ctx, im.Writing, 0, known...)
	if err != nil {
		return err
	}
	first := map[*importedCertification]bool{}
	for _, r := range rows {
		if r.of == nil {
			continue
		}
		differs, err := r.applyTo(im.Writing, r.of, periods)
		if err != nil {
			return err
		}
		switch {
		case r.of.fate == record.Added && !first[r.of]:
			im.Done(r.i, bulk.Created)
		case differs:
			im.Done(r.i, bulk.Updated)
		}
		first[r.of] = true
	}
	if err := insertCertifications(ctx, im.Writing, added); err != nil {
		return err
	}
	if err := periods.Write(ctx, im.Writing); err != nil {
		return err
	}
	return saveCertifications(ctx, im, append(fresh, matched...))
}

// applyTo changes a certification into what the row says (Certifications, outcomes).
func (r *certificationRow) applyTo(w *record.Writing, c *importedCertification, periods *record.Histories[string]) (differs bool, err error) {
	differ := Fields.Become(&c.Details, &r.Details)
	plan, err := periods.Apply(w, c.ID, r.period)
	if plan.Changed() {
		differ = append(differ, "status")
		if c.from == nil {
			c.from = r.period.From.Ptr()
		}
	}
	c.changed = append(c.changed, differ...)
	return len(differ) > 0, err
}

// saveCertifications stores the existing certifications that changed, moves the
// lastModified of their agents, and notes every change.
func saveCertifications(ctx context.Context, im *imports.Import, all []*importedCertification) error {
	var agents []int64
	for _, c := range all {
		paths := []string{"certifications"}
		if c.fate != record.Added {
			if len(c.changed) == 0 {
				continue
			}
			if _, err := im.Exec(ctx, updateCertificationSQL,
				append(Fields.Append(nil, &c.Details), im.Now, im.Initiator, im.Tenant.ID, c.ID)...); err != nil {
				return err
			}
			paths = nil
			for _, f := range c.changed {
				paths = append(paths, "certifications."+f)
			}
		} else {
			c.changed = nil
		}
		agents = append(agents, c.AgentID)
		im.NoteAgent(c.AgentID, c.agentCode, record.Revised, paths...).NoteCertification(
			record.NotedCertification{ID: c.ID, Type: c.Type, Fate: c.fate, Fields: c.changed, From: c.from})
	}
	return im.TouchAll(ctx, agents)
}
