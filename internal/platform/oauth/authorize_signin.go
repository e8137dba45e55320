package oauth

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// The pages for people who come without a client: the workbench and the playground use
// the session itself.
const (
	SignInPath = "/oauth2/sign-in"
	// SessionPath answers who is signed in.
	SessionPath = "/oauth2/session"
)

// WorkbenchClient is the client of people who use the session itself, in the audit trail.
// No client has a space in its id.
const WorkbenchClient = "upline workbench"

// The purposes of form tokens.
const (
	signInPurpose   = "sign-in"
	continuePurpose = "continue"
	signOutPurpose  = "sign-out"
)

// The texts of the page. The text of a refusal is the same for every reason.
const (
	wrong   = "The sign-in failed. Check what you typed; if it is right, ask your agency whether your account is approved."
	tooOld  = "The page was open for too long, or cookies are switched off. Please try again."
	tooMany = "Too many attempts to sign in failed. Please try again in "
	busy    = "Many people sign in at the moment. Please try again in a few seconds."
)

// signIn is the sign-in page of the workbench and the playground.
func (i *Issuer) signIn(w http.ResponseWriter, r *http.Request) {
	page := &signInPage{AskTenant: true, Tenant: r.URL.Query().Get("tenant"), Client: WorkbenchClient, Accounts: i.people.Accounts}
	if r.Method != http.MethodPost {
		i.showSignIn(w, r, page, http.StatusOK)
		return
	}
	if !readPageForm(w, r) {
		i.refusePage(w, r, &pageError{"The form could not be read."})
		return
	}
	page.Tenant = strings.TrimSpace(r.PostFormValue("tenant"))
	if i.leaves(w, r, page) {
		return
	}
	if _, ok := i.trySignIn(w, r, page); !ok {
		return
	}
	securePage(w, "")
	http.Redirect(w, r, i.after(r.URL.Query().Get("next")), http.StatusSeeOther)
}

// after is where the sign-in page leads: below one of the allowed folders, never to
// another server.
func (i *Issuer) after(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.Contains(next, `\`) || !strings.HasPrefix(next, "/") {
		return i.people.After[0]
	}
	clean := path.Clean(u.Path) + "/"
	for _, folder := range i.people.After {
		if strings.HasPrefix(clean, folder) {
			return next
		}
	}
	return i.people.After[0]
}

// trySignIn checks the form of the sign-in page, and shows the page again if it refuses.
// Otherwise the answer sets the new session.
func (i *Issuer) trySignIn(w http.ResponseWriter, r *http.Request, page *signInPage) (Person, bool) {
	p := i.people
	if !p.isOurForm(r, signInPurpose, p.cookies.read(r, formCookie)) {
		i.showSignIn(w, r, page.says(tooOld), http.StatusForbidden)
		return Person{}, false
	}
	made, err := p.People.SignIn(r.Context(), Attempt{
		TenantIdentifier: page.Tenant, Username: strings.TrimSpace(r.PostFormValue("username")), Password: r.PostFormValue("password"), ClientID: page.Client,
		Request: r, Device: p.cookies.read(r, deviceCookie), Previous: p.cookies.read(r, sessionCookie)})
	var locked *SignInLocked
	switch {
	case errors.As(err, &locked):
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(locked.Wait.Seconds()))))
		i.showSignIn(w, r, page.says(tooMany+inMinutes(locked.Wait)+"."), http.StatusTooManyRequests)
		return Person{}, false
	case errors.Is(err, ErrSignInBusy):
		w.Header().Set("Retry-After", "2")
		i.showSignIn(w, r, page.says(busy), http.StatusServiceUnavailable)
		return Person{}, false
	case errors.Is(err, ErrSignInRefused):
		i.showSignIn(w, r, page.says(wrong), http.StatusForbidden)
		return Person{}, false
	case err != nil:
		i.refusePage(w, r, err)
		return Person{}, false
	}
	return i.begun(w, r, made)
}

// begun gives the browser a session that was begun, and returns whose it is.
func (i *Issuer) begun(w http.ResponseWriter, r *http.Request, made SignedIn) (Person, bool) {
	p := i.people
	person, ok, err := p.People.Session(r.Context(), made.Secret)
	if err != nil || !ok {
		i.refusePage(w, r, errors.Join(err, errSessionEnded))
		return Person{}, false
	}
	p.cookies.set(w, sessionCookie, made.Secret, 0)
	p.cookies.set(w, deviceCookie, made.Device, made.DeviceLifetime)
	p.cookies.set(w, formCookie, "", -1)
	return person, true
}

func inMinutes(wait time.Duration) string {
	minutes := int(math.Ceil(wait.Minutes()))
	if minutes == 1 {
		return "a minute"
	}
	return strconv.Itoa(minutes) + " minutes"
}

// session tells pages of this server, which cannot read the cookie, who is signed in: 204
// for nobody.
func (i *Issuer) session(w http.ResponseWriter, r *http.Request) {
	person, ok, err := i.signedIn(r, "")
	securePage(w, "")
	switch {
	case err != nil:
		i.log.ErrorContext(r.Context(), "cannot read a session", "error", err)
		w.WriteHeader(http.StatusInternalServerError)
	case !ok:
		w.WriteHeader(http.StatusNoContent)
	default:
		writeJSON(w, http.StatusOK, "application/json", map[string]any{
			"tenant": person.TenantIdentifier, "username": person.Username, "scopes": person.Scopes, "expiresAt": person.Expires.UTC()})
	}
}
