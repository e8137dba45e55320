package certification

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/date"
)

// applyCertifications applies the rows that are not refused, in order, and writes the
// outcome.
func applyCertifications(ctx context.Context, im *imports.Import, rows []*certificationRow, matched, fresh []*importedCertification) error {
	ids, err := im.NewIDs(ctx, "agency_certification", len(fresh))
	if err != nil {
		return err
	}
	for n, c := range fresh {
		c.id = ids[n]
	}
	periods := imports.HistoriesLike(certificationTimeline(0))
	stored := make([]int64, len(matched))
	for n, c := range matched {
		stored[n] = c.id
	}
	if err := periods.Load(ctx, im.Writing, stored); err != nil {
		return err
	}
	first := map[*importedCertification]bool{}
	for _, r := range rows {
		if r.of == nil {
			continue
		}
		differs, err := r.applyTo(r.of, periods, im.Today)
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
	if err := copyCertifications(ctx, im, fresh); err != nil {
		return err
	}
	if err := periods.Write(ctx, im.Writing); err != nil {
		return err
	}
	return saveCertifications(ctx, im, append(fresh, matched...))
}

// applyTo changes a certification into what the row says (Certifications, outcomes).
func (r *certificationRow) applyTo(c *importedCertification, periods *imports.Histories[string], today date.Date) (differs bool, err error) {
	differ := Fields.Become(&c.Details, &r.Details)
	changed, err := periods.Apply(c.id, r.period, today)
	if changed {
		differ = append(differ, "status")
		if c.from == nil {
			c.from = r.period.From.Ptr()
		}
	}
	c.changed = append(c.changed, differ...)
	return len(differ) > 0, err
}

func copyCertifications(ctx context.Context, im *imports.Import, fresh []*importedCertification) error {
	orNull := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	rows := make([]*stored, len(fresh))
	for n, c := range fresh {
		rows[n] = &stored{ID: c.id, AgentID: c.agentID, Type: c.kind, ProviderCompany: orNull(c.providerCompany), Jurisdiction: orNull(c.jurisdiction),
			Identifier: orNull(c.identifier), Details: c.Details}
	}
	return insertCertifications(ctx, im.Writing, rows)
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
				append(Fields.Append(nil, &c.Details), im.Now, im.Initiator, im.Tenant.ID, c.id)...); err != nil {
				return err
			}
			paths = nil
			for _, f := range c.changed {
				paths = append(paths, "certifications."+f)
			}
		} else {
			c.changed = nil
		}
		agents = append(agents, c.agentID)
		im.NoteAgent(c.agentID, c.agentCode, record.Revised, paths...).NoteCertification(
			record.NotedCertification{ID: c.id, Type: c.kind, Fate: c.fate, Fields: c.changed, From: c.from})
	}
	return im.TouchAll(ctx, agents)
}
