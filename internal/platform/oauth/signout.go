package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// SignOutPath is where people sign out, and where clients send them to
// (RP-Initiated Logout).
const SignOutPath = "/oauth2/sign-out"

// signOutParameters are the parameters of a client that sends somebody to sign out.
var signOutParameters = []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state"}

// departure is a checked request to sign out.
type departure struct {
	// to is where the browser goes afterwards; empty for our own page.
	to string
	// subject is the person whose ID token the client has; empty for nobody.
	subject string
}

var badHint = &pageError{"The application that sent you here did not say truly who you are. You are still signed in."}

// departure reads a request to sign out. If anything is wrong, it refuses the whole
// request and tells the person: nothing is sent to an address that is not the client's
// (RP-Initiated Logout §3).
func (i *Issuer) departure(ctx context.Context, query url.Values) (d departure, err error) {
	for _, name := range signOutParameters {
		if len(query[name]) > 1 {
			return d, unknownRequester
		}
	}
	clientID := query.Get("client_id")
	if hint := query.Get("id_token_hint"); hint != "" {
		var audience string
		d.subject, audience, err = i.hinted(ctx, hint)
		if errors.Is(err, errHint) || err == nil && clientID != "" && clientID != audience {
			return d, badHint
		}
		if err != nil {
			return d, err
		}
		clientID = audience
	}
	uri := query.Get("post_logout_redirect_uri")
	if uri == "" {
		return d, nil
	}
	client, err := i.signInClient(ctx, clientID)
	var refused *tokenError
	if errors.As(err, &refused) || err == nil && !client.registered(uri) {
		return d, unknownRequester
	}
	if d.to = uri; query.Get("state") != "" {
		d.to = withAnswer(uri, url.Values{"state": {query.Get("state")}})
	}
	return d, err
}

// signOut shows a button and ends the session when it is pressed; or at once, if the
// client has an ID token of the person who is signed in.
func (i *Issuer) signOut(w http.ResponseWriter, r *http.Request) {
	if i.asLink(w, r, signOutParameters) {
		return
	}
	d, err := i.departure(r.Context(), r.URL.Query())
	if err != nil {
		i.refusePage(w, r, err)
		return
	}
	p := i.people
	secret := p.cookies.read(r, sessionCookie)
	person, ok, err := i.signedIn(r, "")
	byClient := ok && d.subject == subjectOf(person)
	switch {
	case err != nil:
		i.refusePage(w, r, err)
		return
	case !ok:
	case !byClient && r.Method != http.MethodPost:
		i.render(w, r, http.StatusOK, "sign-out", map[string]string{"Username": person.Username, "Action": action(r), "Token": p.formToken(signOutPurpose, secret)}, d.to)
		return
	case !byClient && (!readPageForm(w, r) || !p.isOurForm(r, signOutPurpose, secret)):
		i.refusePage(w, r, &pageError{tooOld})
		return
	default:
		if err := p.People.SignOut(r.Context(), secret); err != nil {
			i.refusePage(w, r, err)
			return
		}
	}
	p.cookies.set(w, sessionCookie, "", -1)
	if d.to == "" {
		i.render(w, r, http.StatusOK, "signed-out", nil, "")
		return
	}
	securePage(w, "")
	http.Redirect(w, r, d.to, http.StatusSeeOther)
}
