// Package relying signs people in with OpenID providers that tenants name: it is the
// relying party of OpenID Connect Core. Who the people are to us is decided elsewhere.
package relying

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/oauth2"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth/remote"
	"github.com/uplinehq/upline/internal/platform/outbound"
)

const (
	// answerWithin limits each request to a provider, maxAnswer each of its answers.
	answerWithin = 5 * time.Second
	maxAnswer    = 256 << 10
	// pause is the least time between two requests for the keys of a provider.
	pause = 2 * time.Second
	// knownIssuers limits the issuers that a server remembers.
	knownIssuers = 256
)

// algorithms are those that a provider may sign with, none of them symmetric.
var algorithms = []string{"RS256", "PS256", "ES256", "EdDSA"}

// Provider is an OpenID provider at which we are a client.
type Provider struct {
	// Issuer is its iss, compared exactly.
	Issuer, ClientID, Secret string
	// RedirectURI is ours for this provider alone (RFC 9700 §4.4.2).
	RedirectURI string
	// GroupsClaim names the claim with the person's groups, or is a JSON pointer to a
	// nested one; empty if groups do not matter.
	GroupsClaim string
}

// Request is a sign-in under way.
type Request struct {
	State, Nonce, Verifier string
	// Hint is the name that the person typed; empty for none.
	Hint string
	// Anew demands that the person signs in at the provider now.
	Anew bool
}

// Person is whom a provider has signed in.
type Person struct {
	Subject, SessionID string
	Email, Username    string
	// EmailVerified is nil if the provider does not say.
	EmailVerified *bool
	Groups        []string
}

// Problem is what went wrong at a provider, in words for the person who signs in.
type Problem struct {
	Text  string
	cause error
}

// Error implements error.
func (p *Problem) Error() string {
	if p.cause == nil {
		return "relying: " + p.Text
	}
	return "relying: " + p.Text + " " + p.cause.Error()
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.cause }

// Party is the relying party of every tenant. It is safe for concurrent use.
type Party struct {
	loopback bool
	client   *http.Client
	clock    clock.Clock
	log      *slog.Logger
	issuers  *lru.Cache[string, *remote.Issuer]
}

// New returns a party. development lets it reach providers on this machine, and of private
// networks.
func New(development bool, c clock.Clock, log *slog.Logger) *Party {
	issuers, err := lru.New[string, *remote.Issuer](knownIssuers)
	if err != nil {
		panic(err) // only for a size below one
	}
	return &Party{development, outbound.Client(answerWithin, maxAnswer, development), c, log, issuers}
}

// IssuerProblem says what is wrong with the address of a provider; empty for nothing.
func (p *Party) IssuerProblem(issuer string) string {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || !remote.IsSecureURL(issuer, p.loopback):
		return "must be an https URL without query and fragment"
	case !p.loopback && !outbound.Allowed(u.Hostname()):
		return "must name a host of the public internet"
	}
	return ""
}

func (p *Party) newIssuer(issuer string) *remote.Issuer {
	return remote.New(remote.Config{Name: issuer, Issuer: issuer, Algorithms: algorithms, Loopback: p.loopback, Pause: pause, Client: p.client, Clock: p.clock, Log: p.log})
}

func (p *Party) issuer(issuer string) *remote.Issuer {
	known, ok := p.issuers.Get(issuer)
	if !ok {
		known = p.newIssuer(issuer)
		p.issuers.Add(issuer, known)
	}
	return known
}

// metadata returns what a provider publishes, with usable endpoints.
func (p *Party) metadata(ctx context.Context, issuer *remote.Issuer) (remote.Metadata, error) {
	m, err := issuer.Metadata(ctx)
	if err != nil {
		return m, away(err)
	}
	for _, address := range []string{m.Authorization, m.Token} {
		if !p.secure(address) {
			return m, &Problem{Text: "The provider publishes no https address to sign in at."}
		}
	}
	return m, nil
}

// secure is remote.IsSecureURL for endpoints, which may have a query (RFC 6749 §3.1).
func (p *Party) secure(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	u.RawQuery = ""
	return remote.IsSecureURL(u.String(), p.loopback)
}

