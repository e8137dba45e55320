package certification

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/problem"
)

// CheckRecruit checks the certifications of a new agent and returns the periods of their
// statuses. A certification of a new agent can match only another one of the list.
func CheckRecruit(ctx context.Context, w *record.Writing, all []Upsert) (periods []history.Period[string], refused problem.List, err error) {
	for i := range all {
		var c record.Check
		in := &all[i]
		in.Initiator = w.Initiator
		checkCertification(&c, in)
		period := in.period(w.Today)
		c.Period(period.From, period.Through)
		if slices.ContainsFunc(all[:i], in.matches) {
			c.Refuse(problem.DuplicateKey, "is listed twice")
		}
		known, err := askNamedReferences(ctx, w, *in)
		if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
			return nil, nil, err
		}
		known.check(*in, &c)
		for _, p := range c.List {
			refused.Add(p.Under("certifications", strconv.Itoa(i)))
		}
		periods = append(periods, period)
	}
	return periods, refused, nil
}

// matches reports whether another input is about the same certification of the same agent
// (Matching rules).
func (in *Upsert) matches(other Upsert) bool {
	return in.Type == other.Type && record.Same(in.ProviderCompany, other.ProviderCompany) &&
		record.Same(in.Jurisdiction, other.Jurisdiction) && record.Same(in.Identifier, other.Identifier)
}

// AddRecruit adds a certification that has passed CheckRecruit to a new agent.
func AddRecruit(ctx context.Context, w *record.Writing, agentID int64, in Upsert, period history.Period[string]) error {
	id, err := w.NewIDs(ctx, "agency_certification", 1)
	if err != nil {
		return err
	}
	row, err := insertCertification(ctx, w, id[0], agentID, in)
	if err != nil {
		return err
	}
	w.ForgetPeriod()
	if _, err = statuses.Change(ctx, w, statuses.None(0), id[0], period); err != nil {
		return err
	}
	return touchCertification(ctx, w, row, record.Added)
}
