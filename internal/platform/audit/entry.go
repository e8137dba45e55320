package audit

import (
	"context"

	"github.com/uplinehq/upline/internal/enum"
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
