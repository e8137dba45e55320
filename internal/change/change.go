// Package change runs the writes of the areas: each one transaction, with the
// key of its request, the check of the version that the request demands, its
// events and, last, its audit entry – all of them or none.
package change

import (
	"context"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/idempotency"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
	"github.com/uplinehq/upline/internal/version"
)

// Writer runs changes. It is safe for concurrent use.
type Writer struct {
	store *store.Store
	clock clock.Clock
	vault *vault.Vault
	trail *audit.Trail
}

// New returns a writer to a database.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Writer {
	return &Writer{store: s, clock: c, vault: v, trail: audit.New(s, c, v)}
}

// Writing is a change under way.
type Writing struct {
	*store.Tx
	Tenant *tenant.Tenant
	// Now is the stamp of the change, Today its day for the tenant.
	Now       time.Time
	Today     date.Date
	Initiator string

	writer *Writer
	entry  audit.Entry
	events []events.Event
	// also has the trails, besides that of the tenant, that the entry goes to.
	also []*tenant.Tenant
}

// Write runs f in a transaction. A change that notes nothing (see Changed) is
// one that changed nothing: it leaves no audit entry.
func (c *Writer) Write(ctx context.Context, initiator string, f func(ctx context.Context, w *Writing) error) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	// Keys are made in a transaction of their own, which must not wait for
	// this one.
	if err := c.vault.Prepare(ctx, t.ID); err != nil {
		return err
	}
	return c.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := idempotency.Record(ctx, tx); err != nil {
			return err
		}
		return c.WriteIn(ctx, tx, initiator, func(ctx context.Context, w *Writing) error {
			if err := f(ctx, w); err != nil {
				return err
			}
			return version.Checked(ctx)
		})
	})
}

// WriteIn is Write in a transaction of the caller's, which sees to the key of its
// request itself. The tenant's keys must be there (vault.Prepare, before the
// transaction). It ends with the audit entry, which locks the end of the tenant's
// chain, so the caller locks nothing after it that others lock before theirs.
func (c *Writer) WriteIn(ctx context.Context, tx *store.Tx, initiator string, f func(ctx context.Context, w *Writing) error) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	w := &Writing{Tx: tx, Tenant: t, Initiator: initiator, writer: c}
	w.stamp(time.Time{})
	if err := f(ctx, w); err != nil {
		return err
	}
	return w.conclude(ctx)
}

// stamp takes the time of the change: later than an instant, also when that came
// from a process whose clock is ahead. The stamps of a row are its versions, and
// no version comes twice.
func (w *Writing) stamp(after time.Time) {
	w.Now = w.writer.clock.Now()
	w.Today = date.In(w.Now, w.Tenant.Zone)
	if !w.Now.After(after) {
		w.Now = after.Add(time.Microsecond)
	}
}

// Named is called for the record that the request names, with its row locked:
// the change is stamped after its last one, and its version is checked.
func (w *Writing) Named(ctx context.Context, lastModified time.Time) error {
	w.stamp(lastModified)
	return version.Check(ctx, lastModified)
}

// Changed notes the object that the write is about, by the name of its type in
// the schema and its key, and the fields of it that change, by their paths in
// REST and GraphQL. All objects of one write are of one type.
func (w *Writing) Changed(entityType, key string, fields ...string) {
	w.entry.EntityType = entityType
	w.entry.EntityKeys = append(w.entry.EntityKeys, key)
	for _, f := range fields {
		w.entry.Changes = append(w.entry.Changes, audit.Change{Field: f})
	}
}

// ChangedSecret notes a change of a sensitive field of the object noted last, by
// a fingerprint of its new value; nil for one that was cleared.
func (w *Writing) ChangedSecret(ctx context.Context, field string, value *string) error {
	change := audit.Change{Field: field}
	if value != nil {
		var err error
		if change.Fingerprint, err = w.writer.trail.Fingerprint(ctx, w.Tenant.ID, field, normalised(*value)); err != nil {
			return err
		}
	}
	w.entry.Changes = append(w.entry.Changes, change)
	return nil
}

// normalised makes the same number written in two ways the same.
func normalised(s string) string { return strings.TrimSpace(vault.NormaliseIdentifier(s)) }

// ChangedToo puts the entry of the change into another trail, too: that of the
// platform, for what all tenants share. Its keys must be there.
func (w *Writing) ChangedToo(t *tenant.Tenant) { w.also = append(w.also, t) }

// Raise adds events of the change.
func (w *Writing) Raise(all ...events.Event) { w.events = append(w.events, all...) }

// conclude writes the events and, since it locks the tenant's chain, last the
// audit entry.
func (w *Writing) conclude(ctx context.Context) error {
	if len(w.events) > 0 {
		if err := events.WriteAll(ctx, w.Tx, w.Now, w.events); err != nil {
			return err
		}
	}
	if w.entry.EntityType == "" {
		return nil
	}
	w.entry.Initiator = w.Initiator
	// All lock the chain of their own tenant first, so that none waits for another
	// that waits for it.
	for _, t := range append([]*tenant.Tenant{w.Tenant}, w.also...) {
		if err := w.writer.trail.Write(tenant.With(ctx, t), w.Tx, w.Now, w.entry); err != nil {
			return err
		}
	}
	return nil
}
