// Package change runs the writes of the areas. Each is one transaction with the key of
// its request, the check of the version that the request demands, its events and, last,
// its audit entry: all of them or none.
package change

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
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
	// Now is the time of the change, Today its day in the tenant's zone.
	Now       time.Time
	Today     date.Date
	Initiator string
	// Reason is why, as the caller said it; empty for none.
	Reason string
	// Rehearsed reports whether the change is a dry run.
	Rehearsed bool

	writer *Writer
	// wrote says whether rows that people change were written, moved whether the time of the change has moved
	// since. Then what the rows say is not what the entry says, and nobody finds them by it.
	wrote, moved bool
	// fixed is set once all rows are locked that the change is about.
	fixed bool
	// after is the latest change of the rows that are locked.
	after time.Time
	// entry is made from what Changed notes; entries are complete ones.
	entry   audit.Entry
	entries []audit.Entry
	events  []events.Event
	// last are events that come after all others.
	last []events.Event
	// also has the trails to which the entry is added besides that of the tenant.
	also []*tenant.Tenant
}

var errMoved = errors.New("change: the time of the change has moved after rows were written")

// maxTries is how often a change is tried when a foreign key refuses what its own checks
// accepted, because another request referred to a row, or deleted it, in between. When it
// is run again, its checks notice that and tell the caller.
const maxTries = 3

// ErrUndo ends a change that is not to be kept although nothing failed: Write rolls the
// transaction back and returns nil.
var ErrUndo = errors.New("change: undone")

// Write runs f in a transaction. It runs it again if a foreign key refuses what f has
// checked, so f must have no effects outside the transaction. A change that notes nothing
// (see Changed) changed nothing, and leaves no audit entry.
func (c *Writer) Write(ctx context.Context, initiator string, f func(ctx context.Context, w *Writing) error) error {
	return c.try(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := idempotency.Record(ctx, tx); err != nil {
			return err
		}
		return c.WriteIn(ctx, tx, initiator, f)
	})
}

// Rehearse is Write for a dry run: it does everything that the change does and rolls it
// back, so a preview equals the change. It does not use up the request's key, which the
// change itself needs. In a joint transaction (store.Joint) what is rehearsed can be read
// until that ends.
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
		if w.moved {
			return errMoved
		}
		if err := version.Checked(ctx); err != nil {
			return err
		}
		if err := tx.Flush(ctx); err != nil || store.IsJoint(ctx) { // whoever opened that rolls it back
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
	// Keys are created in a transaction of their own, which must not wait for this one.
	if err := c.vault.Prepare(ctx, t.ID); err != nil {
		return err
	}
	err := c.store.InTx(ctx, change)
	for try := 1; try < maxTries && dberror.IsForeignKeyViolation(err); try++ {
		err = c.store.InTx(ctx, change)
	}
	if errors.Is(err, ErrUndo) {
		return nil
	}
	return err
}

// WriteIn is Write inside a transaction of the caller, which handles the key of its
// request itself. The tenant's keys must exist (vault.Prepare, before the transaction).
// WriteIn ends with the audit entry, which is counted in a row that others may count in
// (audit.Trail.Write); afterwards the caller must lock nothing that others lock before.
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

// Begin is the first half of WriteIn, for a change that its caller ends with Conclude.
func (c *Writer) Begin(ctx context.Context, tx *store.Tx, initiator string) (*Writing, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	reason, err := reasonFrom(ctx)
	if err != nil {
		return nil, err
	}
	w := &Writing{Tx: tx, Tenant: t, Initiator: initiator, Reason: reason, writer: c}
	w.Stamp()
	return w, nil
}

// Part returns another change in the same transaction, at the same time, with notes of
// its own.
func (w *Writing) Part() *Writing {
	p := &Writing{Tx: w.Tx, Tenant: w.Tenant, Now: w.Now, Today: w.Today, Initiator: w.Initiator, Reason: w.Reason, Rehearsed: w.Rehearsed, writer: w.writer, after: w.after, fixed: w.fixed}
	p.setTime(w.Now)
	return p
}

// Stamp sets the time of the change. A change that waited for a row sets it when it has
// the row, so the times are in the order of the changes. Today remains the day of the
// clock: if another process has pushed the time of a row ahead, perhaps past midnight,
// that does not postpone what takes effect today.
func (w *Writing) Stamp() {
	if w.fixed && w.Now.After(w.after) {
		return
	}
	now := w.writer.clock.Now()
	w.Today = date.In(now, w.Tenant.Zone)
	w.setTime(version.Next(w.after, now))
}

