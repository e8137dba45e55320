package recipe

import (
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

// asked notes what saved queries are run with.
type asked struct{ insights.Request }

func (a *asked) CheckQuery(context.Context, *SavedQuery) (problem.List, error) { return nil, nil }

func (a *asked) RunQuery(_ context.Context, _ *SavedQuery, in insights.Request) (*insights.Result, error) {
	a.Request = in
	return &insights.Result{}, nil
}

// A page of a saved query is one of the tenant's lists: it has 50 rows by default, but
// never more than these take.
func TestDefaultPageOfASavedQuery(t *testing.T) {
	var a asked
	service := &Service{Queries: &a, clock: clock.At(time.Unix(0, 0))}
	saved := &Recipe{Dataset: savedQuery, Definition: []byte(`{"graphql": "{ x }", "connectionPath": "x", "columns": [{"field": "y"}]}`)}
	for most, want := range map[int]int{20: 20, 50: 50, 100: 50} {
		ctx := tenant.With(t.Context(), &tenant.Tenant{ID: 1, MaxPageSize: most})
		if _, err := service.Run(ctx, saved, insights.Request{}); err != nil || *a.First != want {
			t.Errorf("of at most %d rows: %d, %v; want %d", most, *a.First, err, want)
		}
		given := 30
		if _, err := service.Run(ctx, saved, insights.Request{First: &given}); err != nil || *a.First != given {
			t.Errorf("given %d: %d, %v", given, *a.First, err)
		}
	}
}

// A saved query without columns is told so, whatever else is wrong with it.
func TestProblemsOfSavedQueries(t *testing.T) {
	for text, want := range map[string]string{
		`{"columns": []}`: "REQUIRED definition.graphql, REQUIRED definition.connectionPath, REQUIRED definition.columns",
		`{"graphql": "{ x }", "connectionPath": "x", "columns": {}}`: "INVALID_FORMAT definition.columns",
	} {
		decoded, err := value.Object([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, refused := parseQuery(decoded)
		if got := told(refused); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}
