// Package loader reads related objects for many parents at once. One Loaders lives as
// long as a request.
//
// One statement reads the objects of all siblings. Either code that knows the parents
// primes the loader with their ids; or the loader waits a moment for the siblings to ask,
// too. An object that is below no list has no siblings, and its loader does not wait.
package loader

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"

	"github.com/uplinehq/upline/internal/history"
)

// wait is how long a loader collects the ids of siblings.
const wait = 500 * time.Microsecond

// maxBatch bounds the ids of one statement.
const maxBatch = 2000

// Key identifies a batch: the relation, and everything besides the parent that its answer
// depends on.
type Key struct {
	Relation string
	AsOf     history.AsOf
	// Args are the arguments of the field, written in any one way.
	Args string
}

// Loaders holds the batches of a request.
type Loaders struct {
	mu      sync.Mutex
	batches map[Key]any
}

type contextKey struct{}

// NewContext returns a context with fresh loaders.
func NewContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, &Loaders{})
}

// Fact is what NewContext puts into a context, for known.Is.
func Fact(fresh *Loaders) (key, value any) { return contextKey{}, fresh }

func from(ctx context.Context) *Loaders { return ctx.Value(contextKey{}).(*Loaders) }

// Fetch reads the relation of several parents; a parent without one is left
// out.
type Fetch[V any] func(ctx context.Context, ids []int64) (map[int64]V, error)

// Batch reads one relation.
type Batch[V any] struct {
	fetch Fetch[V]
	// siblings returns the loader for fields below a list, made at its first use.
	siblings func() *dataloader.Loader[int64, V]
	mu       sync.RWMutex
	primed   map[int64]V
}

// Get returns the request's batch of a key, made at its first use.
func Get[V any](ctx context.Context, key Key, fetch Fetch[V]) *Batch[V] {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.batches[key]; ok {
		return b.(*Batch[V])
	}
	b := &Batch[V]{fetch: fetch, primed: map[int64]V{}}
	b.siblings = sync.OnceValue(func() *dataloader.Loader[int64, V] {
		return dataloader.NewBatchedLoader(b.results, dataloader.WithWait[int64, V](wait), dataloader.WithBatchCapacity[int64, V](maxBatch))
	})
	if l.batches == nil {
		l.batches = map[Key]any{}
	}
	l.batches[key] = b
	return b
}

// Load returns a parent's relation, the zero value when it has none.
func (b *Batch[V]) Load(ctx context.Context, id int64) (V, error) {
	if v, ok := b.Primed(id); ok {
		return v, nil
	}
	if !isBelowList(ctx) {
		found, err := b.Prime(ctx, []int64{id})
		return found[id], err
	}
	return b.siblings().Load(ctx, id)()
}

// isBelowList reports whether the field of the context, or one above it, is an element
// of a list.
func isBelowList(ctx context.Context) bool {
	for f := graphql.GetFieldContext(ctx); f != nil; f = f.Parent {
		if f.Index != nil {
			return true
		}
	}
	return false
}

// Primed returns a parent's relation if it was read ahead.
func (b *Batch[V]) Primed(id int64) (v V, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	v, ok = b.primed[id]
	return v, ok
}

// Prime reads the relation of several parents in one statement and returns
// it. Those without one are remembered too.
func (b *Batch[V]) Prime(ctx context.Context, ids []int64) (map[int64]V, error) {
	missing := b.missing(ids)
	for len(missing) > 0 {
		n := min(len(missing), maxBatch)
		found, err := b.fetch(ctx, missing[:n])
		if err != nil {
			return nil, err
		}
		b.remember(missing[:n], found)
		missing = missing[n:]
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	all := make(map[int64]V, len(ids))
	for _, id := range ids {
		all[id] = b.primed[id]
	}
	return all, nil
}

func (b *Batch[V]) missing(ids []int64) (missing []int64) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	seen := make(map[int64]bool, len(ids))
	for _, id := range ids {
		if _, ok := b.primed[id]; !ok && !seen[id] {
			seen[id] = true
			missing = append(missing, id)
		}
	}
	return missing
}

func (b *Batch[V]) remember(ids []int64, found map[int64]V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		b.primed[id] = found[id]
	}
}

// results is the batch function of the dataloader.
func (b *Batch[V]) results(ctx context.Context, ids []int64) []*dataloader.Result[V] {
	found, err := b.fetch(ctx, ids)
	results := make([]*dataloader.Result[V], len(ids))
	for i, id := range ids {
		results[i] = &dataloader.Result[V]{Data: found[id], Error: err}
	}
	return results
}
