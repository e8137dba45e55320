package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// AuthorizePath is the authorization endpoint (RFC 6749 §3.1), for the grant
// authorization_code with PKCE (RFC 7636), which a public client must use, and others may.
const AuthorizePath = "/oauth2/authorize"

const (
	// codeLifetime is how long a code can be exchanged: RFC 6749 §4.1.2, "A maximum
	// authorization code lifetime of 10 minutes is RECOMMENDED"; clients exchange it at
	// once.
	codeLifetime = 60 * time.Second
	// grantLifetime is how long the refresh tokens of one sign-in can last, and
	// refreshIdle how long one lasts without being used.
	grantLifetime = 90 * 24 * time.Hour
	refreshIdle   = 14 * 24 * time.Hour
)

// authorization is a checked request for a code.
type authorization struct {
	client Client
	// named is redirect_uri as it was sent, empty if it was not; redirect is where the
	// answer goes.
	named, redirect  string
	state, challenge string
	scopes           []string
	interaction
}

// pageError is a refusal that is shown to the person: RFC 6749 §4.1.2.1, "If the
// request fails due to a missing, invalid, or mismatching redirection URI, or if
// the client identifier is missing or invalid, the authorization server SHOULD
// inform the resource owner of the error and MUST NOT automatically redirect the
// user-agent to the invalid redirection URI."
type pageError struct{ text string }

func (e *pageError) Error() string { return "oauth: " + e.text }

// unknownRequester is the same answer for an unknown, disabled or expired client, for one
// with which nobody signs in, and for an address that the client has not registered, so that nobody can find
// out which clients exist.
var unknownRequester = &pageError{"The application that sent you here is not known, or asked to answer to an address that is not its own. Nothing was sent to it."}

// redirectError is a refusal that is sent to the client (RFC 6749 §4.1.2.1).
type redirectError struct{ code, description string }

func (e *redirectError) Error() string { return "oauth: " + e.code + ": " + e.description }

// challengePattern matches an S256 challenge: 32 bytes as base64url.
var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// authorization reads a request. Even with a redirectError, the returned value says where
// the answer goes.
func (i *Issuer) authorization(ctx context.Context, query url.Values) (*authorization, error) {
	for _, name := range []string{"client_id", "redirect_uri"} {
		if len(query[name]) > 1 {
			return nil, unknownRequester
		}
	}
	client, err := i.signInClient(ctx, query.Get("client_id"))
	var refused *tokenError
	if errors.As(err, &refused) {
		return nil, unknownRequester
	}
	if err != nil {
		return nil, err
	}
	a := &authorization{client: client, named: query.Get("redirect_uri"), state: query.Get("state"), challenge: query.Get("code_challenge")}
	if a.redirect = a.named; a.named == "" && len(client.RedirectURIs) == 1 {
		// RFC 6749 §3.1.2.3: it must be sent when several are registered.
		a.redirect = client.RedirectURIs[0]
	}
	if a.redirect == "" || !client.registered(a.redirect) {
		return nil, unknownRequester
	}
	if err := a.check(query); err != nil {
		return a, err
	}
	a.interaction, err = i.readInteraction(ctx, query)
	return a, err
}

// check returns the errors that are sent to the client.
func (a *authorization) check(query url.Values) error {
	// RFC 6749 §3.1: "Request and response parameters MUST NOT be included more
	// than once."
	for _, name := range authorizeParameters {
		if len(query[name]) > 1 {
			return &redirectError{"invalid_request", name + " is repeated"}
		}
	}
	switch method := query.Get("code_challenge_method"); {
	case query.Get("response_type") == "":
		return &redirectError{"invalid_request", "response_type is missing"}
	case query.Get("response_type") != "code":
		return &redirectError{"unsupported_response_type", "the only response type is code"}
	case a.challenge == "" && a.client.Public: // RFC 7636 §4.4.1
		return &redirectError{"invalid_request", "code challenge required"}
	case a.challenge == "" && method == "": // RFC 9700 §2.1.1: the client authenticates
	case method != "S256": // absent, it is plain (RFC 7636 §4.3)
		return &redirectError{"invalid_request", "transform algorithm not supported: the only one is S256"}
	case !challengePattern.MatchString(a.challenge):
		return &redirectError{"invalid_request", "the code challenge is malformed"}
	}
	scopes, err := a.client.asked(query.Get("scope"))
	if err != nil {
		return &redirectError{"invalid_scope", "the client does not hold a requested scope"}
	}
	a.scopes = scopes
	return nil
}

// signInClient finds a valid client of a tenant with which people sign in; for any other it
// returns invalidClient.
func (i *Issuer) signInClient(ctx context.Context, id string) (Client, error) {
	client, err := i.clients.Client(ctx, id)
	if errors.Is(err, ErrUnknownClient) {
		return Client{}, invalidClient
	}
	if err != nil {
		return Client{}, err
	}
	if len(client.RedirectURIs) == 0 || client.TenantIdentifier == "" || !client.MayAct(i.clock.Now()) {
		return Client{}, invalidClient
	}
	return client, nil
}

