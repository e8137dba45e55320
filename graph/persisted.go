package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
)

const (
	// keptQueries is how many persisted queries are kept.
	keptQueries = 1000
	// longestKept bounds the length of each, so that all take at most 16 MiB. A longer
	// query runs, but is not kept.
	longestKept = 16 << 10
)

const codePersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND"

// persisted serves automatic persisted queries: a client sends the SHA-256 hash of a
// query, and its text only when the server does not know it. All tenants share the kept
// queries. That is safe, since a query is found by its hash alone: nobody gets a text
// that they do not know already.
type persisted struct {
	queries *lru.Cache[string, string]
}

func newPersisted() persisted {
	queries, err := lru.New[string, string](keptQueries)
	if err != nil {
		panic(err) // only for a size below one
	}
	return persisted{queries}
}

// ExtensionName implements graphql.HandlerExtension.
func (persisted) ExtensionName() string { return "AutomaticPersistedQuery" }

// Validate implements graphql.HandlerExtension.
func (persisted) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator: it
// finds the query of a hash, or keeps a query under its hash.
func (p persisted) MutateOperationParameters(_ context.Context, params *graphql.RawParams) *gqlerror.Error {
	given, ok := params.Extensions["persistedQuery"]
	if !ok || given == nil {
		return nil
	}
	fields, _ := given.(map[string]any)
	hash, ok := fields["sha256Hash"].(string)
	if version, has := fields["version"]; !ok || !has || !isOne(version) {
		return refusedQuery(refusal.BadUserInput, "the extension persistedQuery must have the version 1 and a sha256Hash")
	}
	if params.Query == "" {
		if params.Query, ok = p.queries.Get(hash); !ok {
			return refusedQuery(codePersistedQueryNotFound, "PersistedQueryNotFound")
		}
		return nil
	}
	if sum := sha256.Sum256([]byte(params.Query)); hex.EncodeToString(sum[:]) != hash {
		return refusedQuery(refusal.BadUserInput, "the sha256Hash of the extension persistedQuery is not that of the query")
	}
	if len(params.Query) <= longestKept {
		p.queries.Add(hash, params.Query)
	}
	return nil
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
