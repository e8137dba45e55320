package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Person is a user who can act: the owner of a session, or of a grant.
type Person struct {
	UserID, TenantID           int64
	TenantIdentifier, Username string
	// Scopes are the scopes of the user's roles.
	Scopes []string
	// SessionID is 0 if the person does not come with a session.
	SessionID int64
	// Expires is when the session ends at the latest, SignedInAt when it began.
	Expires, SignedInAt time.Time
	// Email is empty if there is none, and if the person comes with a session.
	Email string
}

// Attempt is a username and a password, as they were typed.
type Attempt struct {
	TenantIdentifier, Username, Password string
	// ClientID is the client that is signed in to.
	ClientID string
	// Request is the request that the attempt comes with.
	Request *http.Request
	// Device and Previous are what the browser has from earlier sign-ins: a sign that it
	// is known, and a session. Both may be empty.
	Device, Previous string
}

// SignedIn is what a browser gets: the secret of a session, and until DeviceUntil a sign
// by which it is known.
type SignedIn struct {
	Secret, Device string
	DeviceLifetime time.Duration
}

// ErrSignInBusy is returned by People for an attempt that was not checked, because too
// many others wait. It does not count as a failure.
var ErrSignInBusy = errors.New("oauth: too many people sign in at the moment")

// ErrSignInRefused is the one error of People for every attempt that fails.
var ErrSignInRefused = errors.New("oauth: the sign-in was refused")

// SignInLocked refuses an attempt because of earlier failures.
type SignInLocked struct{ Wait time.Duration }

func (e *SignInLocked) Error() string { return "oauth: too many attempts to sign in" }

// People knows who can sign in. Its rules are implemented elsewhere; this package has the
// protocol.
type People interface {
	// SignIn checks an attempt and starts a session. It refuses with
	// ErrSignInRefused, ErrSignInBusy or *SignInLocked.
	SignIn(ctx context.Context, a Attempt) (SignedIn, error)
	// Session returns the owner of the session with a secret; false if there is none.
	Session(ctx context.Context, secret string) (Person, bool, error)
	// SignOut ends a session, and everything that was granted from it.
	SignOut(ctx context.Context, secret string) error
	// Person returns a user of a tenant; false for one who cannot sign in.
	Person(ctx context.Context, tenantIdentifier string, userID int64) (Person, bool, error)
}

// PeopleConfig are the settings for people to sign in to an Issuer.
type PeopleConfig struct {
	People    People
	Providers Providers
	Grants    *Tables
	// Key is the key of the tokens in forms.
	Key []byte
	// After are the folders of this server that the sign-in page may lead to, such as
	// /playground/; the first one is the default.
	After []string
	// Accounts are offered on the sign-in page to people who come without a client.
	Accounts []Account
}

// Account is a well-known user of a demo, with a public password.
type Account struct{ Label, Tenant, Username, Password string }

// people is a PeopleConfig in use.
type people struct {
	PeopleConfig
	cookies cookies
	cross   *http.CrossOriginProtection
}

// AcceptPeople lets people sign in. It must be called before Handler.
func (i *Issuer) AcceptPeople(c PeopleConfig) error {
	issuer, err := url.Parse(i.config.Issuer)
	if err != nil || len(c.After) == 0 || len(c.Key) < sha256.Size {
		return errors.New("oauth: people need a key, and somewhere to go")
	}
	p := &people{PeopleConfig: c, cookies: cookies{plain: issuer.Scheme == "http" && isLoopback(issuer.Hostname())}, cross: http.NewCrossOriginProtection()}
	i.people = p
	// A proxy in front may change the host that a request names.
	return p.cross.AddTrustedOrigin(issuer.Scheme + "://" + issuer.Host)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// formToken returns a token that proves that a form was served to the browser that sends
// it. It is made from a secret of the browser, for one purpose.
func (p *people) formToken(purpose, secret string) string {
	h := hmac.New(sha256.New, p.Key)
	fmt.Fprintf(h, "%q %q", purpose, secret)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// isOurForm reports whether a request comes from a form that was served to this browser,
// judging by the headers that browsers send, and by the token.
func (p *people) isOurForm(r *http.Request, purpose, secret string) bool {
	return secret != "" && p.cross.Check(r) == nil && hmac.Equal([]byte(r.PostFormValue("form_token")), []byte(p.formToken(purpose, secret)))
}

// SessionSecret returns the secret of the session in a request's cookie, for a server
// with a public URL; empty for none.
func SessionSecret(r *http.Request, issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil {
		return ""
	}
	return cookies{plain: u.Scheme == "http" && isLoopback(u.Hostname())}.read(r, sessionCookie)
}

// The cookies. Without TLS, on loopback, their names have no prefix.
const (
	sessionCookie = "upline_session"
	formCookie    = "upline_sign_in"
	deviceCookie  = "upline_device"
)

// cookies reads and writes cookies.
type cookies struct{ plain bool }

// name adds the prefix __Host- (RFC 6265bis §4.1.3.2): such a cookie was set by this host
// over TLS, so that no neighbouring host can plant one.
func (c cookies) name(name string) string {
	if c.plain {
		return name
	}
	return "__Host-" + name
}

// read returns a cookie's value, empty if there is none or several.
func (c cookies) read(r *http.Request, name string) string {
	found := r.CookiesNamed(c.name(name))
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// set gives the browser a cookie. With an age of 0 it lasts until the browser is closed;
// a negative age removes it. SameSite is Lax: a client on another site leads here by a
// link, for which the session must count; nothing that changes anything is a link.
func (c cookies) set(w http.ResponseWriter, name, value string, age time.Duration) {
	seconds := int(age / time.Second)
	if age < 0 {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{Name: c.name(name), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: !c.plain, SameSite: http.SameSiteLaxMode})
}
