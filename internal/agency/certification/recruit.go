package certification

import (
	"context"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

// Held is a certification of a new agent, with the periods of its statuses. It belongs to
// the agent with the code of the Upsert.
type Held struct {
	Upsert
	AgentID  int64
	Statuses []history.Period[string]
}

// CheckRecruit checks the certifications of a new agent. A certification of a new agent
// can match only another one of the list.
func CheckRecruit(ctx context.Context, w *record.Writing, all []Upsert) (held []Held, refused problem.List, err error) {
	checks, named, listed := make([]record.Check, len(all)), make([]*Upsert, len(all)), map[key]bool{}
	for i := range all {
		in, c := &all[i], &checks[i]
		in.Initiator = w.Initiator
		checkCertification(c, in)
		period := in.period(w.Today)
		c.Period(period.From, period.Through)
		if k := in.added(0, 0).key(); listed[k] {
			c.Refuse(problem.DuplicateKey, "is listed twice")
		} else {
			listed[k] = true
		}
		held, named[i] = append(held, Held{Upsert: *in, Statuses: []history.Period[string]{period}}), in
	}
	known, err := askReferences(ctx, w, named...)
	if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
		return nil, nil, err
	}
	for i := range checks {
		known.check(named[i], &checks[i])
		for _, p := range checks[i].List {
			refused.Add(p.Under("certifications", strconv.Itoa(i)))
		}
	}
	return held, refused, nil
}

// Insert adds the certifications of new agents. They have passed CheckRecruit, or a check
// as good.
func Insert(ctx context.Context, w *record.Writing, all []Held) error {
	ids, err := w.NewIDs(ctx, "agency_certification", len(all))
	if err != nil {
		return err
	}
	rows, periods := make([]*stored, len(all)), statuses.None(0)
	for i := range all {
		in := &all[i]
		rows[i] = &in.added(ids[i], in.AgentID).stored
		for _, p := range in.Statuses {
			if _, err := periods.Apply(w, ids[i], p); err != nil {
				return err
			}
		}
		w.NoteAgent(in.AgentID, in.AgentCode, record.Revised, certificationFields(ids[i])...).NoteCertification(
			record.NotedCertification{ID: ids[i], Type: in.Type, Fate: record.Added, From: in.Statuses[0].From.Ptr()})
	}
	if err := insertCertifications(ctx, w, rows); err != nil {
		return err
	}
	w.ForgetPeriod() // nothing of a new agent is a period on its own
	return periods.Write(ctx, w)
}
