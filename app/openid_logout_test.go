package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

// OpenID Connect RP-Initiated Logout §2 and §3: a client that has an ID token of
// whoever is signed in ends the session, others ask; the browser goes back to an
// address of the client, and nowhere else.
func TestOpenIDLogout_2_SignOut(t *testing.T) {
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		got := w.exchange(t, "code", b.code(t, "scope", "openid"))
		leave := func(edits ...string) string {
			query := url.Values{"post_logout_redirect_uri": {webCallback}, "state": {"bye & ü"}}
			for i := 0; i < len(edits); i += 2 {
				query.Set(edits[i], edits[i+1])
			}
			return oauth.SignOutPath + "?" + query.Encode()
		}
		for name, path := range map[string]string{
			"no client":               leave(),
			"an unknown client":       leave("client_id", "nobody"),
			"another address":         leave("id_token_hint", got.ID, "post_logout_redirect_uri", "https://evil.example/"),
			"another client":          leave("id_token_hint", got.ID, "client_id", "desk"),
			"an access token":         leave("id_token_hint", got.Access),
			"a changed ID token":      leave("id_token_hint", got.ID[:len(got.ID)-8]+"AAAAAAAA"),
			"an address of a sibling": leave("client_id", "desk"),
			"twice":                   leave("id_token_hint", got.ID) + "&state=2",
		} {
			if answer := b.get(t, path); answer.StatusCode != http.StatusBadRequest || answer.Header.Get("Location") != "" {
				t.Errorf("%s: %d %s", name, answer.StatusCode, answer.Header.Get("Location"))
			}
		}
		asked := b.get(t, leave("client_id", "web"))
		if asked.token() == "" || b.get(t, oauth.SessionPath).StatusCode != http.StatusOK {
			t.Fatalf("without an ID token: %d %s", asked.StatusCode, asked.text)
		}
		// The hint counts after it expired, and by POST.
		w.Clock.Move(50 * time.Minute)
		b.get(t, oauth.SessionPath)
		w.Clock.Move(50 * time.Minute)
		answer := b.post(t, oauth.SignOutPath, url.Values{"id_token_hint": {got.ID}, "post_logout_redirect_uri": {webCallback}, "state": {"bye & ü"}})
		answer = b.get(t, strings.TrimPrefix(answer.Header.Get("Location"), apptest.Issuer))
		if to := answer.Header.Get("Location"); !strings.HasPrefix(to, webCallback+"&") || answer.back(t).Get("state") != "bye & ü" || b.cookie("upline_session") != "" {
			t.Errorf("with an ID token: %d %s", answer.StatusCode, to)
		}
		w.Clock.Move(10 * time.Second)
		if b.get(t, oauth.SessionPath).StatusCode != http.StatusNoContent || w.refresh(t, got.Refresh).Error != "invalid_grant" {
			t.Error("the session or its tokens go on")
		}
		// Nobody is signed in any more; whoever is asked goes back, too.
		if to := b.get(t, leave("client_id", "web")).back(t); to.Get("state") == "" {
			t.Errorf("again: %v", to)
		}
		b.code(t, "scope", "openid")
		asked = b.get(t, leave("client_id", "web"))
		if to := b.post(t, leave("client_id", "web"), url.Values{"form_token": {asked.token()}}).back(t); to.Get("state") == "" || b.cookie("upline_session") != "" {
			t.Errorf("asked: %v", to)
		}
		if strings.Contains(w.Logged(), got.ID) {
			t.Error("an ID token is in the log")
		}
	})
}
