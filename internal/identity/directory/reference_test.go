package directory_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/identity/directory"
)

func TestStarterReference(t *testing.T) {
	r := directory.StarterReference()
	different(t, "certification types", r.CertificationTypes, func(c directory.CertificationType) any { return c.Code }, 15)
	different(t, "jurisdictions", r.Jurisdictions, func(j directory.Jurisdiction) any { return j.ID }, 50+1+5+13)
	different(t, "pay statuses", r.PayStatuses, func(s directory.PayStatus) any { return s.Name }, 8)
	different(t, "levels", r.AgentLevels, func(l directory.AgentLevel) any { return l.Value }, 9)
	different(t, "provider companies", r.ProviderCompanies, func(p directory.ProviderCompany) any { return p.Code }, 12)
}

func different[T any](t *testing.T, what string, items []T, key func(T) any, want int) {
	t.Helper()
	keys := map[any]bool{}
	for _, item := range items {
		keys[key(item)] = true
	}
	if len(items) != want || len(keys) != want {
		t.Errorf("%d %s, %d of them different; want %d", len(items), what, len(keys), want)
	}
}

// "Jurisdictions: id in the form XX-XX; states, provinces, territories"
// (specification, Reference data).
func TestStarterJurisdictions(t *testing.T) {
	kinds := map[string]int{}
	for _, j := range directory.StarterReference().Jurisdictions {
		kinds[j.Country+" "+j.Kind]++
		if len(j.ID) != 5 || j.ID[:3] != j.Country+"-" {
			t.Errorf("jurisdiction id %q is not XX-XX of %s", j.ID, j.Country)
		}
	}
	want := map[string]int{"US State": 50, "US District": 1, "US Territory": 5, "CA Province": 10, "CA Territory": 3}
	for kind, n := range want {
		if kinds[kind] != n {
			t.Errorf("%d of kind %s; want %d", kinds[kind], kind, n)
		}
	}
	if len(kinds) != len(want) {
		t.Errorf("kinds %v", kinds)
	}
}

// One tenant that edits its reference data does not edit that of the next.
func TestStarterReferenceIsACopy(t *testing.T) {
	directory.StarterReference().PayStatuses[0].Name = "changed"
	if directory.StarterReference().PayStatuses[0].Name == "changed" {
		t.Error("the starter reference data is shared")
	}
}
