package agency

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// PrepareRecruit makes the keys that Recruit uses: they are made in a
// transaction of their own, which must not wait for that of Recruit.
func (s *Service) PrepareRecruit(ctx context.Context) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	if err := s.vault.Prepare(ctx, t.ID); err != nil || t.MasterID == 0 {
		return err
	}
	return s.vault.Prepare(ctx, t.MasterID)
}

// Recruit registers an agent with its certifications in the transaction of
// another area, at the time of that change: "Processed (processed into an
// agent)" (Application statuses). It writes the agent's events and its audit
// entry, which locks the end of the tenant's chain, so the caller locks nothing
// after it.
//
// The path of a problem of a certification begins with certifications and its
// place in the list.
func (s *Service) Recruit(ctx context.Context, tx *store.Tx, now time.Time, in Registration, certifications []CertificationUpsert) (id int64, code string, err error) {
	frame, err := s.writer.Begin(ctx, tx, in.Initiator)
	if err != nil {
		return 0, "", err
	}
	frame.StampAt(now)
	w := &writing{Writing: frame}
	refused, fault := asProblems(s.checkRegistration(&in))
	if fault != nil {
		return 0, "", fault
	}
	periods, problems, err := w.checkRecruitCertifications(ctx, certifications)
	if err != nil {
		return 0, "", err
	}
	if refused = append(refused, problems...); len(refused) > 0 {
		return 0, "", refused
	}
	master, err := s.masterFor(ctx, in)
	if err != nil {
		return 0, "", err
	}
	if id, code, err = s.register(ctx, w, in, master); err != nil {
		return 0, "", err
	}
	for i, c := range certifications {
		if err := w.recruitCertification(ctx, id, c, periods[i]); err != nil {
			return 0, "", err
		}
	}
	w.notes.from = nil // nothing of a new agent is a period on its own
	if err := w.tell(ctx); err != nil {
		return 0, "", err
	}
	return id, code, w.Conclude(ctx)
}

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
	w.notes.from = nil
	if _, err = w.applyCertificationPeriod(ctx, certificationTimeline(id[0]), nil, period); err != nil {
		return err
	}
	return w.touchCertification(ctx, row, added)
}
