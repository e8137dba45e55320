package certification

import (
	"context"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// Update holds the changes of a certification. Omitted fields stay as they are.
type Update struct {
	Details
	Status    patch.Field[string]
	Initiator string
}

// PeriodInput is a certification status for a range of days.
type PeriodInput struct {
	Status           string
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	Initiator        string
}

// UpdateCertification changes flags, note and status. A status that differs
// from the one in force "takes effect today, open-ended; the current period
// ends" (Certification statuses); the same status changes nothing.
func (s *Service) UpdateCertification(ctx context.Context, id int64, in Update, dryRun bool) (r Result, err error) {
	var c record.Check
	checkUpdate(&c, &in)
	if err := c.Err(); err != nil {
		return r, err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		row, err := lockCertification(ctx, w, id)
		if err != nil {
			return err
		}
		r, err = updateCertification(ctx, w, row, in)
		return err
	})
	return r, err
}

func checkUpdate(c *record.Check, in *Update) {
	in.Initiator = c.Initiator(in.Initiator)
	c.Properties(Fields, &in.Details)
	c.NotNull(in.Status, "status")
	if in.Status.Value != nil {
		checkStatus(c, *in.Status.Value)
	}
}

func updateCertification(ctx context.Context, w *record.Writing, row *stored, in Update) (r Result, err error) {
	r.ID = row.ID
	next := *row
	differ := Fields.Become(&next.Details, &in.Details)
	if in.Status.Sent {
		if r.Change, err = statuses.Set(ctx, w, 0, row.ID, *in.Status.Value); err != nil {
			return r, err
		}
	}
	differ = withStatus(differ, r.Change)
	if r.Changed = len(differ) > 0; r.Changed {
		err = saveCertification(ctx, w, &next, differ...)
	}
	return r, err
}

// ApplyCertificationPeriod applies a status to a range of days under the history rules.
func (s *Service) ApplyCertificationPeriod(ctx context.Context, id int64, in PeriodInput, dryRun bool) (change record.Change, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	checkStatus(&c, in.Status)
	c.Period(in.EffectiveFrom, in.EffectiveThrough)
	if err := c.Err(); err != nil {
		return change, err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		row, err := lockCertification(ctx, w, id)
		if err != nil {
			return err
		}
		h, err := statuses.Read(ctx, w, 0, id)
		if err != nil {
			return err
		}
		change, err = statuses.Change(ctx, w, h, id, history.Period[string]{From: in.EffectiveFrom, Through: in.EffectiveThrough, Value: in.Status})
		if err == nil && change.Changed {
			err = saveCertification(ctx, w, row, "status")
		}
		return err
	})
	return change, err
}

// DeleteCertification "permanently deletes the certification and its history"
// (Certifications), superseded periods included.
func (s *Service) DeleteCertification(ctx context.Context, id int64, initiator string) error {
	var c record.Check
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return err
	}
	return s.writer.Write(ctx, initiator, false, func(ctx context.Context, w *record.Writing) error {
		row, err := lockCertification(ctx, w, id)
		if err != nil {
			return err
		}
		// The foreign key of the periods deletes them too.
		if err := w.Later(ctx, "DELETE FROM agency_certification WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, id); err != nil {
			return err
		}
		return touchCertification(ctx, w, row, record.Removed)
	})
}

// lockCertification locks the agent that holds a certification and then reads the
// certification, which may have been deleted while it waited for the lock.
func lockCertification(ctx context.Context, w *record.Writing, id int64) (*stored, error) {
	holder, err := w.AskForHolder(ctx, "agency_certification", id)
	if err != nil {
		return nil, err
	}
	row := new(stored)
	found, err := askForCertification(ctx, w, row, " WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, id)
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return nil, err
	}
	switch seen, err := w.LockedHolder(ctx, holder); {
	case err != nil:
		return nil, err
	case !seen || !*found:
		return nil, problem.Missing(problem.NotFoundCode, "No certification has this id")
	}
	return row, w.CheckVersion(ctx, row.LastModified)
}

// askForCertification asks for the row that meets a condition.
func askForCertification(ctx context.Context, w *record.Writing, row *stored, where string, args ...any) (found *bool, err error) {
	return w.Ask(ctx, row.dest(), "SELECT "+strings.Join(storedColumns, ", ")+" FROM agency_certification"+where, args...)
}

// withStatus appends status to the fields that change, if the history of statuses does.
func withStatus(differ []string, status record.Change) []string {
	if status.Changed {
		return append(differ, "status")
	}
	return differ
}

var updateCertificationSQL = record.UpdateSQL("agency_certification", Fields.Columns())

// saveCertification stores the details of a certification. It notes the fields that
// change, and moves the lastModified of the certification and of its agent.
func saveCertification(ctx context.Context, w *record.Writing, row *stored, fields ...string) error {
	err := w.Later(ctx, updateCertificationSQL, append(Fields.Append(nil, &row.Details), w.Now, w.Initiator, w.Tenant.ID, row.ID)...)
	if err != nil {
		return err
	}
	return touchCertification(ctx, w, row, record.Revised, fields...)
}

// touchCertification is TouchAgent for a change of a certification.
func touchCertification(ctx context.Context, w *record.Writing, row *stored, f record.Fate, fields ...string) error {
	agent, err := w.Touch(ctx, row.AgentID, certificationFields(row.ID, fields...)...)
	agent.NoteCertification(record.NotedCertification{ID: row.ID, Type: row.Type, Fate: f, Fields: fields, From: w.PeriodFrom()})
	return err
}

// certificationFields returns the paths of a certification's fields from its agent; the
// path of the certification itself if it is added or deleted.
func certificationFields(id int64, fields ...string) []string {
	path := "certifications." + strconv.FormatInt(id, 10)
	if len(fields) == 0 {
		return []string{path}
	}
	paths := make([]string, len(fields))
	for i, f := range fields {
		paths[i] = path + "." + f
	}
	return paths
}
