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
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Surface is the door that a request came through.
type Surface string

// The surfaces. Work that no request asked for has the surface System.
const (
	GraphQL     Surface = "GRAPHQL"
	REST        Surface = "REST"
	MCP         Surface = "MCP"
	SignIn      Surface = "SIGN_IN"
	CommandLine Surface = "COMMAND_LINE"
	System      Surface = "SYSTEM"
)

// Surfaces are all of them.
var Surfaces = enum.Of(GraphQL, REST, MCP, SignIn, CommandLine, System)

// Origin is where a change comes from, as the doors know it.
type Origin struct {
	// Operation is the name of the operation, as in agentUpdate.
	Operation string
	Surface   Surface
	TraceID   string
}

// Import is the operation of an import, through whichever door it came. It writes in several
// transactions.
const Import = "bulkImport"

type writeKey struct{}

// OfWrite returns a context in which Write adds entries of the write with an id, whatever
// transaction they are in: of an import, in each of its transactions. 0 means that one that
// an old version began is gone on with, which has none.
func OfWrite(ctx context.Context, id int64) context.Context {
	return context.WithValue(ctx, writeKey{}, id)
}

type originKey struct{}

// WithOrigin returns a context for work of an origin.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, &o)
}

// OriginFact is what WithOrigin puts into a context, for known.Is.
func OriginFact(o *Origin) (key, value any) { return originKey{}, o }

// OriginFrom returns the context's origin: the system when nobody set one.
func OriginFrom(ctx context.Context) Origin {
	if o, ok := ctx.Value(originKey{}).(*Origin); ok {
		return *o
	}
	return Origin{Surface: System}
}

// Kind says whether an entry is about a write or about a revealing read.
type Kind string

// The kinds.
const (
	Write  Kind = "WRITE"
	Reveal Kind = "REVEAL"
)

// Kinds are all of them.
var Kinds = enum.Of(Write, Reveal)

// Entry is what the caller says of a write or a revealing read; the rest comes
// from the context.
type Entry struct {
	// EntityType is the type of what was written or revealed, by its name in the schema:
	// Agent, Certification.
	EntityType string
	// EntityKeys name the entities, agents by agent code: one for a write, all of the
	// response for a reveal. Their order does not matter.
	EntityKeys []string
	// Changes are the fields that were written or revealed.
	Changes []Change
	// Initiator is the initiator of the write ("an initiator string recorded for
	// auditing", specification, Common conventions).
	Initiator string
	// Reason is why, as the caller said it; empty for none.
	Reason string
}

// Change is a field that was written or revealed.
type Change struct {
	Field string `json:"field"`
	// Fingerprint is the fingerprint of the new value of a sensitive field; empty for
	// other fields, and when the value was cleared.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Trail writes and checks entries. It is safe for concurrent use.
type Trail struct {
	store *store.Store
	clock clock.Clock
	vault *vault.Vault

	mu      sync.Mutex
	waiting map[int64][]*revelation // by tenant; see Reveal
}

// New returns the trail in a database.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Trail {
	return &Trail{store: s, clock: c, vault: v, waiting: map[int64][]*revelation{}}
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
		d.all = append(d.all, deferred{t, tenantID, rows})
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
