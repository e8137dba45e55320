package graph

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/tenant"
)

// uses counts which operations clients run, until their coordinates are stored. What was
// counted since, at most for a minute, is lost when the process is killed.
type uses struct {
	mu     sync.Mutex
	counts map[used]int64
}

// used is an operation of a client on a day. Parsed documents are kept, so that the same
// text is the same operation.
type used struct {
	tenant    *tenant.Tenant
	client    string
	day       date.Date
	operation *ast.OperationDefinition
}

// mostUsed bounds the operations that are counted at once. Beyond it new ones are not
// counted: a client that sends ever new texts uses the same coordinates.
const mostUsed = 10_000

// note counts an operation of the GraphQL door.
func (u *uses) note(ctx context.Context, operation *ast.OperationDefinition, now time.Time) {
	if isOwn(ctx) {
		return
	}
	caller, _ := tenant.CallerFrom(ctx)
	key := used{tenant.From(ctx), caller.ClientID, date.In(now, time.UTC), operation}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.counts[key]; known || len(u.counts) < mostUsed {
		u.counts[key]++
	}
}

// take returns what was counted, and begins anew.
func (u *uses) take() map[used]int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	counts := u.counts
	u.counts = map[used]int64{}
	return counts
}

// StoreUses stores which coordinates of the schema clients have used since it was last
// called. What it cannot store is lost.
func (s *Server) StoreUses(ctx context.Context) error {
	sums := map[*tenant.Tenant]map[identity.Use]int64{}
	for key, n := range s.uses.take() {
		if sums[key.tenant] == nil {
			sums[key.tenant] = map[identity.Use]int64{}
		}
		for coordinate := range coordinates(key.operation) {
			sums[key.tenant][identity.Use{Day: key.day, ClientID: key.client, Coordinate: coordinate}] += n
		}
	}
	var failed []error
	for of, counted := range sums {
		all := make([]identity.Use, 0, len(counted))
		for use, n := range counted {
			use.Requests = n
			all = append(all, use)
		}
		slices.SortFunc(all, func(a, b identity.Use) int {
			return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ClientID, b.ClientID), cmp.Compare(a.Coordinate, b.Coordinate))
		})
		failed = append(failed, s.identity.AddUses(tenant.With(ctx, of), all)) // those of other agencies are stored all the same
	}
	return errors.Join(failed...)
}

// coordinates returns the fields, the arguments, and the input fields and values of
// enumerations in literals, that an operation names, as schema coordinates (GraphQL
// specification, 3.14), and the types of its variables: of what is sent in a variable
// nothing more is known.
func coordinates(operation *ast.OperationDefinition) map[string]bool {
	found := map[string]bool{}
	selection.Walk(operation.SelectionSet, func(s ast.Selection) {
		f, ok := s.(*ast.Field)
		if !ok || f.Definition == nil || f.ObjectDefinition == nil {
			return
		}
		field := f.ObjectDefinition.Name + "." + f.Name
		found[field] = true
		for _, argument := range f.Arguments {
			found[field+"("+argument.Name+":)"] = true
			literal(argument.Value, found)
		}
	})
	for _, v := range operation.VariableDefinitions {
		found[v.Type.Name()] = true
		literal(v.DefaultValue, found)
	}
	return found
}

func literal(v *ast.Value, found map[string]bool) {
	if v == nil {
		return
	}
	if v.Kind == ast.EnumValue && v.Definition != nil {
		found[v.Definition.Name+"."+v.Raw] = true
	}
	for _, child := range v.Children {
		if v.Kind == ast.ObjectValue && v.Definition != nil {
			found[v.Definition.Name+"."+child.Name] = true
		}
		literal(child.Value, found)
	}
}