func (w *Writing) setTime(now time.Time) {
	w.moved = w.moved || w.wrote && !now.Equal(w.Now)
	w.Now = now
	w.Tx.ChangeAt(now, &w.wrote)
}

// KeepPast undoes ForgetPast: of what is deleted from now on, the past is kept.
func (w *Writing) KeepPast() { w.setTime(w.Now) }

// StampAfter is Stamp for a change of a row that was last changed at an instant. The time
// is later than that, even if it came from a process whose clock is ahead: the times of a
// row are its versions, and no version may occur twice.
func (w *Writing) StampAfter(lastModified time.Time) {
	if lastModified.After(w.after) {
		w.after = lastModified
	}
	w.Stamp()
}

// Fix keeps the time of the change from now on. It is for a change that has locked all its rows,
// and then calls what locks each of them again: all that it does happens at one instant.
func (w *Writing) Fix() { w.fixed = true }

// StampAt gives a change the time of a larger change that it is part of.
func (w *Writing) StampAt(now time.Time) {
	w.Today = date.In(now, w.Tenant.Zone)
	w.setTime(now)
}

// CheckVersion checks the version of the record that the request names, with its row
// locked, and sets a time after the record's last change.
func (w *Writing) CheckVersion(ctx context.Context, lastModified time.Time) error {
	w.StampAfter(lastModified)
	return version.Check(ctx, lastModified)
}

// Changed notes an object that the write changes, by the name of its type in the schema
// and its key, and the changed fields, by their paths in REST and GraphQL. All objects of
// one write have the same type.
func (w *Writing) Changed(entityType, key string, fields ...string) {
	w.entry.EntityType = entityType
	w.entry.EntityKeys = append(w.entry.EntityKeys, key)
	for _, f := range fields {
		w.entry.Changes = append(w.entry.Changes, audit.Change{Field: f})
	}
}

// ChangedSecret notes a change of a sensitive field of the last noted object, by a
// fingerprint of its new value; nil for a cleared value.
func (w *Writing) ChangedSecret(ctx context.Context, field string, value *string) error {
	change, err := w.Secret(ctx, field, value)
	w.entry.Changes = append(w.entry.Changes, change)
	return err
}

// Secret returns a change of a sensitive field as an entry has it: with a fingerprint of
// the new value, which is the same for a number written in two ways; nil for a cleared
// value.
func (w *Writing) Secret(ctx context.Context, field string, value *string) (change audit.Change, err error) {
	change.Field = field
	if value != nil {
		change.Fingerprint, err = w.writer.trail.Fingerprint(ctx, w.Tenant.ID, field, strings.TrimSpace(text.Identifier(*value)))
	}
	return change, err
}

// Record adds the entries of a change that describes its objects itself, and so calls
// neither Changed nor ChangedToo.
func (w *Writing) Record(entries ...audit.Entry) { w.entries = append(w.entries, entries...) }

// EntryOf is an entry about an object of a type, by its keys, and its changed fields, for Record.
func EntryOf(entityType string, keys []string, fields ...string) audit.Entry {
	e := audit.Entry{EntityType: entityType, EntityKeys: keys}
	for _, f := range fields {
		e.Changes = append(e.Changes, audit.Change{Field: f})
	}
	return e
}

// ChangedToo adds the entry of the change to another trail as well: that of the platform,
// for what all tenants share. The keys of that trail must exist.
func (w *Writing) ChangedToo(t *tenant.Tenant) { w.also = append(w.also, t) }

// Raise adds events of the change.
func (w *Writing) Raise(all ...events.Event) { w.events = append(w.events, all...) }

// RaiseLast adds events that tell what the change led to; they come after all others.
func (w *Writing) RaiseLast(all ...events.Event) { w.last = append(w.last, all...) }

// Conclude writes the events and then the audit entries, which come last because they
// are counted in rows that others count in. A change that never checked the version that its request demands
// is refused.
func (w *Writing) Conclude(ctx context.Context) error {
	if w.moved {
		return errMoved
	}
	if err := version.Checked(ctx); err != nil {
		return err
	}
	if err := events.WriteAll(ctx, w.Tx, w.Now, append(w.events, w.last...)); err != nil {
		return err
	}
	if w.entry.EntityType != "" {
		w.Record(w.entry)
	}
	for i := range w.entries {
		w.entries[i].Initiator, w.entries[i].Reason = w.Initiator, w.Reason
	}
	// All writes count for their own tenant first, so that no two wait for each other.
	for _, t := range append([]*tenant.Tenant{w.Tenant}, w.also...) {
		if err := w.writer.trail.WriteAll(tenant.With(ctx, t), w.Tx, w.Now, w.entries); err != nil {
			return err
		}
	}
	return nil
}
