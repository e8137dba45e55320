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

// Person is a user who may act: whose session it is, or who granted something.
type Person struct {
	UserID, TenantID           int64
	TenantIdentifier, Username string
	// Scopes are those of the user's roles.
	Scopes []string
	// SessionID is 0 where the person does not come with a session.
	SessionID int64
	// Expires is when the session ends at the latest, SignedInAt when it began.
	Expires, SignedInAt time.Time
	// Email is empty where there is none, and where the person comes with a session.
	Email string
}

// Attempt is a username and a password, as they were typed.
type Attempt struct {
	TenantIdentifier, Username, Password string
	// ClientID is the client that is signed in to.
	ClientID string
	// Request is where the attempt comes from.
	Request *http.Request
	// Device and Previous are what the browser has of earlier sign-ins: that it is
	// known, and a session. Both may be empty.
	Device, Previous string
}

// SignedIn is what a browser gets: the secret of a session, and what it is known
// by until DeviceUntil.
type SignedIn struct {
	Secret, Device string
	DeviceLifetime time.Duration
}

// ErrSignInBusy is returned by People for an attempt that was not looked at, since
// too many others wait. It counts for nothing.
var ErrSignInBusy = errors.New("oauth: too many people sign in at the moment")

// ErrSignInRefused is the one answer of People to an attempt that fails.
var ErrSignInRefused = errors.New("oauth: the sign-in was refused")

// SignInLocked refuses an attempt because of those before it.
type SignInLocked struct{ Wait time.Duration }

func (e *SignInLocked) Error() string { return "oauth: too many attempts to sign in" }

// People knows who may sign in. The rules are kept elsewhere; here is the
// protocol.
type People interface {
	// SignIn checks an attempt and starts a session. It refuses with
	// ErrSignInRefused, ErrSignInBusy or *SignInLocked.
	SignIn(ctx context.Context, a Attempt) (SignedIn, error)
	// Session returns whose session a secret belongs to; false when there is none.
	Session(ctx context.Context, secret string) (Person, bool, error)
	// SignOut ends a session with what was granted from it.
	SignOut(ctx context.Context, secret string) error
	// Person returns a user of a tenant; false for one who may not sign in.
	Person(ctx context.Context, tenantIdentifier string, userID int64) (Person, bool, error)
}

// PeopleConfig lets people sign in to an Issuer.
type PeopleConfig struct {
	People People
	Grants *EntStore
	// Key keys the tokens of forms.
	Key []byte
	// After are the folders of this server that the sign-in page may lead to, such
	// as /playground/; the first is where it leads when none is asked for.
	After []string
	// Accounts are offered by the sign-in page of people who come without a client.
	Accounts []Account
}

// Account is a well-known user of a demo, whose password everybody may read.
type Account struct{ Label, Tenant, Username, Password string }

// people is a PeopleConfig in use.
type people struct {
	PeopleConfig
	cookies cookies
	cross   *http.CrossOriginProtection
}

// AcceptPeople lets people sign in. It is called before Handler.
func (i *Issuer) AcceptPeople(c PeopleConfig) error {
	issuer, err := url.Parse(i.config.Issuer)
	if err != nil || len(c.After) == 0 || len(c.Key) < sha256.Size {
		return errors.New("oauth: people need a key, and somewhere to go")
	}
	p := &people{PeopleConfig: c, cookies: cookies{plain: issuer.Scheme == "http" && isLoopback(issuer.Hostname())}, cross: http.NewCrossOriginProtection()}
	i.people = p
	// A proxy in front may change the host that requests name.
	return p.cross.AddTrustedOrigin(issuer.Scheme + "://" + issuer.Host)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// formToken proves that a form was served to the browser that sends it: it is made
// from a secret of the browser, for one purpose.
func (p *people) formToken(purpose, secret string) string {
	h := hmac.New(sha256.New, p.Key)
	fmt.Fprintf(h, "%q %q", purpose, secret)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// isOurForm reports whether a request comes from a form that this browser was
// served, by what the browser itself says of where it comes from and by the token.
func (p *people) isOurForm(r *http.Request, purpose, secret string) bool {
	return secret != "" && p.cross.Check(r) == nil && hmac.Equal([]byte(r.PostFormValue("form_token")), []byte(p.formToken(purpose, secret)))
}

// SessionSecret returns the secret of the session in the cookie of a request, for
// a server whose clients see it at a URL; empty for none.
func SessionSecret(r *http.Request, issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil {
		return ""
	}
	return cookies{plain: u.Scheme == "http" && isLoopback(u.Hostname())}.read(r, sessionCookie)
}

// The cookies. Those of a browser without TLS, on loopback, have no prefix.
const (
	sessionCookie = "upline_session"
	formCookie    = "upline_sign_in"
	deviceCookie  = "upline_device"
)

// cookies writes and reads them.
type cookies struct{ plain bool }

// name has the prefix __Host- (RFC 6265bis §4.1.3.2): such a cookie was set by this
// host over TLS, so that no neighbour can plant one.
func (c cookies) name(name string) string {
	if c.plain {
		return name
	}
	return "__Host-" + name
}

// read returns a cookie's value, empty when there is none, or several.
func (c cookies) read(r *http.Request, name string) string {
	found := r.CookiesNamed(c.name(name))
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// set gives the browser a cookie; an age of 0 lasts until it is closed, a negative
// one takes it away. Lax: a client on another site leads here by a link, and the
// session counts then; nothing that changes anything is a link.
func (c cookies) set(w http.ResponseWriter, name, value string, age time.Duration) {
	seconds := int(age / time.Second)
	if age < 0 {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{Name: c.name(name), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: !c.plain, SameSite: http.SameSiteLaxMode})
}
