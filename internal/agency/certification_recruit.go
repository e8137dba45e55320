package agency

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/problem"
)

// checkRecruitCertifications checks the certifications of a new agent and
// returns the periods of their statuses. Nothing of the agent can match one but
// another one of the list.
func (w *writing) checkRecruitCertifications(ctx context.Context, all []CertificationUpsert) (periods []history.Period[string], refused problem.List, err error) {
	for i := range all {
		var c inputCheck
		in := &all[i]
		in.Initiator = w.Initiator
		c.certification(in)
		period := in.period(w.Today)
		c.period(period.From, period.Through)
		if slices.ContainsFunc(all[:i], in.matches) {
			c.Refuse(problem.DuplicateKey, "is listed twice")
		}
		known, err := w.askNamedReferences(ctx, *in)
		if err := firstOf(err, w.Flush(ctx)); err != nil {
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

// matches reports whether another input is about the same certification of one
// agent (Matching rules).
func (in *CertificationUpsert) matches(other CertificationUpsert) bool {
	return in.Type == other.Type && same(in.ProviderCompany, other.ProviderCompany) &&
		same(in.Jurisdiction, other.Jurisdiction) && same(in.Identifier, other.Identifier)
}

func (w *writing) recruitCertification(ctx context.Context, agentID int64, in CertificationUpsert, period history.Period[string]) error {
	id, err := w.NewIDs(ctx, "agency_certification", 1)
	if err != nil {
		return err
	}
	row, err := w.insertCertification(ctx, id[0], agentID, in)
	if err != nil {
		return err
	}
	w.forgetPeriod()
	if _, err = w.applyCertificationPeriod(ctx, certificationTimeline(id[0]), nil, period); err != nil {
		return err
	}
	return w.touchCertification(ctx, row, added)
}
