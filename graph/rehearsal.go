package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// rehearse ends the dry run before, and begins one if a mutation is to be tried only. Its
// transaction stays open until its payload is read, so the payload shows the record as it
// would be. An import tries its rows in a way of its own.
func (s *Server) rehearse(ctx context.Context, fc *graphql.FieldContext) error {
	run, _ := ctx.Value(attemptKey{}).(*attempt)
	if run == nil || run.rehearsal == nil {
		return nil
	}
	run.endRehearsal(ctx)
	if fc.Args["dryRun"] != true || fc.Field.Name == "bulkImport" {
		return nil
	}
	return run.rehearsal.Open(ctx, s.store)
}

// endRehearsal takes back what was tried.
func (a *attempt) endRehearsal(ctx context.Context) {
	if a.rehearsal != nil {
		_ = a.rehearsal.Close(ctx, false) // a connection that cannot roll back is closed, which does
	}
}
