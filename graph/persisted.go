package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/audit"
)

const (
	// keptQueries is how many persisted queries are kept.
	keptQueries = 1000
	// longestKept bounds the length of each, so that all take at most 16 MiB. A longer
	// query runs, but is not kept.
	longestKept = 16 << 10
)

const (
	codePersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND"
	codeDocumentNotFound       = "DOCUMENT_NOT_FOUND"
	codeDocumentNotTrusted     = "DOCUMENT_NOT_TRUSTED"
)

// Documents are the trusted documents of the caller's client.
type Documents interface {
	// DocumentMode says whether the client may send texts.
	DocumentMode(context.Context) (identity.DocumentMode, error)
	// Document returns the text of a document; false if the client has none with this id.
	Document(ctx context.Context, id string) (text string, ok bool, err error)
}

// persisted finds the texts of requests that do not bring one. Trusted documents are those
// that a client was built with, by their ids. Automatic persisted queries are found by their
// SHA-256 hash; a client sends the text when the server does not know it. All tenants share
// those. That is safe, since a query is found by its hash alone: nobody gets a text that
// they do not know already.
type persisted struct {
	queries   *lru.Cache[string, string]
	documents Documents
	log       *slog.Logger
	// present tells a client what kept the server from reading its documents.
	present graphql.ErrorPresenterFunc
}

func newPersisted(d Documents, log *slog.Logger, present graphql.ErrorPresenterFunc) persisted {
	queries, err := lru.New[string, string](keptQueries)
	if err != nil {
		panic(err) // only for a size below one
	}
	return persisted{queries, d, log, present}
}

// ExtensionName implements graphql.HandlerExtension.
func (persisted) ExtensionName() string { return "PersistedDocuments" }

// Validate implements graphql.HandlerExtension.
func (persisted) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator.
func (p persisted) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	if isOwn(ctx) {
		return nil
	}
	if id, ok := params.Extensions[transport.DocumentID].(string); ok {
		if params.Query != "" {
			return refusedQuery(refusal.BadUserInput, "the parameters query and documentId exclude each other")
		}
		return p.find(ctx, params, id, refusedQuery(codeDocumentNotFound, "the client has no trusted document with this documentId"))
	}
	hash, refused := hashOf(params)
	switch {
	case refused != nil:
		return refused
	case hash != "" && params.Query == "":
		// Libraries send the ids of their manifests so, too.
		unknown := refusedQuery(codePersistedQueryNotFound, "PersistedQueryNotFound")
		if refused := p.find(ctx, params, hash, unknown); refused != unknown { //nolint:errorlint // the same value
			return refused
		}
		if params.Query, _ = p.queries.Get(hash); params.Query == "" {
			return unknown
		}
	case hash != "" && len(params.Query) <= longestKept:
		p.queries.Add(hash, params.Query)
	}
	return p.trust(ctx, params)
}

// isOwn reports whether an operation is one of another door, an export's, or a saved query:
// those name their origin before they run.
func isOwn(ctx context.Context) bool { return audit.OriginFrom(ctx).Surface != audit.System }

// find finds the text of a trusted document, or refuses with none.
func (p persisted) find(ctx context.Context, params *graphql.RawParams, id string, none *gqlerror.Error) *gqlerror.Error {
	if p.documents == nil {
		return none
	}
	text, ok, err := p.documents.Document(ctx, id)
	switch {
	case err != nil:
		return p.present(ctx, err)
	case !ok:
		return none
	}
	params.Query = text
	return nil
}

// trust refuses a text of a client that may send only the ids of its documents.
func (p persisted) trust(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	if p.documents == nil {
		return nil
	}
	mode, err := p.documents.DocumentMode(ctx)
	switch {
	case err != nil:
		return p.present(ctx, err)
	case mode == identity.DocumentsEnforce:
		return refusedQuery(codeDocumentNotTrusted, "this client may run its trusted documents only: send the documentId of one to the GraphQL door")
	case mode == identity.DocumentsLog:
		sum := sha256.Sum256([]byte(params.Query))
		p.log.InfoContext(ctx, "a client sent a document that is not one of its trusted ones", slog.String("sha256", hex.EncodeToString(sum[:])))
	}
	return nil
}

// hashOf returns the hash that the extension persistedQuery names; empty without one. If
// the request has a text, too, the hash is that of the text.
func hashOf(params *graphql.RawParams) (hash string, refused *gqlerror.Error) {
	given, ok := params.Extensions["persistedQuery"]
	if !ok || given == nil {
		return "", nil
	}
	fields, _ := given.(map[string]any)
	hash, ok = fields["sha256Hash"].(string)
	if version, has := fields["version"]; !ok || !has || !isOne(version) {
		return "", refusedQuery(refusal.BadUserInput, "the extension persistedQuery must have the version 1 and a sha256Hash")
	}
	if sum := sha256.Sum256([]byte(params.Query)); params.Query != "" && hex.EncodeToString(sum[:]) != hash {
		return "", refusedQuery(refusal.BadUserInput, "the sha256Hash of the extension persistedQuery is not that of the query")
	}
	return hash, nil
}

// isOne reports whether a number of a request is 1; numbers stay as written.
func isOne(v any) bool {
	n, ok := v.(interface{ Int64() (int64, error) })
	if !ok {
		return false
	}
	i, err := n.Int64()
	return err == nil && i == 1
}

func refusedQuery(code, message string) *gqlerror.Error {
	return &gqlerror.Error{Message: message, Extensions: map[string]any{"code": code}}
}
