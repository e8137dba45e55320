package identity_test

import (
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

// A query finds the users whose name or address has it as a part, in any case: each is looked at.
func TestUsersAreFoundByAPart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Development: true})
		ctx := w.Context(t, apptest.Acme)
		for _, name := range []string{"Maria.Lopez", "mark_50", "desk", "marlopez"} {
			in := identity.UserInput{Username: name, Roles: patch.Set([]string{})}
			if name != "desk" {
				in.Email = patch.Set(name + "@Mar.example")
			}
			if _, err := w.Identity.CreateUser(ctx, in); err != nil {
				t.Fatal(err)
			}
		}
		found := func(f identity.UserFilter) (names []string) {
			users, err := w.Identity.Users(ctx, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := users.Page(ctx, page.Args{First: new(100)})
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range p.Items {
				email := ""
				if u.Email != nil {
					email = *u.Email
				}
				names = append(names, u.Username+"\n"+email)
			}
			return names
		}
		all := found(identity.UserFilter{})
		rapid.Check(t, func(t *rapid.T) {
			part := rapid.SampledFrom([]string{"MAR", "lopez", "%", "_", "a.l", "desk", "@", "'", "nobody"}).Draw(t, "part")
			want := slices.DeleteFunc(slices.Clone(all), func(u string) bool {
				name, email, _ := strings.Cut(strings.ToLower(u), "\n")
				return !strings.Contains(name, strings.ToLower(part)) && !strings.Contains(email, strings.ToLower(part))
			})
			if got := found(identity.UserFilter{Query: &part}); !slices.Equal(got, want) {
				t.Fatalf("%q finds %q, and should find %q", part, got, want)
			}
		})
	})
}