// away is the problem of a provider that gives no usable answer.
func away(err error) *Problem {
	text := remote.Explain(err)
	if text == "" {
		text = outbound.Explain(err)
	}
	return &Problem{"The provider cannot be used at the moment: " + text + ". Whoever is signed in already is not affected.", err}
}

func (p Provider) config(m remote.Metadata) *oauth2.Config {
	c := &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.Secret, RedirectURL: p.RedirectURI, Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
		Endpoint: oauth2.Endpoint{AuthURL: m.Authorization, TokenURL: m.Token, AuthStyle: oauth2.AuthStyleInHeader}}
	// Discovery §3: "If omitted, the default is client_secret_basic".
	if p.Secret == "" || len(m.AuthMethods) > 0 && !slices.Contains(m.AuthMethods, "client_secret_basic") {
		c.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	if p.GroupsClaim != "" && slices.Contains(m.Scopes, "groups") {
		c.Scopes = append(c.Scopes, "groups")
	}
	return c
}

// Address returns where a person signs in. It refuses with a *Problem.
func (p *Party) Address(ctx context.Context, at Provider, r Request) (string, error) {
	m, err := p.metadata(ctx, p.issuer(at.Issuer))
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier)}
	if r.Hint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", r.Hint))
	}
	if r.Anew {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return at.config(m).AuthCodeURL(r.State, options...), nil
}

// errorPattern matches the codes of RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6.
var errorPattern = regexp.MustCompile(`^[a-z_]{1,40}$`)

// Person returns whom a provider has signed in, given what the browser came back with. It
// refuses with a *Problem.
func (p *Party) Person(ctx context.Context, at Provider, r Request, back url.Values) (Person, error) {
	for _, name := range []string{"code", "state", "iss", "error"} {
		if len(back[name]) > 1 {
			return Person{}, refused("its answer has " + name + " more than once")
		}
	}
	issuer := p.issuer(at.Issuer)
	m, err := p.metadata(ctx, issuer)
	if err != nil {
		return Person{}, err
	}
	switch code := back.Get("error"); {
	// RFC 9207 §2.4: compare iss before anything else, and demand it of whoever sends it.
	case back.Has("iss") && back.Get("iss") != at.Issuer, m.NamesIssuer && !back.Has("iss"):
		return Person{}, refused("its answer is of another provider")
	case code != "" && errorPattern.MatchString(code):
		return Person{}, &Problem{Text: "The provider did not sign you in (" + code + ")."}
	case code != "" || back.Get("code") == "":
		return Person{}, refused("its answer has no code")
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), 2*answerWithin)
	defer cancel()
	tokens, err := at.config(m).Exchange(ctx, back.Get("code"), oauth2.VerifierOption(r.Verifier))
	if err != nil {
		return Person{}, exchanged(err)
	}
	c, err := p.identified(ctx, issuer, at, r, tokens)
	if err != nil {
		return Person{}, err
	}
	return p.about(ctx, at, m, c, tokens)
}

// exchanged is the problem of a code that a provider does not exchange.
func exchanged(err error) *Problem {
	var told *oauth2.RetrieveError
	if !errors.As(err, &told) {
		return away(err)
	}
	switch {
	case told.ErrorCode == "invalid_client":
		return &Problem{Text: "The provider refuses our client id or secret. Tell whoever administers your agency.", cause: errors.New("invalid_client")}
	case told.Response != nil && told.Response.StatusCode >= http.StatusInternalServerError:
		return &Problem{Text: "The provider has a fault: it answered " + strconv.Itoa(told.Response.StatusCode) + ". Try again in a minute."}
	case errorPattern.MatchString(told.ErrorCode):
		return refused("it did not accept its own code (" + told.ErrorCode + ")")
	}
	return refused("it did not accept its own code")
}

// refused is the problem of an answer that fails a check: it names the check, and repeats
// nothing of the answer.
func refused(why string) *Problem {
	return &Problem{Text: "The answer of the provider cannot be trusted: " + why + ". Nobody was signed in."}
}
