package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// world is a database with two tenants and the trail of a process.
type world struct {
	*audit.Trail
	t          *testing.T
	store      *store.Store
	vault      *vault.Vault
	clock      *clock.Fixed
	ctx, other context.Context
}

// onEach runs a test on every database.
func onEach(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, inWorld(f))
}

// asOwner runs a test that tampers with the trail, which takes the owner of its tables.
func asOwner(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.EachOwner(t, inWorld(f))
}

func inWorld(f func(t *testing.T, w *world)) func(t *testing.T, s *store.Store) {
	return func(t *testing.T, s *store.Store) {
		v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, store: s, vault: v, clock: clock.At(time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC))}
		w.Trail = audit.New(s, w.clock, v)
		w.ctx, w.other = w.tenant("acme"), w.tenant("umbra")
		f(t, w)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// tenant creates a tenant and returns the context of a request for it.
func (w *world) tenant(identifier string) context.Context {
	w.t.Helper()
	created, err := directory.Create(w.t.Context(), w.store, w.vault, w.clock, directory.NewTenant{
		Identifier: identifier, Name: identifier, TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	w.must(err)
	ctx := tenant.WithCaller(tenant.With(w.t.Context(), created), tenant.Caller{Subject: "pat", ClientID: "crm"})
	return audit.WithOrigin(ctx, audit.Origin{Operation: "agentUpdate", Surface: audit.GraphQL, TraceID: "trace-1"})
}

func id(ctx context.Context) int64 { return tenant.From(ctx).ID }

func update(code string, fields ...string) audit.Entry {
	e := audit.Entry{EntityType: "Agent", EntityKeys: []string{code}, Initiator: "hr-import"}
	for _, f := range fields {
		e.Changes = append(e.Changes, audit.Change{Field: f})
	}
	return e
}

// write writes entries, each in a transaction of its own.
func (w *world) write(ctx context.Context, entries ...audit.Entry) {
	w.t.Helper()
	for _, e := range entries {
		w.must(w.inTx(ctx, func(ctx context.Context, tx *store.Tx) error { return w.Write(ctx, tx, w.clock.Now(), e) }))
	}
}

func (w *world) inTx(ctx context.Context, f func(context.Context, *store.Tx) error) error {
	return w.store.InTx(ctx, f)
}

// five writes the entries of the agents A1 to A5.
func (w *world) five() {
	w.t.Helper()
	for i := range 5 {
		w.write(w.ctx, update(fmt.Sprintf("A%d", i+1), "firstName", "lastName"))
		w.clock.Move(time.Minute)
	}
}

func (w *world) verify(ctx context.Context, expected audit.Head) audit.Report {
	w.t.Helper()
	// Another process checks: what it knows is from the database and the key.
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(w.store))
	w.must(err)
	r, err := audit.New(w.store, w.clock, v).Verify(ctx, expected)
	w.must(err)
	return r
}

// verifyLinked links what waits first.
func (w *world) verifyLinked(ctx context.Context, expected audit.Head) audit.Report {
	w.t.Helper()
	w.link()
	return w.verify(ctx, expected)
}

// whole links what waits, and checks that the chain is whole.
func (w *world) whole(ctx context.Context, entries int64) audit.Head {
	w.t.Helper()
	r := w.verifyLinked(ctx, audit.Head{})
	if r.Broken() || r.Entries != entries || r.Head.Seq != entries {
		w.t.Errorf("verify: %+v; want %d whole entries", r, entries)
	}
	return r.Head
}

// link gives all entries their places.
func (w *world) link() {
	w.t.Helper()
	w.must(w.LinkAll(w.t.Context()))
}

// count links what waits, and returns the number that a query finds.
func (w *world) count(query string, args ...any) (n int) {
	w.t.Helper()
	w.link()
	_, err := store.One(w.ctx, w.store, []any{&n}, query, args...)
	w.must(err)
	return n
}

// tamper runs statements as someone who owns the database, after all entries have their
// places: nothing stops them.
func (w *world) tamper(statements ...string) {
	w.t.Helper()
	w.link()
	w.tamperNow(statements...)
}

// tamperNow is tamper while entries wait.
func (w *world) tamperNow(statements ...string) {
	w.t.Helper()
	w.must(w.inTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		off := []string{"DROP TRIGGER audit_entry_append_only ON audit_entry", "DROP TRIGGER audit_entry_key_append_only ON audit_entry_key"}
		if !tx.Postgres() {
			off = []string{"DROP TRIGGER audit_entry_no_update", "DROP TRIGGER audit_entry_no_delete", "DROP TRIGGER audit_entry_key_no_update",
				"DROP TRIGGER audit_entry_key_no_delete"}
		}
		for _, statement := range append(off, statements...) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}))
}
