package identity_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// arrivals is a model of who is whom: domains by provider, addresses by name, and whom each
// subject of a provider is.
type arrivals struct {
	domains map[string][]string
	creates map[string]bool
	users   map[string]string
	links   map[string]map[string]string
}

func (m *arrivals) owner(address string) string {
	_, domain, _ := strings.Cut(strings.ToLower(address), "@")
	for name, domains := range m.domains {
		if slices.Contains(domains, domain) {
			return name
		}
	}
	return ""
}

// holder is who has an address; empty for nobody.
func (m *arrivals) holder(address string) string {
	for name, email := range m.users {
		if email != "" && strings.EqualFold(email, address) {
			return name
		}
	}
	return ""
}

// comes returns who somebody is who comes with a provider; empty for who is refused.
func (m *arrivals) comes(provider string, a identity.Arrival) (who string) {
	speaks := func(address string) bool {
		return m.owner(address) == provider || m.owner(address) == "" && len(m.domains) == 1
	}
	if who := m.links[provider][a.Subject]; who != "" {
		if owner := m.owner(m.users[who]); owner != "" && owner != provider {
			return ""
		}
		return who
	}
	verified := a.EmailVerified != nil && *a.EmailVerified || a.EmailVerified == nil && m.owner(a.Email) == provider
	vouched := a.Email != "" && speaks(a.Email) && verified
	if vouched {
		who = m.holder(a.Email)
	}
	if who == "" {
		who = a.Username
		if who == "" {
			who = a.Email
		}
		_, taken := m.users[who]
		if owner := m.owner(a.Email); owner != "" && owner != provider || !m.creates[provider] || who == "" || taken || strings.Contains(who, "@") && !speaks(who) {
			return ""
		}
		if m.users[who] = ""; vouched {
			m.users[who] = a.Email
		}
	}
	for _, linked := range m.links[provider] {
		if linked == who {
			return ""
		}
	}
	m.links[provider][a.Subject] = who
	return who
}

// Whatever providers an agency has, and whatever they say of people: nobody signs in as a
// user whose address another provider has the domain of, and each is who a plain reading of
// the rules says.
func TestProvidersVouchForTheirOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Development: true})
		ctx := w.Context(t, apptest.Acme)
		rapid.Check(t, func(t *rapid.T) {
			clearPeople(t, w)
			m := &arrivals{map[string][]string{}, map[string]bool{}, map[string]string{"ann": "ann@a.example", "bob": "bob@b.example", "cy": "cy@c.example", "dan": ""}, map[string]map[string]string{}}
			for name, email := range m.users {
				in := identity.UserInput{Username: name, Status: patch.Set(identity.Approved)}
				if email != "" {
					in.Email = patch.Set(email)
				}
				if _, err := w.Identity.CreateUser(ctx, in); err != nil {
					t.Fatal(err)
				}
			}
			free := []string{"a.example", "b.example"}
			for _, name := range []string{"one", "two", "three"}[:rapid.IntRange(1, 3).Draw(t, "providers")] {
				some := rapid.IntRange(0, len(free)).Draw(t, "domains")
				m.domains[name], free = free[:some], free[some:]
				m.creates[name], m.links[name] = rapid.Bool().Draw(t, "creates users"), map[string]string{}
				if _, err := w.Identity.CreateProvider(ctx, identity.ProviderInput{Name: name, Issuer: "https://" + name + ".example", ClientID: "c",
					Domains: patch.Set(m.domains[name]), CreatesUsers: patch.Set(m.creates[name])}); err != nil {
					t.Fatal(err)
				}
			}
			for range rapid.IntRange(1, 8).Draw(t, "arrivals") {
				provider := anyOf(t, "provider", "one", "two", "three")
				p, err := w.Identity.Provider(ctx, provider)
				if err != nil || p == nil {
					continue
				}
				a := identity.Arrival{Subject: anyOf(t, "subject", "s1", "s2", "s3"), Email: anyOf(t, "address", "ann@a.example", "ANN@A.example", "bob@b.example", "cy@c.example", "new@b.example", "dan@c.example", ""),
					Username: anyOf(t, "name", "ann", "new", "newer", "eve@b.example", "eve@c.example", ""), EmailVerified: rapid.SampledFrom([]*bool{nil, new(true), new(true), new(false)}).Draw(t, "verified")}
				want := m.comes(provider, a)
				entered, err := w.Identity.Arrive(ctx, p, a)
				var refused *identity.Unwelcome
				if err != nil && !errors.As(err, &refused) {
					t.Fatalf("%+v: %v", a, err)
				}
				got := ""
				if err == nil {
					got = entered.Session.Username
				}
				if got != want {
					t.Fatalf("%+v comes with %s, which has %v, as %q, and is %q (%v)", a, provider, m.domains, got, want, err)
				}
				if owner := m.owner(m.users[got]); got != "" && owner != "" && owner != provider {
					t.Fatalf("%s signs in as %s, of a domain of %s", provider, got, owner)
				}
			}
		})
	})
}

func anyOf(t *rapid.T, label string, values ...string) string {
	return rapid.SampledFrom(values).Draw(t, label)
}

// clearPeople removes all users and providers.
func clearPeople(t *rapid.T, w *apptest.World) {
	ctx := w.Context(t, apptest.Acme)
	providers, err := w.Identity.Providers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range providers {
		if err := w.Identity.DeleteProvider(ctx, p.Name); err != nil {
			t.Fatal(err)
		}
	}
	users, err := w.Identity.Users(ctx, identity.UserFilter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := users.Page(ctx, page.Args{First: new(100)})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range found.Items {
		if err := w.Identity.DeleteUser(ctx, u.Username); err != nil {
			t.Fatal(err)
		}
	}
}
