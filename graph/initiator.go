package graph

import (
	"context"
	"reflect"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/tenant"
)

// reasoned returns a context in which a mutation changes what it does for the reason that
// its input gives.
func reasoned(ctx context.Context, given map[string]any) context.Context {
	if reason, ok := given["reason"].(string); ok {
		return change.WithReason(ctx, reason)
	}
	return ctx
}

// initiated names the token's subject in the input of a mutation that names no initiator.
// An empty one is no omission: the areas refuse it.
func initiated(ctx context.Context, fc *graphql.FieldContext, given map[string]any) {
	if given == nil || given["initiator"] != nil {
		return
	}
	input := reflect.New(reflect.TypeOf(fc.Args["input"])).Elem()
	input.Set(reflect.ValueOf(fc.Args["input"]))
	if by := input.FieldByName("Initiator"); by.IsValid() {
		caller, _ := tenant.CallerFrom(ctx)
		by.SetString(caller.Subject)
		fc.Args["input"] = input.Interface()
	}
}
