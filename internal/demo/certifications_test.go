package demo_test

import (
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/identity/directory"
)

type referenceSets struct {
	payStatuses, jurisdictions, companies map[string]bool
	levels                                map[int]bool
	types                                 map[string]directory.CertificationType
}

func newReferenceSets(r directory.Reference) referenceSets {
	s := referenceSets{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[int]bool{}, map[string]directory.CertificationType{}}
	for _, v := range r.PayStatuses {
		s.payStatuses[v.Name] = true
	}
	for _, v := range r.Jurisdictions {
		s.jurisdictions[v.ID] = true
	}
	for _, v := range r.ProviderCompanies {
		s.companies[v.Code] = true
	}
	for _, v := range r.AgentLevels {
		s.levels[v.Value] = true
	}
	for _, v := range r.CertificationTypes {
		s.types[v.Code] = v
	}
	return s
}

// Specification, Certification statuses.
var certificationStatuses = []string{
	"ACTIVE", "PENDING", "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION",
	"REGULATORY_SUSPENSION", "EXPIRED", "REJECTED", "TERMINATED", "RETIRED",
}

func checkCertifications(t failer, a *demo.Agent, known referenceSets) {
	t.Helper()
	if n := len(a.Certifications); n < 1 || n > 6 {
		t.Errorf("%s: %d certifications", a.Code, n)
	}
	type key struct{ kind, company, jurisdiction, identifier string }
	seen := map[key]bool{}
	for _, c := range a.Certifications {
		// Specification, Certifications, matching rules: these four together
		// tell an agent's certifications apart.
		k := key{c.Type, c.ProviderCompany, c.Jurisdiction, c.Identifier}
		if seen[k] {
			t.Errorf("%s: two certifications match: %v", a.Code, k)
		}
		seen[k] = true
		checkReferences(t, a, c, known)
		checkCertificationPeriods(t, a, c)
	}
}

func checkReferences(t failer, a *demo.Agent, c demo.Certification, known referenceSets) {
	t.Helper()
	kind, ok := known.types[c.Type]
	switch {
	case !ok:
		t.Errorf("%s: type %q is not configured", a.Code, c.Type)
	case kind.RequiresJurisdiction != (c.Jurisdiction != ""), c.Jurisdiction != "" && !known.jurisdictions[c.Jurisdiction]:
		t.Errorf("%s: %s with jurisdiction %q", a.Code, c.Type, c.Jurisdiction)
	case kind.RequiresProviderCompany != (c.ProviderCompany != ""), c.ProviderCompany != "" && !known.companies[c.ProviderCompany]:
		t.Errorf("%s: %s with provider company %q", a.Code, c.Type, c.ProviderCompany)
	case c.IsResident != (c.Jurisdiction == a.HomeAddress.Jurisdiction):
		t.Errorf("%s: %s in %q is resident: %v", a.Code, c.Type, c.Jurisdiction, c.IsResident)
	}
}

// Specification, Effective-dated history rules: "a list of non-overlapping
// periods"; only the last can be open-ended.
func checkCertificationPeriods(t failer, a *demo.Agent, c demo.Certification) {
	t.Helper()
	if len(c.Periods) == 0 {
		t.Errorf("%s: %s without a period", a.Code, c.Type)
	}
	for i, p := range c.Periods {
		if !slices.Contains(certificationStatuses, p.Value) {
			t.Errorf("%s: certification status %q", a.Code, p.Value)
		}
		if p.From <= a.BirthDate.AddDays(18*365) || date.OrMax(p.Through) < p.From {
			t.Errorf("%s: %s from %s", a.Code, c.Type, p.From)
		}
		if i > 0 && p.From <= date.OrMax(c.Periods[i-1].Through) {
			t.Errorf("%s: periods %d and %d of %s overlap", a.Code, i-1, i, c.Type)
		}
	}
}
