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
	periods := certificationHistories()
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
	var fields []string
	if c.isResident != r.IsResidentCertification {
		fields = append(fields, "isResidentCertification")
	}
	if c.isVerified != r.IsVerified {
		fields = append(fields, "isVerified")
	}
	if !same(c.note, r.Note) {
		fields = append(fields, "note")
	}
	c.isResident, c.isVerified, c.note = r.IsResidentCertification, r.IsVerified, r.Note
	changed, err := periods.apply(c.id, r.period, today)
	if changed {
		fields = append(fields, "status")
		if c.from == nil {
			c.from = r.period.From.Ptr()
		}
	}
	c.changed = append(c.changed, fields...)
	return len(fields) > 0, err
}

var newCertificationColumns = []string{
	"tenant_id", "id", "agent_id", "type", "provider_company", "jurisdiction", "identifier",
	"is_resident_certification", "is_verified", "note", "created_at", "created_by", "last_modified", "last_modified_by",
}

func (im *importing) copyCertifications(ctx context.Context, fresh []*importedCertification) error {
	if len(fresh) == 0 {
		return nil
	}
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return im.CopyFrom(ctx, "agency_certification", newCertificationColumns, func(yield func([]any) bool) {
		row := make([]any, 0, len(newCertificationColumns))
		for _, c := range fresh {
			row = append(row[:0], im.Tenant.ID, c.id, c.agentID, c.kind, orNull(c.providerCompany), orNull(c.jurisdiction), orNull(c.identifier),
				c.isResident, c.isVerified, c.note, im.Now, im.Initiator, im.Now, im.Initiator)
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
			if _, err := im.Exec(ctx, `UPDATE agency_certification SET is_resident_certification = $1, is_verified = $2, note = $3,
				last_modified = $4, last_modified_by = $5 WHERE tenant_id = $6 AND id = $7`,
				c.isResident, c.isVerified, c.note, im.Now, im.Initiator, im.Tenant.ID, c.id); err != nil {
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
		noted := im.changed(agentEntity, c.agentCode, paths...)
		noted.id = c.agentID
		noted.certifications = append(noted.certifications, &notedCertification{id: c.id, certificationType: c.kind, fate: c.fate, fields: c.changed, from: c.from})
	}
	return im.touchAll(ctx, agents)
}
