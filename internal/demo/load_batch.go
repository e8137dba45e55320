package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// loader is a load under way.
type loader struct {
	tx     *store.Tx
	vault  *vault.Vault
	tenant *tenant.Tenant
	teamID int64
	now    time.Time
	today  date.Date
	// agentIDs are those of the agents so far, by index in the agency.
	agentIDs []int64
}

// batch is some agents in a row, and what is stored of them beyond what the
// generator made up.
type batch struct {
	*loader
	first            int // index in the agency
	agents           []Agent
	sealed           []sealed // by agent
	certificationIDs []int64  // of all certifications, in order
	payees           payeeRows
}

// id is the id of an agent of the batch.
func (b *batch) id(i int) int64 { return b.agentIDs[b.first+i] }

// sealed is a government identifier as it is stored.
type sealed struct{ ciphertext, index []byte }

// add writes agents and all that belongs to them.
func (l *loader) add(ctx context.Context, agents []Agent) error {
	b := &batch{loader: l, first: len(l.agentIDs), agents: agents}
	agentIDs, err := l.tx.NewIDs(ctx, "agency_agent", len(agents))
	if err != nil {
		return err
	}
	l.agentIDs = append(l.agentIDs, agentIDs...)
	certifications := 0
	for i := range agents {
		certifications += len(agents[i].Certifications)
	}
	if b.certificationIDs, err = l.tx.NewIDs(ctx, "agency_certification", certifications); err != nil {
		return err
	}
	if err := b.seal(ctx); err != nil {
		return err
	}
	if err := b.preparePayees(ctx); err != nil {
		return err
	}
	for _, t := range tables {
		if err := l.tx.CopyFrom(ctx, t.name, t.columns, t.rows(b)); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// seal encrypts the government identifiers. Each is bound to its row, so the
// ids come first.
func (b *batch) seal(ctx context.Context) (err error) {
	b.sealed = make([]sealed, len(b.agents))
	for i := range b.agents {
		s, identifier := &b.sealed[i], b.agents[i].GovernmentIdentifier
		if s.ciphertext, s.index, err = agency.SealGovernmentIdentifier(ctx, b.vault, b.tenant.ID, b.id(i), identifier); err != nil {
			return err
		}
	}
	return nil
}

// recorded is the instant at which somebody entered a fact about an agent that holds from
// a day on: on that day, but neither before the agent started nor later than the last
// weeks, in office hours of the tenant's zone.
func (b *batch) recorded(i int, from date.Date) time.Time {
	n := b.first + i
	day := max(b.agents[i].StartDate, min(from, b.today.AddDays(-1-n%28)))
	y, m, d := day.Time().Date()
	at := time.Date(y, m, d, 9, n*7919%480, n*104_729%60, 0, b.tenant.Zone).UTC()
	if at.After(b.now) {
		return b.now
	}
	return at
}

// lastRecorded is when the last change of an agent was entered.
func (b *batch) lastRecorded(i int) time.Time {
	a := &b.agents[i]
	newest := max(last(a.UplinePeriods).From, last(a.LevelPeriods).From, last(a.PayStatusPeriods).From)
	for _, c := range a.Certifications {
		newest = max(newest, last(c.Periods).From)
	}
	for _, p := range a.W9Periods {
		newest = max(newest, p.From)
	}
	for _, t := range a.Tags {
		newest = max(newest, t.Since)
	}
	return b.recorded(i, newest)
}
