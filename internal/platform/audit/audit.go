// Package audit keeps the trail of what was written and what was revealed: who,
// when, and which fields of what. It holds no values; of a sensitive field it
// holds a keyed fingerprint, which tells whether two values were the same and
// nothing else.
//
// An entry is written in the transaction of its change, with a keyed hash of its own. Within
// a second, or when somebody reads the trail, it gets its place in the tenant's chain (Link):
// writers do not wait for each other, which one chain that all extend would make them do.
//
// The entries of a chain have numbers, from 1 without gaps, and each has a hash over itself
// and the hash before it, made with the tenant's key. Who can write to the database but does
// not have the key can neither change an entry, nor take one out or add one, without Verify
// finding it. There are two exceptions. An entry that waits for its place can be taken out by
// who also corrects the count of what was written. And the newest entries, or all, can be cut
// off together with the head of the chain; for that, NoteHeads notes the heads in the
// platform's trail, which LostHeads compares with, and Verify compares with one noted down
// elsewhere.
package audit

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Trail writes and checks entries. It is safe for concurrent use.
type Trail struct {
	*chain
	*revealing
	*reading
	*verifying
	*proving
	clock clock.Clock
}

// New returns the trail in a database.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Trail {
	entries := &chain{s, v}
	return &Trail{entries, &revealing{chain: entries, clock: c, waiting: map[int64][]*revelation{}}, &reading{entries, c}, &verifying{entries}, &proving{entries}, c}
}

// Write adds the entry of a write of the context's tenant to the transaction that makes
// the change, with the time of the change.
//
// The entry gets its number and its place in the chain within a second (see Link). It is
// counted in a row that another connection may have too, so it must come last: a
// transaction that locks anything after it could wait for a writer that waits for the row.
// The tenant's keys must exist (vault.Prepare, before the transaction). In a context of
// Defer the entry is put off.
func (t *Trail) Write(ctx context.Context, tx *store.Tx, at time.Time, e Entry) error {
	return t.WriteAll(ctx, tx, at, []Entry{e})
}

// WriteAll is Write for a write that makes several entries, in their order.
func (t *Trail) WriteAll(ctx context.Context, tx *store.Tx, at time.Time, all []Entry) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	write, ok := ctx.Value(writeKey{}).(int64)
	if !ok {
		write = tx.ID()
	}
	rows := make([]*Row, len(all))
	for i, e := range all {
		rows[i] = newRow(ctx, Write, at, e)
		rows[i].WriteID = write
	}
	if d, ok := ctx.Value(deferredKey{}).(*Deferred); ok {
		d.all = append(d.all, deferred{t.chain, tenantID, rows})
		return nil
	}
	return t.add(ctx, tx, tenantID, rows)
}

// fingerprintSize is the length of a fingerprint in bytes: enough to tell the
// values of one field apart.
const fingerprintSize = 6

// Fingerprint returns 12 hexadecimal digits that are equal for equal values of
// one field of one tenant, and say nothing about the value without the tenant's
// key. The caller normalises. The fingerprint of nothing is empty.
func (t *Trail) Fingerprint(ctx context.Context, tenantID int64, field, value string) (string, error) {
	if value == "" {
		return "", nil
	}
	data := append(binary.AppendUvarint(nil, uint64(len(field))), field+value...)
	mac, err := t.vault.MAC(ctx, tenantID, "audit fingerprint", data)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(mac[:fingerprintSize]), nil
}
