package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Row is an entry as it is stored; in JSON, while it waits for its place in the chain.
type Row struct {
	// Seq is its number in the tenant's chain.
	Seq       int64     `json:"-"`
	At        time.Time `json:"at"`
	Kind      Kind      `json:"kind"`
	Operation string    `json:"operation"`
	Surface   Surface   `json:"surface"`
	TraceID   string    `json:"traceId"`
	Initiator string    `json:"initiator"`
	// Reason is why, as the caller said it; empty for none.
	Reason string `json:"reason,omitempty"`
	// Subject and ClientID are those of the token; empty for work of the system.
	Subject    string   `json:"subject"`
	ClientID   string   `json:"clientId"`
	EntityType string   `json:"entityType"`
	EntityKeys []string `json:"entityKeys"` // sorted
	Changes    []Change `json:"changes"`

	// WriteID tells the entries of one write from all others, and is random: those of a
	// transaction, or of an import. In JSON it is a text, since it has more digits than numbers
	// of JavaScript. It is 0 of a reveal, and of what old versions wrote.
	WriteID int64 `json:"writeId,omitempty,string"`

	hash []byte
	// keysOf is the number of an earlier entry that has the same keys, which are
	// stored there; 0 of one that has its own. keysDigest finds such entries.
	keysOf     int64
	keysDigest string
}

func newRow(ctx context.Context, kind Kind, at time.Time, e Entry) *Row {
	caller, _ := tenant.CallerFrom(ctx)
	origin := OriginFrom(ctx)
	r := &Row{
		At:   at.UTC().Truncate(time.Microsecond), // what both databases keep
		Kind: kind, Operation: clean(origin.Operation), Surface: origin.Surface, TraceID: clean(origin.TraceID),
		Initiator: clean(e.Initiator), Reason: clean(e.Reason), Subject: clean(caller.Subject), ClientID: clean(caller.ClientID),
		EntityType: clean(e.EntityType), EntityKeys: make([]string, len(e.EntityKeys)), Changes: make([]Change, len(e.Changes)),
	}
	for i, key := range e.EntityKeys {
		r.EntityKeys[i] = clean(key)
	}
	slices.Sort(r.EntityKeys)
	r.EntityKeys = slices.Compact(r.EntityKeys)
	for i, c := range e.Changes {
		r.Changes[i] = Change{clean(c.Field), clean(c.Fingerprint)}
	}
	r.setDigest()
	return r
}

// setDigest sets the digest of the keys of a page that was shown.
func (r *Row) setDigest() {
	if r.Kind == Reveal && len(r.EntityKeys) > 1 {
		r.keysDigest = digestOf(r.EntityType, r.EntityKeys)
	}
}

// digestOf tells the keys of one page from those of others.
func digestOf(entityType string, keys []string) string {
	sum := sha256.Sum256(appendTexts(appendTexts(nil, entityType), keys...))
	return hex.EncodeToString(sum[:16])
}

// ownKeys are the keys that are stored with the entry.
func (r *Row) ownKeys() []string {
	if r.keysOf != 0 {
		return []string{}
	}
	return r.EntityKeys
}

// clean replaces characters that PostgreSQL refuses in a text, or that JSON would
// replace: the hash must match what is read back.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// encodingVersion is the first byte of what is hashed, encodingWithReason that of an entry
// with a reason, which comes last, and encodingWithWrite that of one of a write, whose id
// comes after a reason, which may be empty.
const (
	encodingVersion    = 1
	encodingWithReason = 2
	encodingWithWrite  = 3
)

// encoded returns the bytes that the hash is made over. No two entries have the
// same: numbers have a fixed length, each text and list is preceded by its
// length.
func (r *Row) encoded(tenantID int64, before []byte) []byte {
	b := []byte{encodingVersion}
	for _, n := range []int64{tenantID, r.Seq, r.At.UnixMicro()} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = appendTexts(b, string(before), string(r.Kind), r.Operation, string(r.Surface), r.TraceID, r.Initiator, r.Subject, r.ClientID, r.EntityType)
	b = binary.AppendUvarint(b, uint64(len(r.EntityKeys)))
	b = appendTexts(b, r.EntityKeys...)
	b = binary.AppendUvarint(b, uint64(len(r.Changes)))
	for _, c := range r.Changes {
		b = appendTexts(b, c.Field, c.Fingerprint)
	}
	switch {
	case r.WriteID != 0:
		b[0] = encodingWithWrite
		b = binary.BigEndian.AppendUint64(appendTexts(b, r.Reason), uint64(r.WriteID))
	case r.Reason != "":
		b[0] = encodingWithReason
		b = appendTexts(b, r.Reason)
	}
	return b
}

func appendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// hashOf returns the hash of a row, given the hash of the row before.
func (t *chain) hashOf(ctx context.Context, tenantID int64, before []byte, r *Row) ([]byte, error) {
	return t.vault.MAC(ctx, tenantID, "audit chain", r.encoded(tenantID, before))
}

// table is a table and the columns that are inserted.
type table struct {
	name    string
	columns []string
}

var (
	entryTable = table{"audit_entry", []string{"tenant_id", "seq", "at", "kind", "operation", "surface", "trace_id", "initiator", "subject",
		"client_id", "entity_type", "entity_keys", "changes", "hash", "keys_of", "keys_digest", "reason", "write_id"}}
	keyTable = table{"audit_entry_key", []string{"tenant_id", "seq", "entity_type", "entity_key"}}
)

// values are the values of entryTable's columns.
func (r *Row) values(tenantID int64) ([]any, error) {
	keys, err := json.Marshal(r.ownKeys())
	if err != nil {
		return nil, err
	}
	changes, err := json.Marshal(r.Changes)
	if err != nil {
		return nil, err
	}
	var keysOf, write *int64
	var digest *string
	if r.WriteID != 0 {
		write = &r.WriteID
	}
	switch {
	case r.keysOf != 0:
		keysOf = &r.keysOf
	case r.keysDigest != "":
		digest = &r.keysDigest
	}
	return []any{tenantID, r.Seq, r.At, string(r.Kind), r.Operation, string(r.Surface), r.TraceID, r.Initiator, r.Subject,
		r.ClientID, r.EntityType, string(keys), string(changes), r.hash, keysOf, digest, r.Reason, write}, nil
}

// columns are what scanRow reads. If an entry shares the keys of an earlier one, they are
// read there. If that one is gone, there are no keys, and the hash does not match.
func (t *chain) columns(tenantID int64) string {
	return `e.seq, e.at, e.kind, e.operation, e.surface, e.trace_id, e.initiator, e.subject, e.client_id, e.entity_type,
	coalesce((SELECT o.entity_keys FROM audit_entry o WHERE o.tenant_id = ` + t.tenantOf("e", tenantID) + ` AND o.seq = e.keys_of), e.entity_keys), e.changes, e.hash, coalesce(e.keys_of, 0), e.reason, coalesce(e.write_id, 0)`
}

// tenantOf is the SQL for the tenant that a sub-select shares with the table of an alias:
// that table's column, or, on Citus, which cannot derive it there, the id as a literal.
func (t *chain) tenantOf(alias string, tenantID int64) string {
	if t.store.Sharded() {
		return strconv.FormatInt(tenantID, 10)
	}
	return alias + ".tenant_id"
}

func scanRow(s store.Scanner) (*Row, error) {
	r := new(Row)
	var keys, changes []byte
	if err := s.Scan(&r.Seq, &r.At, &r.Kind, &r.Operation, &r.Surface, &r.TraceID, &r.Initiator, &r.Subject, &r.ClientID, &r.EntityType,
		&keys, &changes, &r.hash, &r.keysOf, &r.Reason, &r.WriteID); err != nil {
		return nil, err
	}
	// Damaged lists stay empty, and then do not match the hash.
	if json.Unmarshal(keys, &r.EntityKeys) != nil || json.Unmarshal(changes, &r.Changes) != nil {
		r.EntityKeys, r.Changes = nil, nil
	}
	return r, nil
}

// rows reads entries after one, through another one, in their order.
func (t *chain) rows(ctx context.Context, tenantID, after, through int64) ([]*Row, error) {
	rows, err := store.Collect(ctx, t.store, scanRow, "SELECT "+t.columns(tenantID)+" FROM audit_entry e WHERE e.tenant_id = $1 AND e.seq > $2 AND e.seq <= $3 ORDER BY e.seq LIMIT $4",
		tenantID, after, through, verifyPage)
	return rows, wrapped(err)
}

func wrapped(err error) error {
	if err != nil {
		return fmt.Errorf("audit: read entries: %w", err)
	}
	return nil
}

// chain adds entries and gives them their places. It is safe for concurrent use.
type chain struct {
	store *store.Store
	vault *vault.Vault
}

// verifyPage is how many entries are read at once.
const verifyPage = 200
