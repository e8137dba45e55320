package resolve

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/internal/history"
)

// Where a relation is read from stands in the table of types that plans are compiled from
// (graph/planned). A resolver asks that table for the key of what a relation leads to, or
// for a value, and reads the rest by the key.

// ReadField reads a field of several objects as a plan does. It returns the field's JSON by
// the ids of the objects.
type ReadField func(ctx context.Context, f *ast.Field, at history.AsOf, ids []int64) (map[int64][]byte, error)

// own reads the field that is resolved, of an object with an id, from the table of types:
// the field's value, or only some leaves of what it leads to.
func own[T any](ctx context.Context, r *Resolver, at history.AsOf, id int64, leaves ...string) (T, error) {
	f := graphql.GetFieldContext(ctx).Field.Field
	return read[T](ctx, r, key(at, f, nil), only(f, leaves...), id)
}

// inside is own for a field of an object without a row, such as Payee, which is itself a
// field of an object with an id.
func inside[T any](ctx context.Context, r *Resolver, at history.AsOf, id int64, leaves ...string) (none T, err error) {
	fc := graphql.GetFieldContext(ctx)
	f, outer := fc.Field.Field, *fc.Parent.Field.Field
	outer.SelectionSet = ast.SelectionSet{only(f, leaves...)}
	values, err := read[map[string]T](ctx, r, key(at, f, fc.Parent.Field.Field), &outer, id)
	return values[f.Alias], err
}

// read reads a field of one object, together with the field of the object's siblings.
func read[T any](ctx context.Context, r *Resolver, k loader.Key, f *ast.Field, id int64) (v T, err error) {
	found, err := loader.Get(ctx, k, func(ctx context.Context, ids []int64) (map[int64][]byte, error) {
		return r.ReadField(ctx, f, k.AsOf, ids)
	}).Load(ctx, id)
	if err != nil || found == nil { // deleted meanwhile
		return v, err
	}
	return v, json.Unmarshal(found, &v)
}

// key is the loader key of a field in a document. Siblings share the field.
func key(at history.AsOf, f, outer *ast.Field) loader.Key {
	return loader.Key{Relation: f.Name, AsOf: at, Args: fmt.Sprintf("%p %p", f, outer)}
}

// only is a field of whose selection only some leaves are asked for.
func only(f *ast.Field, leaves ...string) *ast.Field {
	asked := *f
	asked.Directives, asked.SelectionSet = nil, nil
	for _, name := range leaves {
		asked.SelectionSet = append(asked.SelectionSet, &ast.Field{Alias: name, Name: name})
	}
	return &asked
}
