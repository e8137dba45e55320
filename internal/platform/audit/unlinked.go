package audit

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
)

// unlinked is an entry that is committed and waits for its place in the chain.
type unlinked struct {
	// written grows with each entry that waits. It orders them.
	written int64
	// entry is the Row in JSON; mac is its keyed hash, so that nobody without the key can
	// change it, or add one.
	entry string
	mac   []byte
}

// unlinkedMAC is the purpose of the hash of an entry that waits.
const unlinkedMAC = "audit entry"

// add stores entries that wait for their places, in the transaction that makes the change.
// No other write waits for it.
func (t *chain) add(ctx context.Context, tx *store.Tx, tenantID int64, rows []*Row) error {
	waiting := make([][]any, len(rows))
	for i, r := range rows {
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		mac, err := t.vault.MAC(ctx, tenantID, unlinkedMAC, text)
		if err != nil {
			return err
		}
		waiting[i] = []any{tenantID, string(text), mac}
	}
	if err := tx.CopyLater(ctx, "audit_unlinked", []string{"tenant_id", "entry", "mac"}, slices.Values(waiting)); err != nil {
		return fmt.Errorf("audit: add entries: %w", err)
	}
	return count(ctx, tx, tenantID, rows)
}

// count counts what a transaction writes to the trail. A connection has a row of its own, so
// that writers seldom wait for each other.
func count(ctx context.Context, tx *store.Tx, tenantID int64, rows []*Row) error {
	changes := 0
	for _, r := range rows {
		if r.Kind == Write {
			changes++
		}
	}
	slot := "0"
	if tx.Postgres() {
		slot = fmt.Sprintf("pg_backend_pid() %% %d", store.MarkSlots)
	}
	return tx.Later(ctx, "INSERT INTO audit_written AS w (tenant_id, slot, entries, changes) VALUES ($1, "+slot+", $2, $3)"+
		" ON CONFLICT (tenant_id, slot) DO UPDATE SET entries = w.entries + excluded.entries, changes = w.changes + excluded.changes", tenantID, len(rows), changes)
}

// collectUnlinked reads entries that wait, in their order.
func collectUnlinked(ctx context.Context, from store.Querier, tenantID, after int64) ([]unlinked, error) {
	all, err := store.Collect(ctx, from, func(s store.Scanner) (u unlinked, err error) {
		return u, s.Scan(&u.written, &u.entry, &u.mac)
	}, fmt.Sprintf("SELECT written, entry, mac FROM audit_unlinked WHERE tenant_id = $1 AND written > $2 ORDER BY written LIMIT %d", linkedAtOnce), tenantID, after)
	return all, wrapped(err)
}

// row returns the entry; nil if it is not as it was written.
func (t *chain) row(ctx context.Context, tenantID int64, u unlinked) (*Row, error) {
	mac, err := t.vault.MAC(ctx, tenantID, unlinkedMAC, []byte(u.entry))
	if err != nil || !hmac.Equal(mac, u.mac) {
		return nil, err
	}
	r := new(Row)
	if err := json.Unmarshal([]byte(u.entry), r); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	r.setDigest()
	return r, nil
}
