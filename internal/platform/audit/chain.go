package audit

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Head is the end of a chain: the number and the hash of its newest entry, or
// the zero Head when it has none.
type Head struct {
	Seq  int64
	Hash []byte
}

// String writes the head as ParseHead reads it: 12:0123456789abcdef….
func (h Head) String() string { return fmt.Sprintf("%d:%x", h.Seq, h.Hash) }

// ParseHead reads what String wrote.
func ParseHead(s string) (Head, error) {
	number, digits, _ := strings.Cut(s, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	hash, err2 := hex.DecodeString(digits)
	if errors.Join(err, err2) != nil || seq < 0 || (seq == 0) != (len(hash) == 0) {
		return Head{}, errors.New("audit: a head is written as the number of its entry, a colon, and its hash in hexadecimal digits")
	}
	return Head{seq, hash}, nil
}

// append adds entries to the end of a tenant's chain, whose head is locked.
func (t *chain) append(ctx context.Context, tx *store.Tx, tenantID int64, head Head, rows []*Row) error {
	if len(rows) == 0 {
		return nil
	}
	stored, err := entriesWithKeys(ctx, tx, tenantID, rows)
	if err != nil {
		return fmt.Errorf("audit: look for equal keys: %w", err)
	}
	var entries, keys [][]any
	for _, r := range rows {
		if head, err = t.link(ctx, tenantID, head, r, stored); err != nil {
			return err
		}
		values, err := r.values(tenantID)
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		entries = append(entries, values)
		for _, key := range r.ownKeys() {
			keys = append(keys, []any{tenantID, r.Seq, r.EntityType, key})
		}
	}
	if err := tx.CopyLater(ctx, entryTable.name, entryTable.columns, slices.Values(entries)); err != nil {
		return fmt.Errorf("audit: add entries: %w", err)
	}
	if err := tx.CopyLater(ctx, keyTable.name, keyTable.columns, slices.Values(keys)); err != nil {
		return fmt.Errorf("audit: add keys: %w", err)
	}
	var q store.SQL
	writeHead(&q, tenantID, head, rows)
	return tx.Later(ctx, q.Text(), q.Args()...)
}

// writeHead moves the head of the chain behind rows. The newest change is for servers of
// the version before, which keep totals until it changes.
func writeHead(q *store.SQL, tenantID int64, head Head, rows []*Row) {
	q.Write("UPDATE audit_head SET seq = ?, hash = ?, linked = linked + ?", head.Seq, head.Hash, len(rows))
	if slices.ContainsFunc(rows, func(r *Row) bool { return r.Kind == Write }) {
		q.Write(", changed_seq = ?", head.Seq)
	}
	q.Write(" WHERE tenant_id = ?", tenantID)
}

// entriesWithKeys returns, by their digests, the entries that already have the keys of rows:
// an integration shows the same pages again and again.
func entriesWithKeys(ctx context.Context, tx *store.Tx, tenantID int64, rows []*Row) (stored map[string]int64, err error) {
	stored = map[string]int64{}
	var digests []string
	for _, r := range rows {
		if r.keysDigest != "" {
			digests = append(digests, r.keysDigest)
		}
	}
	if len(digests) == 0 {
		return stored, nil
	}
	err = tx.AskAll(ctx, func(row store.Scanner) error {
		var digest string
		var seq int64
		err := row.Scan(&digest, &seq)
		stored[digest] = seq
		return err
	}, "SELECT keys_digest, min(seq) FROM audit_entry WHERE tenant_id = $1 AND "+tx.InTexts("keys_digest", "$2")+" GROUP BY keys_digest", tenantID, tx.Texts(digests))
	return stored, errors.Join(err, tx.Flush(ctx))
}

// link numbers and hashes an entry that comes after a head, and returns the new head.
// Keys that an earlier entry has are not stored again.
func (t *chain) link(ctx context.Context, tenantID int64, after Head, r *Row, stored map[string]int64) (head Head, err error) {
	r.Seq, r.keysOf = after.Seq+1, stored[r.keysDigest]
	if r.keysDigest != "" && r.keysOf == 0 {
		stored[r.keysDigest] = r.Seq
	}
	r.hash, err = t.hashOf(ctx, tenantID, after.Hash, r)
	return Head{r.Seq, r.hash}, err
}

// lockHead returns the end of the chain, locked until the transaction ends. The first entry
// of a tenant makes the row of the head: of two first ones, the second waits here, and then
// finds the row, and perhaps the entry.
func lockHead(ctx context.Context, tx *store.Tx, tenantID int64) (h Head, err error) {
	if err := tx.Later(ctx, "INSERT INTO audit_head (tenant_id, seq, hash) VALUES ($1, 0, $2) ON CONFLICT (tenant_id) DO NOTHING", tenantID, []byte{}); err != nil {
		return h, err
	}
	_, err = store.One(ctx, tx, []any{&h.Seq, &h.Hash}, "SELECT seq, hash FROM audit_head WHERE tenant_id = $1"+tx.ForUpdate(), tenantID)
	return h, wrapped(err)
}