// authorize is the authorization endpoint. A GET asks for a code; a POST is the
// page's form, with the same query.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	if i.asLink(w, r, authorizeParameters) {
		return
	}
	a, err := i.authorization(r.Context(), r.URL.Query())
	if a == nil {
		i.refusePage(w, r, err)
		return
	}
	if err != nil {
		i.answer(w, r, a, err)
		return
	}
	person, signedIn, err := i.signedIn(r, a.client.TenantIdentifier)
	signedIn = signedIn && a.takes(person, i.clock.Now())
	switch {
	case err != nil:
		i.refusePage(w, r, err)
	case r.Method == http.MethodPost:
		i.submitted(w, r, a, person, signedIn)
	case signedIn && !a.ask && assured(a.redirect):
		i.answer(w, r, a, i.grantCode(r.Context(), a, person, w, r))
	case a.silent:
		i.answer(w, r, a, silenced(signedIn))
	case signedIn:
		i.showContinue(w, r, a, person)
	default:
		i.showSignIn(w, r, &signInPage{Client: a.client.ID, Tenant: a.client.TenantIdentifier, redirect: a.redirect}, http.StatusOK)
	}
}

// submitted handles the forms of the page: continuing as the signed-in person, or signing
// in.
func (i *Issuer) submitted(w http.ResponseWriter, r *http.Request, a *authorization, person Person, signedIn bool) {
	page := &signInPage{Client: a.client.ID, Tenant: a.client.TenantIdentifier, redirect: a.redirect}
	if !readPageForm(w, r) {
		i.refusePage(w, r, &pageError{"The form could not be read."})
		return
	}
	if i.leaves(w, r, page) {
		return
	}
	switch r.PostFormValue("do") {
	case "continue":
		if !signedIn || !i.people.isOurForm(r, continuePurpose, i.people.cookies.read(r, sessionCookie)) {
			i.showSignIn(w, r, page.says(tooOld), http.StatusForbidden)
			return
		}
	case "other":
		i.showSignIn(w, r, page, http.StatusOK)
		return
	default:
		var ok bool
		if person, ok = i.trySignIn(w, r, page); !ok {
			return
		}
	}
	i.answer(w, r, a, i.grantCode(r.Context(), a, person, w, r))
}

// signedIn returns the person whose session a request has, in a tenant.
func (i *Issuer) signedIn(r *http.Request, tenantIdentifier string) (Person, bool, error) {
	secret := i.people.cookies.read(r, sessionCookie)
	if secret == "" {
		return Person{}, false, nil
	}
	person, ok, err := i.people.People.Session(r.Context(), secret)
	return person, ok && (tenantIdentifier == "" || person.TenantIdentifier == tenantIdentifier), err
}

// errAnswered ends a request for a code that was already answered.
var errAnswered = errors.New("oauth: answered")

// grantCode makes a code for a person and sends the browser back with it. Otherwise it
// returns the error for the client.
func (i *Issuer) grantCode(ctx context.Context, a *authorization, person Person, w http.ResponseWriter, r *http.Request) error {
	if !a.expects(person) {
		return silenced(false)
	}
	// Scopes that a role gives the person later are not granted now (RFC 6749 §6).
	granted := heldBy(a.scopes, person.Scopes)
	if len(granted) == 0 {
		return &redirectError{"access_denied", "the user holds no requested scope"}
	}
	code, now := NewSecret(), i.clock.Now()
	err := i.people.Grants.addGrant(ctx, person, newGrant{
		clientID: a.client.ID, scopes: granted, redirectURI: a.named, challenge: a.challenge, nonce: a.nonce, codeHash: HashSecret(code),
		signedInAt: person.SignedInAt, codeUntil: now.Add(codeLifetime), createdAt: now, expiresAt: now.Add(grantLifetime)})
	if errors.Is(err, errSessionEnded) {
		return &redirectError{"access_denied", "the session has ended"}
	}
	if err != nil {
		return err
	}
	i.redirect(w, r, a, url.Values{"code": {code}})
	return errAnswered
}

// answer sends a refusal to the client.
func (i *Issuer) answer(w http.ResponseWriter, r *http.Request, a *authorization, err error) {
	var told *redirectError
	switch {
	case errors.Is(err, errAnswered):
		return
	case errors.As(err, &told):
	default:
		i.log.ErrorContext(r.Context(), "cannot answer a request for authorization", "error", err)
		told = &redirectError{"server_error", "the server could not answer"}
	}
	i.redirect(w, r, a, url.Values{"error": {told.code}, "error_description": {told.description}})
}

// redirect sends the browser back to the client. 303, so that a browser does not
// send the form there (RFC 9700 §4.12). RFC 6749 §4.1.2: state is "REQUIRED if the
// "state" parameter was present in the client authorization request. The exact
// value"; iss is that of RFC 9207 §2.
func (i *Issuer) redirect(w http.ResponseWriter, r *http.Request, a *authorization, answer url.Values) {
	if a.state != "" {
		answer.Set("state", a.state)
	}
	answer.Set("iss", i.config.Issuer)
	securePage(w, "")
	http.Redirect(w, r, withAnswer(a.redirect, answer), http.StatusSeeOther)
}

func intersect(scopes, held []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return !slices.Contains(held, s) })
}

// readPageForm reads the body of a form of the pages.
func readPageForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxTokenRequest)
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") && r.ParseForm() == nil
}
