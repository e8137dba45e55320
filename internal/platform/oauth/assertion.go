package oauth

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/oauth/remote"
)

// The parameters of a client that authenticates with a signed assertion (RFC 7523 §2.2).
const (
	assertionParameter     = "client_assertion"
	assertionTypeParameter = "client_assertion_type"
	assertionType          = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// assertionLifetime limits how long an assertion may last: its id is remembered until it
// has expired.
const assertionLifetime = 10 * time.Minute

// PublicKeysProblem says what is wrong with the public keys of a client; empty for nothing.
func PublicKeysProblem(text string) string {
	if _, err := remote.KeySet([]byte(text), algorithms); err != nil {
		return "must be a JSON Web Key Set of public keys with a kid for RS256, PS256, ES256 or EdDSA"
	}
	return ""
}

// authenticated returns the client that sent a form: by the assertion that it signed, or by
// its secret.
func (i *Issuer) authenticated(r *http.Request, form url.Values) (Client, error) {
	if !form.Has(assertionParameter) && !form.Has(assertionTypeParameter) {
		id, secret, err := credentials(r, form)
		if err != nil {
			return Client{}, err
		}
		return i.authenticate(r.Context(), id, secret)
	}
	switch {
	// RFC 6749 §2.3: "The client MUST NOT use more than one authentication method".
	case len(r.Header.Values("Authorization")) > 0 || form.Get("client_secret") != "":
		return Client{}, badTokenRequest("the client authenticates in more than one way")
	case form.Get(assertionTypeParameter) != assertionType:
		return Client{}, badTokenRequest("client_assertion_type is not " + assertionType)
	}
	return i.asserted(r.Context(), form.Get(assertionParameter), form.Get("client_id"))
}

// asserted checks an assertion (RFC 7523 §3). named is the client_id beside it, which may
// be empty.
func (i *Issuer) asserted(ctx context.Context, assertion, named string) (Client, error) {
	var claimed jwt.RegisteredClaims
	if _, _, err := jwt.NewParser().ParseUnverified(assertion, &claimed); err != nil || len(assertion) > maxToken || named != "" && named != claimed.Issuer {
		return Client{}, invalidClient
	}
	client, err := i.clients.Client(ctx, claimed.Issuer)
	if err != nil && !errors.Is(err, ErrUnknownClient) {
		return Client{}, err
	}
	now := i.clock.Now()
	find, refused := remote.KeySet([]byte(client.PublicKeys), algorithms)
	if err != nil || refused != nil || !client.MayAct(now) {
		return Client{}, invalidClient
	}
	var c jwt.RegisteredClaims
	parser := jwt.NewParser(jwt.WithValidMethods(algorithms), jwt.WithIssuer(client.ID), jwt.WithSubject(client.ID), jwt.WithExpirationRequired(),
		jwt.WithLeeway(keyring.Leeway), jwt.WithTimeFunc(i.clock.Now), jwt.WithStrictDecoding())
	_, err = parser.ParseWithClaims(assertion, &c, func(t *jwt.Token) (any, error) {
		if _, ok := t.Header["crit"]; ok {
			return nil, errCritical
		}
		return find(t)
	})
	// §3 (3): aud identifies this server, by the endpoint or as the issuer.
	ours := len(c.Audience) == 1 && (c.Audience[0] == i.config.Issuer || c.Audience[0] == i.config.Issuer+TokenPath)
	if err != nil || bearer.CheckMembers(assertion) != nil || !ours || c.ID == "" || c.ExpiresAt.After(now.Add(assertionLifetime+keyring.Leeway)) {
		return Client{}, invalidClient
	}
	// §3 (7): it counts once.
	fresh, err := i.assertions.Spend(ctx, RevokedToken{ID: "assertion " + hex.EncodeToString(HashSecret(client.ID+" "+c.ID)), ClientID: client.ID, Expires: c.ExpiresAt.Time}, now)
	if err == nil && !fresh {
		err = invalidClient
	}
	return client, err
}

// Assertions remember the assertions of clients until they have expired.
type Assertions interface {
	// Spend reports whether an assertion was not used before.
	Spend(ctx context.Context, used RevokedToken, now time.Time) (bool, error)
}

// AcceptAssertions lets clients authenticate with signed assertions. It must be called
// before Handler.
func (i *Issuer) AcceptAssertions(a Assertions) { i.assertions = a }
