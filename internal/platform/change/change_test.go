package change_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// world has a tenant, whose tags are written.
type world struct {
	*testing.T
	*change.Writer
	ctx   context.Context
	store *store.Store
	trail *audit.Trail
	clock *clock.Fixed
	keys  *idempotency.Service
}

func onEach(t *testing.T, f func(w *world)) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := &world{T: t, store: s, clock: clock.At(time.Date(2026, time.March, 2, 15, 0, 0, 0, time.UTC))}
		v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s))
		w.must(err)
		acme, err := directory.Create(t.Context(), s, v, w.clock, directory.NewTenant{Identifier: "acme", Name: "acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
		w.must(err)
		w.ctx = tenant.WithCaller(tenant.With(t.Context(), acme), tenant.Caller{Subject: "crm"})
		w.trail = audit.New(s, w.clock, v)
		w.Writer, w.keys = change.New(s, w.clock, v), idempotency.New(s, w.clock, v)
		f(w)
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) count(query string) (n int) {
	w.Helper()
	w.must(w.trail.Link(w.ctx))
	_, err := store.One(w.ctx, w.store, []any{&n}, query)
	w.must(err)
	return n
}

func addTag(ctx context.Context, w *change.Writing, name string) error {
	w.Changed("Tag", name, "name")
	_, err := w.Exec(ctx, "INSERT INTO agency_tag (tenant_id, name, created_at, created_by, last_modified, last_modified_by) VALUES ($1, $2, $3, $4, $3, $4)", w.Tenant.ID, name, w.Now, w.Initiator)
	return err
}

// addLevel adds a level of a team, which may not be there.
func addLevel(ctx context.Context, w *change.Writing, team int64) error {
	_, err := w.Exec(ctx, `INSERT INTO agency_agent_level (tenant_id, team_id, value, name, is_enabled, created_at, created_by, last_modified, last_modified_by)
		VALUES ($1, $2, 77, 'Seventy-seven', true, $3, $4, $3, $4)`, w.Tenant.ID, team, w.Now, w.Initiator)
	return err
}

// What a foreign key refuses is tried again, whichever area writes: the change sees
// then what another request did in between. A try that failed leaves nothing.
func TestForeignKeyIsTriedAgain(t *testing.T) {
	onEach(t, func(w *world) {
		tries, before := 0, w.count("SELECT count(*) FROM audit_entry")
		run := func(ctx context.Context, c *change.Writing) error {
			if err := addTag(ctx, c, "Producer"); err != nil {
				return err
			}
			if tries++; tries == 1 {
				return addLevel(ctx, c, 999999)
			}
			return nil
		}
		w.must(w.Write(w.ctx, "ana", run))
		if tags, entries := w.count("SELECT count(*) FROM agency_tag WHERE name = 'Producer'"), w.count("SELECT count(*) FROM audit_entry")-before; tries != 2 || tags != 1 || entries != 1 {
			t.Errorf("%d tries, %d tags, %d entries; want 2, 1, 1", tries, tags, entries)
		}
		tries = 0
		err := w.Write(w.ctx, "ana", func(ctx context.Context, c *change.Writing) error { tries++; return addLevel(ctx, c, 999999) })
		if !dberror.IsForeignKeyViolation(err) || tries != 3 {
			t.Errorf("refused every time: %d tries, %v", tries, err)
		}
	})
}

// A change has the time at which it has the row, not that at which it began to wait,
// and one later than that of each row it changes.
func TestStampIsTakenWithTheRow(t *testing.T) {
	onEach(t, func(w *world) {
		w.must(w.Write(w.ctx, "ana", func(ctx context.Context, c *change.Writing) error {
			began := c.Now
			w.clock.Move(time.Minute) // while it waits for the lock
			w.must(c.CheckVersion(ctx, began.Add(-time.Hour)))
			if want := began.Add(time.Minute); !c.Now.Equal(want) {
				t.Errorf("stamped %v; want %v", c.Now, want)
			}
			ahead := c.Now.Add(time.Hour) // another process's clock is ahead
			w.must(c.CheckVersion(ctx, ahead))
			c.StampAfter(began)
			if want := ahead.Add(time.Microsecond); !c.Now.Equal(want) || !c.Part().Now.Equal(want) {
				t.Errorf("stamped %v; want %v", c.Now, want)
			}
			return nil
		}))
	})
}

// A dry run sees what the change would do, and leaves nothing: no row, no entry, and
// the key of its request free for the change itself. One that undoes itself does so
// too, and is no failure.
func TestNothingIsLeft(t *testing.T) {
	onEach(t, func(w *world) {
		attempt, _, err := w.keys.Begin(w.ctx, "key-1", "request")
		w.must(err)
		ctx, before := idempotency.With(w.ctx, attempt), w.count("SELECT count(*) FROM audit_entry")
		seen := 0
		f := func(ctx context.Context, c *change.Writing) error {
			if err := addTag(ctx, c, "Producer"); err != nil {
				return err
			}
			_, err := store.One(ctx, c, []any{&seen}, "SELECT count(*) FROM agency_tag WHERE name = 'Producer'")
			return err
		}
		w.must(w.Rehearse(ctx, "ana", f))
		w.must(w.Write(ctx, "ana", func(ctx context.Context, c *change.Writing) error { return errors.Join(f(ctx, c), change.ErrUndo) }))
		for _, table := range []string{"agency_tag WHERE name = 'Producer'", "idempotent_request"} {
			if n := w.count("SELECT count(*) FROM " + table); n > 0 || seen != 1 {
				t.Errorf("%d rows are left in %s; seen inside: %d", n, table, seen)
			}
		}
		if n := w.count("SELECT count(*) FROM audit_entry"); n != before {
			t.Errorf("%d entries are left", n-before)
		}
		w.must(w.Write(ctx, "ana", f))
		if n := w.count("SELECT count(*) FROM idempotent_request"); n != 1 {
			t.Errorf("the change itself stored %d keys", n)
		}
		err = w.Rehearse(version.Expect(w.ctx, []string{"1"}), "ana", func(context.Context, *change.Writing) error { return nil })
		if !errors.Is(err, version.ErrUnchecked) {
			t.Errorf("a dry run that checked no version: %v", err)
		}
	})
}

// The events of a change are stored with it: where they cannot be, it is undone.
func TestEventsGoWithTheChange(t *testing.T) {
	onEach(t, func(w *world) {
		write := func(data any) error {
			return w.Write(w.ctx, "ana", func(ctx context.Context, c *change.Writing) error {
				c.Raise(events.Event{Type: events.ReferenceDataChanged, Data: data})
				return addTag(ctx, c, "Producer")
			})
		}
		if err := write(make(chan int)); err == nil {
			t.Error("an event that cannot be written is no failure")
		}
		if tags := w.count("SELECT count(*) FROM agency_tag WHERE name = 'Producer'"); tags != 0 {
			t.Errorf("%d tags of a change whose event is not stored", tags)
		}
		w.must(write("told"))
		if n := w.count("SELECT count(*) FROM outbox_event WHERE type = '" + events.ReferenceDataChanged + "'"); n != 1 {
			t.Errorf("%d events of the change", n)
		}
	})
}

// Several entries of one change are one after the other in the trail, with the
// initiator of the change; those of a change beside another are its own.
func TestEntriesOfAChange(t *testing.T) {
	onEach(t, func(w *world) {
		before := w.count("SELECT count(*) FROM audit_entry")
		w.must(w.Write(w.ctx, "ana", func(ctx context.Context, c *change.Writing) error {
			c.Part().Changed("Tag", "nobody concludes this", "name")
			secret, err := c.Secret(ctx, "governmentIdentifier", new("123-45-6789"))
			w.must(err)
			same, err := c.Secret(ctx, "governmentIdentifier", new("123 45 6789"))
			w.must(err)
			if secret.Fingerprint == "" || secret != same {
				t.Errorf("fingerprints %v and %v of one number", secret, same)
			}
			c.Record(audit.Entry{EntityType: "Agent", EntityKeys: []string{"A1"}, Changes: []audit.Change{secret}}, audit.Entry{EntityType: "Agent", EntityKeys: []string{"A2"}})
			return nil
		}))
		if n := w.count("SELECT count(*) FROM audit_entry WHERE initiator = 'ana'"); n != 2 || w.count("SELECT count(*) FROM audit_entry") != before+2 {
			t.Errorf("%d entries by ana", n)
		}
	})
}

// What a change has written says its instant, and so does its entry: a change whose time
// moves in between is a fault, in a dry run too, and leaves nothing.
func TestOneInstant(t *testing.T) {
	onEach(t, func(w *world) {
		moves := func(ctx context.Context, c *change.Writing) error {
			if err := addTag(ctx, c, "Moved"); err != nil {
				return err
			}
			c.StampAfter(c.Now)
			return nil
		}
		for _, run := range []func(context.Context, string, func(context.Context, *change.Writing) error) error{w.Write, w.Rehearse} {
			if err := run(w.ctx, "ana", moves); err == nil || !strings.Contains(err.Error(), "has moved") {
				t.Errorf("%v; want that the time has moved", err)
			}
		}
		w.must(w.Write(w.ctx, "ana", func(ctx context.Context, c *change.Writing) error {
			c.StampAfter(c.Now)
			return addTag(ctx, c, "Stayed")
		}))
		if n := w.count("SELECT count(*) FROM agency_tag WHERE name IN ('Moved', 'Stayed')"); n != 1 {
			t.Errorf("%d tags; want one", n)
		}
	})
}
