package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxNonce limits a nonce, which is kept with its code. Libraries send 43 characters.
const maxNonce = 500

// The values of prompt (OpenID Connect Core §3.1.2.1).
const (
	promptNone          = "none"
	promptLogin         = "login"
	promptConsent       = "consent"
	promptSelectAccount = "select_account"
)

var prompts = []string{promptNone, promptLogin, promptConsent, promptSelectAccount}

// interaction is what a request for a code says about the person's part.
type interaction struct {
	nonce string
	// silent: no page may be shown. anew: a session is not enough. ask: a person with a
	// session is asked nevertheless.
	silent, anew, ask bool
	// maxAge is how long ago the person may have signed in, nil for any time.
	maxAge *time.Duration
	// subject is the person that the client expects, empty for anybody.
	subject string
}

// authorizeParameters are the parameters of a request for a code; none may occur twice
// (RFC 6749 §3.1).
var authorizeParameters = []string{"client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "code_challenge", "code_challenge_method",
	"nonce", "prompt", "max_age", "id_token_hint", "request", "request_uri"}

// readInteraction reads the parameters that OpenID Connect adds to a request.
func (i *Issuer) readInteraction(ctx context.Context, query url.Values) (in interaction, err error) {
	refuse := func(code, description string) (interaction, error) { return in, &redirectError{code, description} }
	asked := strings.Fields(query.Get("prompt"))
	in.nonce, in.silent, in.anew = query.Get("nonce"), slices.Contains(asked, promptNone), slices.Contains(asked, promptLogin)
	in.ask = slices.Contains(asked, promptConsent) || slices.Contains(asked, promptSelectAccount)
	switch {
	case query.Get("request") != "": // Core §3.1.2.6
		return refuse("request_not_supported", "parameters come by themselves, not in a request object")
	case query.Get("request_uri") != "":
		return refuse("request_uri_not_supported", "parameters come by themselves, not by reference")
	case query.Get("response_mode") != "" && query.Get("response_mode") != "query":
		return refuse("invalid_request", "the only response_mode is query")
	case slices.ContainsFunc(asked, func(p string) bool { return !slices.Contains(prompts, p) }):
		return refuse("invalid_request", "prompt is one of "+strings.Join(prompts, ", "))
	case in.silent && len(asked) > 1:
		return refuse("invalid_request", "prompt has none beside another value")
	case len(in.nonce) > maxNonce:
		return refuse("invalid_request", "nonce is longer than "+strconv.Itoa(maxNonce)+" bytes")
	}
	if text := query.Get("max_age"); text != "" {
		seconds, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return refuse("invalid_request", "max_age is not a number of seconds")
		}
		in.maxAge = new(time.Duration(seconds) * time.Second)
	}
	if hint := query.Get("id_token_hint"); hint != "" {
		if in.subject, _, err = i.hinted(ctx, hint); errors.Is(err, errHint) {
			return refuse("invalid_request", "id_token_hint is no ID token of this server")
		}
	}
	return in, err
}

// takes reports whether a session is enough for a request.
func (in interaction) takes(p Person, now time.Time) bool {
	return !in.anew && (in.maxAge == nil || now.Sub(p.SignedInAt) < *in.maxAge) && in.expects(p)
}

// expects reports whether a person is the one that the client expects.
func (in interaction) expects(p Person) bool { return in.subject == "" || in.subject == subjectOf(p) }

// silenced is the answer to a client that allows no page where one is needed (Core
// §3.1.2.6).
func silenced(signedIn bool) *redirectError {
	if signedIn {
		return &redirectError{"interaction_required", "the user must be asked"}
	}
	return &redirectError{"login_required", "the user must sign in"}
}

// asLink redirects a browser that sends a request as a form of the client, as Core
// §3.1.2.1 and RP-Initiated Logout §2 allow, to the same request as a link: browsers send
// the session cookie with links of other sites, but not with their forms. Only the
// parameters of the request get from the form into the address.
func (i *Issuer) asLink(w http.ResponseWriter, r *http.Request, names []string) bool {
	if r.Method != http.MethodPost || r.URL.RawQuery != "" || !readPageForm(w, r) || r.PostForm.Has("form_token") {
		return false
	}
	query := url.Values{}
	for _, name := range names {
		if values := r.PostForm[name]; len(values) > 0 {
			query[name] = values
		}
	}
	if len(query) == 0 {
		return false
	}
	securePage(w, "")
	http.Redirect(w, r, i.config.Issuer+r.URL.Path+"?"+query.Encode(), http.StatusSeeOther)
	return true
}
