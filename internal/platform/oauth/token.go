package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

const (
	grantClientCredentials = "client_credentials"

	// maxTokenRequest limits the body of a request for a token, in bytes. All scopes
	// together take less than 1 KiB.
	maxTokenRequest = 8 << 10
)

// tokenResponse is the answer of RFC 6749 §5.1.
type tokenResponse struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"` // seconds
	Scope       string `json:"scope"`
	// RefreshToken is only for people: §4.4.3 advises against it for a client on its own,
	// which can ask again.
	RefreshToken string `json:"refresh_token,omitempty"`
	// IDToken is for clients that asked for the scope openid.
	IDToken string `json:"id_token,omitempty"`
}

// tokenError is the answer of RFC 6749 §5.2. The description never repeats
// anything of the request.
type tokenError struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (e *tokenError) Error() string { return e.Code + ": " + e.Description }

func (e *tokenError) write(w http.ResponseWriter) {
	if e.status == http.StatusUnauthorized {
		// RFC 6749 §5.2 requires it when the client used the header, RFC 9110
		// §15.5.2 with any 401.
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Basic realm="%s"`, bearer.Realm))
	}
	writeJSON(w, e.status, "application/json", e)
}

// Refuse answers a request that is refused before it is read, in the form of the token
// endpoint. RFC 6749 defines a code for requests to be tried again only for the
// authorization endpoint (§4.1.2.1: "temporary overloading").
func Refuse(w http.ResponseWriter, refused *problem.Error) {
	e := &tokenError{refused.HTTPStatus(), "invalid_request", strings.TrimLeft(strings.Join(refused.Field, ".")+" "+refused.Message, " ")}
	switch {
	case refused.RetryAfter > 0:
		e.Code = "temporarily_unavailable"
		w.Header().Set("Retry-After", strconv.Itoa(refused.RetryAfter))
	case e.status >= http.StatusInternalServerError:
		e.Code = "server_error"
	}
	e.write(w)
}

func badTokenRequest(description string) *tokenError {
	return &tokenError{http.StatusBadRequest, "invalid_request", description}
}

var unsupportedGrant = &tokenError{http.StatusBadRequest, "unsupported_grant_type", "the server does not know this grant"}

// invalidClient is the same answer for an unknown client, a wrong secret, and a disabled
// or expired client, so that nobody can find out which clients exist.
var invalidClient = &tokenError{http.StatusUnauthorized, "invalid_client", "the client is unknown or its secret is wrong"}

// token is the token endpoint (RFC 6749 §3.2).
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	noStore(w)
	answer, err := i.grant(w, r)
	var refused *tokenError
	switch {
	case err == nil:
		writeJSON(w, http.StatusOK, "application/json", answer)
	case errors.As(err, &refused):
		refused.write(w)
	case dberror.Outage(err) != nil:
		i.refuseForm(w, r, err)
	default:
		i.log.ErrorContext(r.Context(), "cannot issue a token", "error", err)
		Refuse(w, problem.Refused(http.StatusInternalServerError, "the token could not be issued"))
	}
}

func (i *Issuer) grant(w http.ResponseWriter, r *http.Request) (*tokenResponse, error) {
	form, err := readForm(w, r)
	if err != nil {
		return nil, err
	}
	switch form.Get("grant_type") {
	case grantClientCredentials:
	case grantAuthorizationCode, grantRefreshToken:
		return i.exchange(r, form)
	case "":
		return nil, badTokenRequest("grant_type is missing")
	default:
		return nil, unsupportedGrant
	}
	client, err := i.authenticated(r, form)
	if err != nil {
		return nil, err
	}
	scopes, err := client.narrow(form.Get("scope"))
	if err != nil {
		return nil, err
	}
	token, err := i.issue(r.Context(), client, scopes)
	if err != nil {
		return nil, err
	}
	i.noteUse(r.Context(), client)
	return &tokenResponse{AccessToken: token, TokenType: "Bearer", ExpiresIn: int(keyring.TokenLifetime / time.Second), Scope: strings.Join(scopes, " ")}, nil
}

// readForm reads the parameters from the body alone. RFC 6749 §2.3.1: credentials
// "MUST NOT be included in the request URI".
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/x-www-form-urlencoded" {
		return nil, badTokenRequest("the body must be application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTokenRequest))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, &tokenError{http.StatusRequestEntityTooLarge, "invalid_request", "the body is too large"}
	}
	if err != nil {
		return nil, badTokenRequest("the body could not be read")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, badTokenRequest("the body is not well-formed")
	}
	// RFC 6749 §3.2: parameters "MUST NOT be included more than once". Those we do
	// not know "MUST" be ignored.
	for _, name := range []string{"grant_type", "scope", "client_id", "client_secret", assertionParameter, assertionTypeParameter, "token", "token_type_hint"} {
		if len(form[name]) > 1 {
			return nil, badTokenRequest(name + " is repeated")
		}
	}
	return form, nil
}

// credentials returns the client's id and secret from the header or from the
// form. RFC 6749 §2.3: "The client MUST NOT use more than one authentication
// method in each request." A client_id beside the header is not a second one.
func credentials(r *http.Request, form url.Values) (id, secret string, err error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		// An empty id or secret belongs to no client.
		return form.Get("client_id"), form.Get("client_secret"), nil
	}
	if len(headers) > 1 || form.Get("client_secret") != "" {
		return "", "", badTokenRequest("the client authenticates in more than one way")
	}
	user, password, ok := r.BasicAuth()
	if !ok {
		return "", "", invalidClient
	}
	// RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
	id, idErr := url.QueryUnescape(user)
	secret, secretErr := url.QueryUnescape(password)
	if idErr != nil || secretErr != nil || !text.Fit(id) {
		return "", "", invalidClient
	}
	if named := form.Get("client_id"); named != "" && named != id {
		return "", "", badTokenRequest("client_id is not the client of the Authorization header")
	}
	return id, secret, nil
}

// authenticate finds the client and compares its secret. All ways to fail do the same
// work, so that the time reveals nothing either.
func (i *Issuer) authenticate(ctx context.Context, id, secret string) (Client, error) {
	client, err := i.clients.Client(ctx, id)
	unknown := errors.Is(err, ErrUnknownClient)
	if err != nil && !unknown {
		return Client{}, fmt.Errorf("oauth: find client: %w", err)
	}
	if unknown {
		client.SecretHash = make([]byte, sha256.Size)
	}
	now := i.clock.Now()
	if right := client.Accepts(secret, now); !right || unknown {
		return Client{}, invalidClient
	}
	return client, nil
}

// noteUse notes that a client got a token. A client that asks often does not cause as
// many writes; if the note cannot be written, the token is good nevertheless.
func (i *Issuer) noteUse(ctx context.Context, c Client) {
	now := i.clock.Now()
	if !dueNote(c.LastUsed, now) {
		return
	}
	if err := i.clients.ClientUsed(ctx, c.ID, now); err != nil {
		i.log.WarnContext(ctx, "cannot note the use of a client", "error", err)
	}
}

// noteEvery is how often the use of a client or a key is written down at most.
const noteEvery = 5 * time.Minute

func dueNote(last *time.Time, now time.Time) bool {
	return last == nil || now.Sub(*last) >= noteEvery
}

// narrow returns the scopes of a token: all of the client's, or those of them the
// request names (RFC 6749 §3.3), in the client's order.
func (c Client) narrow(requested string) ([]string, error) {
	granted := c.Scopes
	if requested != "" {
		// Names are separated by exactly one space; an empty one is held by nobody.
		names := strings.Split(requested, " ")
		for _, name := range names {
			if !slices.Contains(c.Scopes, name) {
				return nil, invalidScope("the client does not hold a requested scope")
			}
		}
		granted = slices.DeleteFunc(slices.Clone(c.Scopes), func(s string) bool { return !slices.Contains(names, s) })
	}
	if len(granted) == 0 {
		return nil, invalidScope("the client holds no scope")
	}
	return granted, nil
}

func invalidScope(description string) *tokenError {
	return &tokenError{http.StatusBadRequest, "invalid_scope", description}
}
