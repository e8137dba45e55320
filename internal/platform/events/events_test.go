package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

// newTenant returns a context of a new tenant.
func newTenant(t *testing.T, s *store.Store, identifier string) context.Context {
	t.Helper()
	in := &tenant.Tenant{Identifier: identifier, Zone: time.UTC, DefaultPageSize: 50, MaxPageSize: 100}
	err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := store.One(ctx, tx, []any{&in.ID}, `INSERT INTO tenant (identifier, name, time_zone, default_page_size, max_page_size, created_at)
			VALUES ($1, 'Name', 'UTC', 50, 100, $2) RETURNING id`, identifier, now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tenant.With(t.Context(), in)
}

func write(ctx context.Context, s *store.Store, fail error, all ...events.Event) error {
	return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(events.WriteAll(ctx, tx, now, all), fail)
	})
}

// numbered returns an event of an agent whose code is a number.
func numbered(ctx context.Context, n int) events.Event {
	return events.AgentEvent(tenant.From(ctx), events.AgentUpdated, events.AgentChange{AgentID: int64(n), AgentCode: fmt.Sprintf("A%d", n), Operation: "agentUpdate",
		ChangedFields: []string{"npn"}, Initiator: "hr"})
}

func feedPage(t *testing.T, ctx context.Context, f *events.Feed, filter events.Filter, args page.Args) []*events.Stored {
	t.Helper()
	p, err := f.Page(ctx, filter, args)
	if err != nil {
		t.Fatal(err)
	}
	return p.Items
}

// An event exists exactly when the change it tells of does.
func TestEventIsStoredWithItsChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "acme")
		boom := errors.New("boom")
		if err := write(ctx, s, boom, numbered(ctx, 1)); !errors.Is(err, boom) {
			t.Errorf("a change that fails: %v", err)
		}
		if err := write(t.Context(), s, nil, events.Event{Type: events.Ping}); !errors.Is(err, tenant.ErrNone) {
			t.Errorf("without a tenant: %v", err)
		}
		if err := write(ctx, s, nil); err != nil {
			t.Errorf("no events: %v", err)
		}
		if err := write(ctx, s, nil, numbered(ctx, 2)); err != nil {
			t.Fatal(err)
		}
		if all := feedPage(t, ctx, events.NewFeed(s), events.Filter{}, page.Args{}); len(all) != 1 || *all[0].AgentCode != "A2" {
			t.Errorf("the feed holds %v", all)
		}
	})
}

// "Event payload" (17): the same bytes on both databases, with who asked, in
// which request, and nothing but names of fields.
func TestBody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "acme")
		from := date.Of(2026, 3, 2)
		e := events.AgentEvent(tenant.From(ctx), events.AgentUplineChanged, events.AgentChange{AgentID: 12, AgentCode: "A/1 é<", Operation: "uplinePeriodApply",
			ChangedFields: []string{"teams.default.directUpline", "homeAddress", "homeAddress"}, EffectiveFrom: &from, Initiator: "hr-import"})
		bare := events.Event{Type: events.HierarchyBuildCompleted, Data: map[string]any{"version": 7, "startedAt": nil}}
		if err := write(events.WithTraceID(ctx, "4bf9"), s, nil, e); err != nil {
			t.Fatal(err)
		}
		if err := write(ctx, s, nil, bare); err != nil {
			t.Fatal(err)
		}
		all := feedPage(t, ctx, events.NewFeed(s), events.Filter{}, page.Args{})
		for i, want := range []string{
			`{"id":"` + all[0].ID + `","type":"Platform.AgencyManagement.Events.AgentUplineChanged","schemaVersion":1,"occurredAt":"2026-03-01T12:00:00.123456Z",` +
				`"tenantIdentifier":"acme","initiator":"hr-import","traceId":"4bf9","data":{"agentCode":"A/1 é<","changedFields":["homeAddress","teams.default.directUpline"],` +
				`"effectiveFrom":"2026-03-02","links":{"graphqlId":"QWdlbnQ6MTI","rest":"/agency-management/acme/agents/A%2F1%20%C3%A9%3C"},"operation":"uplinePeriodApply"}}`,
			`{"id":"` + all[1].ID + `","type":"Platform.AgencyManagement.Events.HierarchyBuildCompleted","schemaVersion":1,"occurredAt":"2026-03-01T12:00:00.123456Z",` +
				`"tenantIdentifier":"acme","initiator":null,"traceId":null,"data":{"startedAt":null,"version":7}}`,
		} {
			body, err := all[i].Body("acme")
			if err != nil || string(body) != want {
				t.Errorf("%v: body %s\nwant %s", err, body, want)
			}
			if !json.Valid(body) {
				t.Errorf("no JSON: %s", body)
			}
		}
	})
}

// A change with more events than one statement can hold stores them all, in
// their order.
func TestManyEvents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "acme")
		const many = 9000 // times eight values is more than PostgreSQL takes at once
		all := make([]events.Event, many)
		for i := range all {
			all[i] = numbered(ctx, i)
		}
		if err := write(ctx, s, nil, all...); err != nil {
			t.Fatal(err)
		}
		last := feedPage(t, ctx, events.NewFeed(s), events.Filter{AgentCode: new("A8999")}, page.Args{})
		if len(last) != 1 {
			t.Errorf("%d events of the last agent", len(last))
		}
		if p, err := events.NewFeed(s).Page(ctx, events.Filter{}, page.Args{Counted: true}); err != nil || p.Total != many {
			t.Errorf("%d events, %v", p.Total, err)
		}
	})
}
