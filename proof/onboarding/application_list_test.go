package onboarding_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/problem"
)

// list reads a whole list, a page of two at a time, as the local parts of the
// e-mail addresses.
func (w *world) list(f onboarding.ApplicationFilter, orders ...listing.Order) string {
	w.t.Helper()
	l, err := w.Onboarding.ApplicationList(w.ctx, f, orders)
	if err != nil {
		w.t.Fatal(err)
	}
	var (
		names []string
		args  = page.Args{First: of(2)}
	)
	for {
		p, err := l.Page(w.ctx, args)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, a := range p.Items {
			name, _, _ := strings.Cut(a.EmailAddress, "@")
			names = append(names, name)
		}
		if !p.HasNext {
			return strings.Join(names, " ")
		}
		args.After = of(p.Cursor(p.Items[len(p.Items)-1]))
	}
}

// Filters and sort of the list (api "Application list filters"); default
// createdAt desc.
func TestApplicationList(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		start := w.Clock.Now()
		uids := map[string]string{}
		for _, a := range []struct{ name, first, last, recruiter string }{{"a", "Ana", "Zeta", "A1"}, {"b", "Ben", "alpha", "A2"}, {"c", "Änne", "Beta", "A1"}} {
			f := minimum(a.name + "@example.com")
			f.FirstName, f.LastName, f.RecruiterAgentCode = a.first, a.last, a.recruiter
			if a.name == "c" {
				f.GovernmentIdentifier = of("900-44-1234")
			}
			uids[a.name] = w.create(f).UID
			w.Clock.Move(time.Hour)
		}
		w.setStatus(uids["b"], onboarding.Rejected)
		f := minimum("a@example.com")
		f.FirstName, f.LastName = "Ana", "Zeta"
		f.Suffix = of("x")
		if _, _, err := w.Onboarding.Replace(w.ctx, uids["a"], f); err != nil {
			t.Fatal(err)
		}
		second := start.Add(time.Hour)
		for _, test := range []struct {
			filter onboarding.ApplicationFilter
			want   string
		}{
			{onboarding.ApplicationFilter{}, "c b a"},
			{onboarding.ApplicationFilter{Status: []string{"ACTIVE", "HOLD"}}, "c a"},
			{onboarding.ApplicationFilter{Status: []string{}}, ""},
			{onboarding.ApplicationFilter{RecruiterAgentCode: of("A1")}, "c a"},
			{onboarding.ApplicationFilter{EmailAddress: of("B@EXAMPLE.com")}, "b"},
			{onboarding.ApplicationFilter{FirstName: of("än")}, "c"},
			{onboarding.ApplicationFilter{LastName: of("A")}, "b"},
			{onboarding.ApplicationFilter{GovernmentIdentifier: of("900 44 1234")}, "c"},
			{onboarding.ApplicationFilter{CreatedFrom: &second}, "c b"},
			{onboarding.ApplicationFilter{CreatedThrough: &second}, "b a"},
			{onboarding.ApplicationFilter{ModifiedSince: of(start.Add(3 * time.Hour))}, "a"},
			{onboarding.ApplicationFilter{RecruiterAgentCode: of("A1"), FirstName: of("an")}, "a"},
		} {
			if got := w.list(test.filter); got != test.want {
				t.Errorf("%+v: %q, want %q", test.filter, got, test.want)
			}
		}
		w.submitted(uids["c"], start)
		w.submitted(uids["a"], second)
		for field, want := range map[string]string{"CREATED_AT": "a b c", "LAST_NAME": "b c a", "STATUS": "a c b", "LAST_MODIFIED": "b c a", "SUBMITTED_AT": "b c a"} {
			if got := w.list(onboarding.ApplicationFilter{}, listing.Order{Field: field}); got != want {
				t.Errorf("by %s: %q, want %q", field, got, want)
			}
		}
		if got := w.list(onboarding.ApplicationFilter{}, listing.Order{Field: "SUBMITTED_AT", Desc: true}); got != "a c b" {
			t.Errorf("the latest submitted first: %q", got)
		}
	})
}

// "Agent Onboarding pageSize: default 50; maximum set per API" (Limits): 100,
// whatever the tenant has for Agency Management.
func TestApplicationPageSize(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for i := range 51 {
			w.create(minimum(fmt.Sprintf("p%d@example.com", i)))
		}
		small := *w.Tenants[apptest.Acme]
		small.DefaultPageSize, small.MaxPageSize = 5, 10
		w.Tenants[apptest.Acme] = &small
		ctx := w.Context(t, apptest.Acme)
		l, err := w.Onboarding.ApplicationList(ctx, onboarding.ApplicationFilter{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for size, want := range map[*int]int{nil: 50, of(100): 51} {
			if p, err := l.Page(ctx, page.Args{First: size}); err != nil || len(p.Items) != want {
				t.Errorf("a page has %d rows, want %d: %v", len(p.Items), want, err)
			}
		}
		if _, err := l.Page(ctx, page.Args{First: of(101)}); !problem.Has(err, problem.PageSizeExceeded) {
			t.Errorf("101 rows: %v", err)
		}
		if n, err := l.Count(ctx); n != 51 || err != nil {
			t.Errorf("%d rows are counted: %v", n, err)
		}
	})
}
