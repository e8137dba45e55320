package graph

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/scalar"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
)

// ifMatch returns the context of a mutation: with @ifMatch it is made only if every record
// that it names was last changed at one of the instants.
func ifMatch(ctx context.Context, fc *graphql.FieldContext) (context.Context, error) {
	directive := fc.Field.Directives.ForName("ifMatch")
	if directive == nil {
		return ctx, nil
	}
	sent := directive.ArgumentMap(graphql.GetOperationContext(ctx).Variables)["lastModified"]
	instants, isList := sent.([]any)
	if !isList {
		instants = []any{sent} // GraphQL takes one value for a list of it
	}
	versions := make([]string, len(instants))
	for i, instant := range instants {
		at, err := scalar.UnmarshalDateTime(instant)
		if err != nil {
			return nil, problem.Invalid(problem.InvalidFormat, "@ifMatch takes instants, as lastModified has them", "lastModified")
		}
		versions[i] = version.Of(at)
	}
	return version.Expect(ctx, versions), nil
}

// unmatched explains the error of a mutation that names no record with a version: it was
// not made, since nothing could check @ifMatch.
func unmatched(err error) error {
	if errors.Is(err, version.ErrUnchecked) {
		return problem.Invalid(problem.NotApplicable, "This mutation takes no @ifMatch: it changes no record that has lastModified")
	}
	return err
}
