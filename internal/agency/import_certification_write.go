package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/date"
)

// applyCertifications applies the good rows in their order, and writes what they
// come to.
func (im *importing) applyCertifications(ctx context.Context, rows []*certificationRow, matched, fresh []*importedCertification) error {
	ids, err := im.NewIDs(ctx, "agency_certification", len(fresh))
	if err != nil {
		return err
	}
	for n, c := range fresh {
		c.id = ids[n]
	}
	periods := historiesLike(certificationTimeline(0))
	stored := make([]int64, len(matched))
	for n, c := range matched {
		stored[n] = c.id
	}
	if err := periods.load(ctx, im.writing, stored); err != nil {
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
		case r.of.fate == added && !first[r.of]:
			im.done(r.i, bulk.Created)
		case differs:
			im.done(r.i, bulk.Updated)
		}
		first[r.of] = true
	}
	if err := im.copyCertifications(ctx, fresh); err != nil {
		return err
	}
	if err := periods.write(ctx, im.writing); err != nil {
		return err
	}
	return im.saveCertifications(ctx, append(fresh, matched...))
}

// applyTo makes a certification what the row says (Certifications, outcomes).
func (r *certificationRow) applyTo(c *importedCertification, periods *histories[string], today date.Date) (differs bool, err error) {
	differ := CertificationFields.Become(&c.CertificationDetails, &r.CertificationDetails)
	changed, err := periods.apply(c.id, r.period, today)
	if changed {
		differ = append(differ, "status")
		if c.from == nil {
			c.from = r.period.From.Ptr()
		}
	}
	c.changed = append(c.changed, differ...)
	return len(differ) > 0, err
}

func (im *importing) copyCertifications(ctx context.Context, fresh []*importedCertification) error {
	if len(fresh) == 0 {
		return nil
	}
	orNull := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return im.CopyFrom(ctx, "agency_certification", newCertificationColumns, func(yield func([]any) bool) {
		row := make([]any, 0, len(newCertificationColumns))
		for _, c := range fresh {
			stored := Certification{ID: c.id, AgentID: c.agentID, Type: c.kind, ProviderCompany: orNull(c.providerCompany), Jurisdiction: orNull(c.jurisdiction), Identifier: orNull(c.identifier),
				CertificationDetails: c.CertificationDetails, CreatedAt: im.Now, CreatedBy: im.Initiator, LastModified: im.Now, LastModifiedBy: im.Initiator}
			row = stored.written(append(row[:0], im.Tenant.ID))
			if !yield(row) {
				return
			}
		}
	})
}

// saveCertifications stores what changed of those that were there, moves the
// lastModified of the agents, and notes all that changed.
func (im *importing) saveCertifications(ctx context.Context, all []*importedCertification) error {
	var agents []int64
	for _, c := range all {
		paths := []string{"certifications"}
		if c.fate != added {
			if len(c.changed) == 0 {
				continue
			}
			if _, err := im.Exec(ctx, updateCertificationSQL,
				append(CertificationFields.Append(nil, &c.CertificationDetails), im.Now, im.Initiator, im.Tenant.ID, c.id)...); err != nil {
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
		im.changedAgent(c.agentID, c.agentCode, revised, paths...).changedCertification(
			notedCertification{id: c.id, certificationType: c.kind, fate: c.fate, fields: c.changed, from: c.from})
	}
	return im.touchAll(ctx, agents)
}
