package graph

import (
	"context"
	"reflect"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/tenant"
)

// initiated names the token's subject in the input of a mutation that names no initiator.
// An empty one is no omission: the areas refuse it.
func initiated(ctx context.Context, fc *graphql.FieldContext) {
	given, _ := fc.Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)["input"].(map[string]any)
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
