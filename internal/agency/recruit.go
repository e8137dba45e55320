package agency

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// PrepareRecruit makes the keys that Recruit needs. They are made in a transaction of
// their own, which would otherwise have to wait for that of Recruit.
func (r *registry) PrepareRecruit(ctx context.Context) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	if err := r.vault.Prepare(ctx, t.ID); err != nil || t.MasterID == 0 {
		return err
	}
	return r.vault.Prepare(ctx, t.MasterID)
}

// Recruit registers an agent with its certifications, in the transaction and at the time
// of a change of another area: "Processed (processed into an agent)" (Application
// statuses). It writes the agent's events and its audit entry. That comes last (audit.Trail.Write), so
// the caller must not lock anything after it.
//
// The path of a problem with a certification begins with certifications and its index in
// the list.
func (r *registry) Recruit(ctx context.Context, tx *store.Tx, now time.Time, in Registration, certifications []certification.Upsert) (id int64, code string, err error) {
	w, err := r.writer.Begin(ctx, tx, in.Initiator)
	if err != nil {
		return 0, "", err
	}
	w.StampAt(now)
	refused, fault := record.AsProblems(r.checkRegistration(&in, w.Today))
	if fault != nil {
		return 0, "", fault
	}
	held, problems, err := certification.CheckRecruit(ctx, w, certifications)
	if err != nil {
		return 0, "", err
	}
	if refused = append(refused, problems...); len(refused) > 0 {
		return 0, "", refused
	}
	master, err := r.masterFor(ctx, in)
	if err != nil {
		return 0, "", err
	}
	if id, code, err = r.register(ctx, w, in, master); err != nil {
		return 0, "", err
	}
	for i := range held {
		held[i].AgentID, held[i].AgentCode = id, code
	}
	if err := certification.Insert(ctx, w, held); err != nil {
		return 0, "", err
	}
	return id, code, w.Finish(ctx)
}
