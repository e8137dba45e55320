package certification

import (
	"context"
	"strconv"

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
		c, err := lockCertification(ctx, w, id)
		if err != nil {
			return err
		}
		r = Result{ID: id}
		if in.Status.Sent {
			if r.Change, err = statuses.Set(ctx, w, 0, id, *in.Status.Value); err != nil {
				return err
			}
		}
		r.Changed = c.become(&in.Details, r.Change.Changed, w.Today)
		return save(ctx, w, c)
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
		c, err := lockCertification(ctx, w, id)
		if err != nil {
			return err
		}
		h, err := statuses.Read(ctx, w, 0, id)
		if err != nil {
			return err
		}
		change, err = statuses.Change(ctx, w, h, id, history.Period[string]{From: in.EffectiveFrom, Through: in.EffectiveThrough, Value: in.Status})
		if err != nil {
			return err
		}
		c.become(&Details{}, change.Changed, in.EffectiveFrom)
		return save(ctx, w, c)
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
		c, err := lockCertification(ctx, w, id)
		if err != nil {
			return err
		}
		return c.remove(ctx, w)
	})
}

// remove deletes a certification. The foreign key of its periods deletes them too.
func (c *changed) remove(ctx context.Context, w *record.Writing) error {
	c.fate = record.Removed
	if err := w.Later(ctx, "DELETE FROM agency_certification WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, c.ID); err != nil {
		return err
	}
	return record.FirstOf(w.ForgetRow(ctx, "agency_certification", w.Tenant.ID, c.ID), save(ctx, w, c))
}

// changed is a certification while a write adds, changes or deletes it.
type changed struct {
	stored
	agentCode string
	fate      record.Fate
	// fields are those that differ from before.
	fields []string
	// from is the first day of the first period that changes its status; nil if none does.
	from *date.Date
}

// become changes the details, notes whether a period from a day on changes the status, and
// reports whether anything differs from before.
func (c *changed) become(d *Details, status bool, from date.Date) bool {
	differ := Fields.Become(&c.Details, d)
	if status {
		differ = append(differ, "status")
		if c.from == nil {
			c.from = &from
		}
	}
	c.fields = append(c.fields, differ...)
	return len(differ) > 0
}

// lockCertification locks the agent that holds a certification and then reads the
// certification, which may have been deleted while it waited for the lock.
func lockCertification(ctx context.Context, w *record.Writing, id int64) (*changed, error) {
	holder, err := w.AskForHolder(ctx, "agency_certification", id)
	if err != nil {
		return nil, err
	}
	c := new(changed)
	found, err := w.Ask(ctx, c.dest(), selectStored+"id = $2", w.Tenant.ID, id)
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return nil, err
	}
	switch seen, err := w.LockedHolder(ctx, holder); {
	case err != nil:
		return nil, err
	case !seen || !*found:
		return nil, problem.Missing(problem.NotFoundCode, "No certification has this id")
	}
	c.agentCode = w.AgentCode
	return c, w.CheckVersion(ctx, c.LastModified)
}

var updateCertificationSQL = record.UpdateSQL("agency_certification", Fields.Columns())

// save stores the details of the certifications that change, notes what is done to each,
// and moves the lastModified of their agents.
func save(ctx context.Context, w *record.Writing, all ...*changed) error {
	var agents []int64
	for _, c := range all {
		switch {
		case c.fate == record.Added:
			c.fields = nil
		case c.fate == record.Revised && len(c.fields) == 0:
			continue
		case c.fate == record.Revised:
			err := w.Later(ctx, updateCertificationSQL, append(Fields.Append(nil, &c.Details), w.Now, w.Initiator, w.Tenant.ID, c.ID)...)
			if err != nil {
				return err
			}
		}
		agents = append(agents, c.AgentID)
		w.NoteAgent(c.AgentID, c.agentCode, record.Revised, certificationFields(c.ID, c.fields...)...).NoteCertification(
			record.NotedCertification{ID: c.ID, Type: c.Type, Fate: c.fate, Fields: c.fields, From: c.from})
	}
	return w.TouchNoted(ctx, agents)
}

// certificationsPath is the path of a certification from its agent.
func certificationsPath(id int64) string { return "certifications." + strconv.FormatInt(id, 10) }

// certificationFields returns the paths of a certification's fields from its agent; the
// path of the certification itself if it is added or deleted.
func certificationFields(id int64, fields ...string) []string {
	path := certificationsPath(id)
	if len(fields) == 0 {
		return []string{path}
	}
	paths := make([]string, len(fields))
	for i, f := range fields {
		paths[i] = path + "." + f
	}
	return paths
}
