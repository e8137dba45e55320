package onboarding_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// publisher is the area of a new tenant, as the tests of publications use it.
type publisher struct {
	*onboarding.Service
	t     *testing.T
	store *store.Store
	clock *clock.Fixed
	ctx   context.Context
	trail *audit.Trail
}

// publishers runs a test on both databases.
func publishers(t *testing.T, f func(t *testing.T, p *publisher)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		p := &publisher{t: t, store: s, clock: clock.At(time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC))}
		v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s))
		must(t, err)
		acme, err := directory.Create(t.Context(), s, v, p.clock, directory.NewTenant{
			Identifier: "acme", Name: "Acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
		must(t, err)
		p.trail = audit.New(s, p.clock, v)
		p.Service = onboarding.New(s, p.clock, v, knownAgency{})
		p.ctx = tenant.WithCaller(tenant.With(t.Context(), acme), tenant.Caller{Subject: "compliance"})
		p.ctx = audit.WithOrigin(p.ctx, audit.Origin{Operation: "publication", Surface: audit.GraphQL})
		f(t, p)
	})
}

// knownAgency has one pay status and one level.
type knownAgency struct{ onboarding.Agency }

func (knownAgency) IsPayStatus(_ context.Context, name string) (bool, error) {
	return name == "Active", nil
}

func (knownAgency) IsAgentLevel(_ context.Context, level int) (bool, error) { return level == 20, nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// left returns what f leaves besides its rows: events, as their type and data,
// and audit entries, as initiator, entity and fields.
func (p *publisher) left(f func()) []string {
	p.t.Helper()
	eventsBefore, entriesBefore := p.events(), p.entries()
	f()
	return append(p.events()[len(eventsBefore):], p.entries()[len(entriesBefore):]...)
}

// leaves demands what f leaves.
func (p *publisher) leaves(f func(), want ...string) {
	p.t.Helper()
	if got := p.left(f); !slices.Equal(got, want) {
		p.t.Errorf("left\n%q, want\n%q", got, want)
	}
}

func (p *publisher) events() (all []string) {
	p.t.Helper()
	first := 100
	feed, err := events.NewFeed(p.store).Page(p.ctx, events.Filter{}, page.Args{First: &first})
	must(p.t, err)
	for _, e := range feed.Items {
		var data struct{ Version, Operation string }
		must(p.t, json.Unmarshal(e.Data, &data))
		all = append(all, e.Type+" "+data.Version+" "+data.Operation+" "+*e.Initiator)
	}
	return all
}

func (p *publisher) entries() []string {
	p.t.Helper()
	must(p.t, p.trail.Link(p.ctx))
	entries, err := store.Collect(p.ctx, p.store, func(r store.Scanner) (string, error) {
		var initiator, entity, keys, changes string
		if err := r.Scan(&initiator, &entity, &keys, &changes); err != nil {
			return "", err
		}
		var fields []struct{ Field string }
		err := json.Unmarshal([]byte(changes), &fields)
		return fmt.Sprint(initiator, " ", entity, " ", keys, " ", fields), err
	}, "SELECT initiator, entity_type, entity_keys, changes FROM audit_entry WHERE tenant_id = $1 ORDER BY seq", tenant.From(p.ctx).ID)
	must(p.t, err)
	return entries
}

// atOnce runs f several times at once, and demands that none fails.
func atOnce(t *testing.T, times int, f func(i int) error) {
	t.Helper()
	var group errgroup.Group
	for i := range times {
		group.Go(func() error { return f(i) })
	}
	must(t, group.Wait())
}

// refused demands that an error names just these problems, as "CODE field".
func refused(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	var got []string
	for _, e := range problem.From(err) {
		got = append(got, strings.TrimSpace(string(e.Code)+" "+strings.Join(e.Field, ".")))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: refused as %v (%v), want %v", what, got, err, want)
	}
}
