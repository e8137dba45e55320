package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	// ArrivalPath is where OpenID providers send people back to, below which are the
	// tenant and the provider's name.
	ArrivalPath = "/oauth2/callback/"
	// DeparturePath is where they say that somebody has signed out (OpenID Connect
	// Back-Channel Logout §2.5), as ArrivalPath.
	DeparturePath = "/oauth2/back-channel-logout/"
)

// Way is an OpenID provider with which people of a tenant sign in.
type Way struct {
	Name, Label string
	// Domains are those of the e-mail addresses of its people.
	Domains []string
}

// Ways are how people of a tenant sign in.
type Ways struct {
	Passwords bool
	Providers []Way
}

// Leaving is a browser on its way to a provider.
type Leaving struct {
	TenantIdentifier, Provider string
	// Browser is a secret of the browser, Target where it goes on afterwards.
	Browser, Target string
	// Hint is the name that the person typed; it may be empty.
	Hint string
	// Anew demands that the person signs in at the provider now.
	Anew bool
}

// Arriving is a browser that comes back from a provider.
type Arriving struct {
	TenantIdentifier, Provider string
	Browser                    string
	Request                    *http.Request
	// Previous is the secret of the browser's session; it may be empty.
	Previous string
}

// ProviderProblem refuses a sign-in with a provider, in words for the person.
type ProviderProblem struct{ Text string }

// Error implements error.
func (p *ProviderProblem) Error() string { return "oauth: " + p.Text }

// ErrLogoutToken is returned for a logout token that is not valid.
var ErrLogoutToken = errors.New("oauth: the logout token is not valid")

// Providers know the OpenID providers of tenants.
type Providers interface {
	// Ways returns how people of a tenant sign in; for a tenant that does not exist, with
	// passwords.
	Ways(ctx context.Context, tenantIdentifier string) (Ways, error)
	// Leave begins a sign-in with a provider, and returns where the browser goes. It
	// refuses with *ProviderProblem.
	Leave(ctx context.Context, l Leaving) (address string, err error)
	// Arrive ends it, and starts a session. target is where the browser goes on. It
	// refuses with *ProviderProblem.
	Arrive(ctx context.Context, a Arriving) (made SignedIn, target string, err error)
	// Depart ends the sessions that a logout token names. It refuses with ErrLogoutToken.
	Depart(ctx context.Context, tenantIdentifier, provider, token string) error
}

// maxTarget limits where a browser goes on after a provider, in bytes.
const maxTarget = 4 << 10

// The buttons of the sign-in page that lead to a provider: one, or whichever fits what was
// typed.
const (
	withProvider = "provider "
	withAny      = "organisation"
)

const noWay = "No sign-in of an organisation fits the agency and the name that you typed."

// offer adds the providers of the page's tenant.
func (i *Issuer) offer(r *http.Request, page *signInPage) error {
	if page.Ways = (Ways{Passwords: true}); page.Tenant == "" {
		return nil
	}
	ways, err := i.people.Providers.Ways(r.Context(), page.Tenant)
	if err == nil {
		page.Ways = ways
	}
	return err
}

// leaves sends the browser to a provider if the form of the page says so.
func (i *Issuer) leaves(w http.ResponseWriter, r *http.Request, page *signInPage) bool {
	name, named := strings.CutPrefix(r.PostFormValue("do"), withProvider)
	if !named && r.PostFormValue("do") != withAny {
		return false
	}
	p, hint := i.people, strings.TrimSpace(r.PostFormValue("username"))
	browser := p.cookies.read(r, formCookie)
	if !p.isOurForm(r, signInPurpose, browser) {
		i.showSignIn(w, r, page.says(tooOld), http.StatusForbidden)
		return true
	}
	if !named {
		if err := i.offer(r, page); err != nil {
			i.refusePage(w, r, err)
			return true
		}
		if name = page.Ways.of(hint); name == "" {
			i.showSignIn(w, r, page.says(noWay), http.StatusOK)
			return true
		}
	}
	target := r.URL.Path + "?" + r.URL.RawQuery
	if len(target) > maxTarget {
		i.refusePage(w, r, &pageError{"The request of the application is too long."})
		return true
	}
	_, anew := GoalOf(target)
	address, err := p.Providers.Leave(r.Context(), Leaving{page.Tenant, name, browser, target, hint, anew})
	var told *ProviderProblem
	switch {
	case errors.As(err, &told):
		i.showSignIn(w, r, page.says(told.Text), http.StatusBadGateway)
	case err != nil:
		i.refusePage(w, r, err)
	default: // a page, since browsers apply form-action to redirects after a form
		i.render(w, r, http.StatusOK, "leaving", address, "")
	}
	return true
}

// GoalOf returns the client that a target of Leave belongs to, and whether the person must
// sign in anew for it.
func GoalOf(target string) (clientID string, anew bool) {
	goal, err := url.Parse(target)
	if err != nil || goal.Path != AuthorizePath {
		return WorkbenchClient, false
	}
	query := goal.Query()
	return query.Get("client_id"), query.Get("max_age") != "" || slices.Contains(strings.Fields(query.Get("prompt")), promptLogin)
}

// of returns the provider for a name that somebody typed: by the domain of an e-mail
// address, or the only one; empty for none.
func (w Ways) of(hint string) string {
	if _, domain, ok := strings.Cut(strings.ToLower(hint), "@"); ok {
		if i := slices.IndexFunc(w.Providers, func(way Way) bool { return slices.Contains(way.Domains, domain) }); i >= 0 {
			return w.Providers[i].Name
		}
	}
	if len(w.Providers) == 1 {
		return w.Providers[0].Name
	}
	return ""
}

// arrive is where people come back from a provider.
func (i *Issuer) arrive(w http.ResponseWriter, r *http.Request) {
	p := i.people
	made, target, err := p.Providers.Arrive(r.Context(), Arriving{r.PathValue("tenant"), r.PathValue("provider"), p.cookies.read(r, formCookie), r, p.cookies.read(r, sessionCookie)})
	var told *ProviderProblem
	if errors.As(err, &told) {
		err = &pageError{told.Text}
	}
	if err != nil {
		i.refusePage(w, r, err)
		return
	}
	person, ok := i.begun(w, r, made)
	if !ok {
		return
	}
	goal, err := url.Parse(target)
	if err != nil || goal.Path != AuthorizePath {
		securePage(w, "")
		http.Redirect(w, r, i.after(goal.Query().Get("next")), http.StatusSeeOther)
		return
	}
	a, err := i.authorization(r.Context(), goal.Query())
	if a == nil || a.client.TenantIdentifier != person.TenantIdentifier {
		i.refusePage(w, r, errors.Join(err, unknownRequester))
		return
	}
	if err == nil {
		err = i.grantCode(r.Context(), a, person, w, r)
	}
	i.answer(w, r, a, err)
}

// depart is where providers say that somebody has signed out.
func (i *Issuer) depart(w http.ResponseWriter, r *http.Request) {
	noStore(w)
	form, err := readForm(w, r)
	if err == nil {
		err = i.people.Providers.Depart(r.Context(), r.PathValue("tenant"), r.PathValue("provider"), form.Get("logout_token"))
	}
	if errors.Is(err, ErrLogoutToken) {
		err = badTokenRequest("the logout token is not valid")
	}
	if err != nil {
		i.refuseForm(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}
