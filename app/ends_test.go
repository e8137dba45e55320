package app_test

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// credential is something that counts until it ends. begin makes another, and returns its
// end, and what tries it.
type credential struct {
	name  string
	begin func(t *testing.T, w *signInWorld) (end time.Time, counts func() bool)
	// isOnce says that it can be tried once.
	isOnce bool
}

const fortnight = 14 * 24 * time.Hour

var credentials = []credential{
	{"an access token", func(t *testing.T, w *signInWorld) (time.Time, func() bool) {
		token := w.exchange(t, "code", w.browser(t).code(t)).Access
		// Its end is a whole second, and counts half a minute later: clocks differ.
		return w.Clock.Now().Truncate(time.Second).Add(time.Hour + 30*time.Second), func() bool { return w.reads(t, token) == http.StatusOK }
	}, false},
	{"a code", func(t *testing.T, w *signInWorld) (time.Time, func() bool) {
		code := w.browser(t).code(t)
		return w.Clock.Now().Add(time.Minute), func() bool { return w.exchange(t, "code", code).status == http.StatusOK }
	}, true},
	{"a refresh token", func(t *testing.T, w *signInWorld) (time.Time, func() bool) {
		token := w.exchange(t, "code", w.browser(t).code(t)).Refresh
		return w.Clock.Now().Add(fortnight), func() bool { return w.refresh(t, token).status == http.StatusOK }
	}, true},
	{"the last refresh token of a grant", func(t *testing.T, w *signInWorld) (time.Time, func() bool) {
		end, got := w.Clock.Now().Add(90*24*time.Hour), w.exchange(t, "code", w.browser(t).code(t))
		for range 6 {
			w.Clock.Move(fortnight - time.Microsecond)
			got = w.refresh(t, got.Refresh)
		}
		return end, func() bool { return w.refresh(t, got.Refresh).status == http.StatusOK }
	}, true},
	{"an idle session", func(t *testing.T, w *signInWorld) (time.Time, func() bool) {
		b := w.browser(t)
		b.signIn(t, oauth.SignInPath, "ana", anaPassword)
		return w.Clock.Now().Add(time.Hour), func() bool { return b.get(t, oauth.SessionPath).StatusCode == http.StatusOK }
	}, true},
	{"a session", func(t *testing.T, w *signInWorld) (time.Time, func() bool) {
		b, end := w.browser(t), w.Clock.Now().Add(12*time.Hour)
		b.signIn(t, oauth.SignInPath, "ana", anaPassword)
		for range 12 {
			w.Clock.Move(time.Hour - time.Microsecond)
			b.get(t, oauth.SessionPath)
		}
		return end, func() bool { return b.get(t, oauth.SessionPath).StatusCode == http.StatusOK }
	}, false},
	{"an API key", func(t *testing.T, w *signInWorld) (time.Time, func() bool) {
		end := w.Clock.Now().Add(time.Hour)
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		client, _ := w.As(apptest.Acme).Credentials(t)
		_, secret, err := w.Identity.CreateAPIKey(ctx, client, identity.APIKeyInput{Name: "ends", Scopes: []string{"read:agents"}, ExpiresAt: &end})
		if err != nil {
			t.Fatal(err)
		}
		return end, func() bool { return w.reads(t, secret.Reveal()) == http.StatusOK }
	}, false},
}

// "Access token: 60 minutes; refresh token: 14 days unless used, 90 days from the sign-in at
// most; session: an hour without a request, 12 hours at most" (docs/identity.md): each
// counts until its last microsecond, and no longer, however it was used meanwhile.
func TestCredentialsEndOnTime(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		random := rand.New(rand.NewPCG(33, 4))
		for _, c := range credentials {
			for range 2 {
				w.Clock.Move(time.Duration(random.Int64N(int64(time.Hour))))
				end, counts := c.begin(t, w)
				for left := end.Sub(w.Clock.Now()) - time.Microsecond; left > 0 && !c.isOnce; left = end.Sub(w.Clock.Now()) - time.Microsecond {
					w.Clock.Move(min(left, time.Microsecond+time.Duration(random.Int64N(int64(20*time.Minute)))))
					if !counts() {
						t.Errorf("%s does not count %v before its end", c.name, end.Sub(w.Clock.Now()))
					}
				}
				if c.isOnce {
					if w.Clock.Move(end.Sub(w.Clock.Now()) - time.Microsecond); !counts() {
						t.Errorf("%s does not count to its end", c.name)
					}
					end, counts = c.begin(t, w)
				}
				if w.Clock.Move(end.Sub(w.Clock.Now())); counts() {
					t.Errorf("%s counts after its end", c.name)
				}
			}
		}
	})
}
