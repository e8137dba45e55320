// Package change runs the writes of the areas: each one transaction, with the
// key of its request, the check of the version that the request demands, its
// events and, last, its audit entry – all of them or none.
package change

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/internal/words/text"
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
	// Rehearsed is true for a dry run.
	Rehearsed bool

	writer *Writer
	// after is the latest change of the rows that are locked.
	after time.Time
	// entry is made of what Changed notes, entries are whole ones.
	entry   audit.Entry
	entries []audit.Entry
	events  []events.Event
	// also has the trails, besides that of the tenant, that the entry goes to.
	also []*tenant.Tenant
}

// maxTries is how often a change is tried when a foreign key refuses what its own
// checks passed: another request referred to a row, or deleted it, in between.
// Done again, the checks see that and tell the caller.
const maxTries = 3

// ErrUndo ends a change that is not to be kept and is no failure: Write rolls the
// transaction back and returns nil.
var ErrUndo = errors.New("change: undone")

// Write runs f in a transaction, again where a foreign key refuses what f checked,
// so f must have no effects outside it. A change that notes nothing (see Changed)
// is one that changed nothing: it leaves no audit entry.
func (c *Writer) Write(ctx context.Context, initiator string, f func(ctx context.Context, w *Writing) error) error {
	return c.try(ctx, func(ctx context.Context, tx *store.Tx) error {
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

// Rehearse is Write for a dry run, which does all that the change does and is then
// rolled back, so that a preview equals what the change would do. It leaves the key
// of its request for the change itself.
func (c *Writer) Rehearse(ctx context.Context, initiator string, f func(ctx context.Context, w *Writing) error) error {
	return c.try(ctx, func(ctx context.Context, tx *store.Tx) error {
		w, err := c.Begin(ctx, tx, initiator)
		if err != nil {
			return err
		}
		w.Rehearsed = true
		if err := f(ctx, w); err != nil {
			return err
		}
		if err := version.Checked(ctx); err != nil {
			return err
		}
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		return ErrUndo
	})
}

func (c *Writer) try(ctx context.Context, change func(ctx context.Context, tx *store.Tx) error) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	// Keys are made in a transaction of their own, which must not wait for
	// this one.
	if err := c.vault.Prepare(ctx, t.ID); err != nil {
		return err
	}
	err := c.store.InTx(ctx, change)
	for try := 1; try < maxTries && store.IsForeignKeyViolation(err); try++ {
		err = c.store.InTx(ctx, change)
	}
	if errors.Is(err, ErrUndo) {
		return nil
	}
	return err
}

// WriteIn is Write in a transaction of the caller's, which sees to the key of its
// request itself. The tenant's keys must be there (vault.Prepare, before the
// transaction). It ends with the audit entry, which locks the end of the tenant's
// chain, so the caller locks nothing after it that others lock before theirs.
func (c *Writer) WriteIn(ctx context.Context, tx *store.Tx, initiator string, f func(ctx context.Context, w *Writing) error) error {
	w, err := c.Begin(ctx, tx, initiator)
	if err != nil {
		return err
	}
	if err := f(ctx, w); err != nil {
		return err
	}
	return w.Conclude(ctx)
}

// Begin is the first half of WriteIn, for a change whose caller ends it with
// Conclude.
func (c *Writer) Begin(ctx context.Context, tx *store.Tx, initiator string) (*Writing, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	w := &Writing{Tx: tx, Tenant: t, Initiator: initiator, writer: c}
	w.Stamp()
	return w, nil
}

// Beside returns a change of its own in the same transaction, at the same time,
// whose notes are its own.
func (w *Writing) Beside() *Writing {
	return &Writing{Tx: w.Tx, Tenant: w.Tenant, Now: w.Now, Today: w.Today, Initiator: w.Initiator, Rehearsed: w.Rehearsed, writer: w.writer, after: w.after}
}

// Stamp takes the time of the change. A change that waited for a row takes it when
// it has the row, so that stamps come in the order of the changes. Today is the day
// of the clock: a stamp that another process pushed ahead, past midnight perhaps,
// does not put off what takes effect today.
func (w *Writing) Stamp() {
	w.Now = w.writer.clock.Now()
	w.Today = date.In(w.Now, w.Tenant.Zone)
	if !w.Now.After(w.after) {
		w.Now = w.after.Add(time.Microsecond)
	}
}

// StampAfter is Stamp for a change of a row that was last changed at an instant. It
// is later, also when that came from a process whose clock is ahead: the stamps of
// a row are its versions, and no version comes twice.
func (w *Writing) StampAfter(lastModified time.Time) {
	if lastModified.After(w.after) {
		w.after = lastModified
	}
	w.Stamp()
}

// StampAt makes a change part of one that has its time already.
func (w *Writing) StampAt(now time.Time) { w.Now, w.Today = now, date.In(now, w.Tenant.Zone) }

// Named is called for the record that the request names, with its row locked:
// the change is stamped after its last one, and its version is checked.
func (w *Writing) Named(ctx context.Context, lastModified time.Time) error {
	w.StampAfter(lastModified)
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
	change, err := w.Secret(ctx, field, value)
	w.entry.Changes = append(w.entry.Changes, change)
	return err
}

// Secret is the change of a sensitive field as an entry tells it: by a fingerprint
// of the new value, which is the same for a number written in two ways; nil for one
// that was cleared.
func (w *Writing) Secret(ctx context.Context, field string, value *string) (change audit.Change, err error) {
	change.Field = field
	if value != nil {
		change.Fingerprint, err = w.writer.trail.Fingerprint(ctx, w.Tenant.ID, field, strings.TrimSpace(text.Identifier(*value)))
	}
	return change, err
}

// Record adds entries of a change that notes its objects itself, and so calls
// neither Changed nor ChangedToo.
func (w *Writing) Record(entries ...audit.Entry) { w.entries = append(w.entries, entries...) }

// ChangedToo puts the entry of the change into another trail, too: that of the
// platform, for what all tenants share. Its keys must be there.
func (w *Writing) ChangedToo(t *tenant.Tenant) { w.also = append(w.also, t) }

// Raise adds events of the change.
func (w *Writing) Raise(all ...events.Event) { w.events = append(w.events, all...) }

// Conclude writes the events and, since it locks the tenant's chain, last the
// audit entries.
func (w *Writing) Conclude(ctx context.Context) error {
	if len(w.events) > 0 {
		if err := events.WriteAll(ctx, w.Tx, w.Now, w.events); err != nil {
			return err
		}
	}
	if w.entry.EntityType != "" {
		w.Record(w.entry)
	}
	for i := range w.entries {
		w.entries[i].Initiator = w.Initiator
	}
	// All lock the chain of their own tenant first, so that none waits for another
	// that waits for it.
	for _, t := range append([]*tenant.Tenant{w.Tenant}, w.also...) {
		if err := w.writer.trail.WriteAll(tenant.With(ctx, t), w.Tx, w.Now, w.entries); err != nil {
			return err
		}
	}
	return nil
}
