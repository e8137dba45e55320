package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxRemoteAnswer limits the answer of an issuer, in bytes.
const maxRemoteAnswer = 256 << 10

// Metadata are the members of an issuer's metadata that somebody asks for (OpenID Connect
// Discovery §3, RFC 8414 §2, RFC 9207 §3).
type Metadata struct {
	Issuer        string   `json:"issuer"`
	JWKSURI       string   `json:"jwks_uri"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	UserInfo      string   `json:"userinfo_endpoint"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	Scopes        []string `json:"scopes_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	NamesIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
	LogsOut       bool     `json:"backchannel_logout_supported"`
}

// The errors of an issuer whose metadata cannot be used.
var (
	errAnother = errors.New("the metadata is of another issuer")
	errNoKeys  = errors.New("the metadata has no https jwks_uri")
)

// Metadata returns what the issuer publishes about itself: what is known, if that is not
// too old, or else what it answers now. The error says why there is none.
func (i *Issuer) Metadata(ctx context.Context) (Metadata, error) {
	now := i.Clock.Now()
	set := i.counting(now)
	if set == nil || now.Sub(set.readAt) >= remoteFresh {
		done := i.refresh(ctx, now)
		if set == nil {
			select {
			case <-done:
			case <-ctx.Done():
				return Metadata{}, ctx.Err()
			}
			set = i.counting(now)
		}
	}
	if set != nil {
		return set.metadata, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return Metadata{}, cmp.Or(i.failed, errNoKey)
}

// discover returns the metadata of an issuer: by OpenID Connect Discovery §4, or else by
// RFC 8414 §3.
func (i *Issuer) discover(ctx context.Context) (m Metadata, err error) {
	if err = i.get(ctx, strings.TrimSuffix(i.Issuer, "/")+"/.well-known/openid-configuration", &m); err != nil {
		if other := i.get(ctx, metadataAddress(i.Issuer), &m); other == nil {
			err = nil
		}
	}
	switch {
	case err != nil:
		return m, err
	// RFC 8414 §3.3: the issuer "MUST be identical"; otherwise the document "MUST
	// NOT be used".
	case m.Issuer != i.Issuer:
		return m, errAnother
	case !IsSecureURL(m.JWKSURI, i.Loopback):
		return m, errNoKeys
	}
	return m, nil
}

// metadataAddress puts the well-known path before the path of an issuer (RFC 8414
// §3.1).
func metadataAddress(issuer string) string {
	u, _ := url.Parse(issuer) // the configuration was checked
	u.Path = "/.well-known/oauth-authorization-server" + strings.TrimSuffix(u.Path, "/")
	return u.String()
}

// get reads a JSON document.
func (i *Issuer) get(ctx context.Context, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := i.Client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return &statusError{address, answer.StatusCode}
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxRemoteAnswer+1))
	if err != nil {
		return err
	}
	if len(text) > maxRemoteAnswer {
		return fmt.Errorf("%s answers with more than %d bytes", address, maxRemoteAnswer)
	}
	return json.Unmarshal(text, into)
}

// IsSecureURL reports whether keys can be fetched from a URL: over https, or from this
// machine.
func IsSecureURL(address string, loopback bool) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(address, "#") || u.RawQuery != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && loopback && local
}

// Explain says in words of our own why Metadata has no answer; empty for an error of the
// network.
func Explain(err error) string {
	var status *statusError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errAnother):
		return "It is not the provider of this address (its issuer differs)"
	case errors.Is(err, errNoKeys), errors.Is(err, errNoKey), errors.Is(err, ErrUnavailable):
		return "It publishes no usable keys"
	case errors.As(err, &status):
		return "It answered with status " + strconv.Itoa(status.code)
	case errors.As(err, &syntax):
		return "Its answer is not JSON"
	}
	return ""
}

// statusError is an answer with another status than 200.
type statusError struct {
	address string
	code    int
}

// Error implements error.
func (e *statusError) Error() string { return e.address + " answers " + strconv.Itoa(e.code) }
