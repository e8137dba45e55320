package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/relying"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Party returns what speaks with sign-in providers for a command, whose server has another
// address, and reaches providers on this machine, too.
func Party(c clock.Clock) identity.Party {
	return party{relying.New(true, c, slog.New(slog.DiscardHandler)), ""}
}

// party is identity.Party: package relying speaks with providers.
type party struct {
	*relying.Party
	issuer string
}

// Addresses implements identity.Party.
func (p party) Addresses(tenantIdentifier, name string) (redirect, logout string) {
	of := tenantIdentifier + "/" + name
	return p.issuer + oauth.ArrivalPath + of, p.issuer + oauth.DeparturePath + of
}

// CheckProvider implements identity.Party.
func (p party) CheckProvider(ctx context.Context, provider *identity.Provider, secret vault.Secret) (found []*identity.ProviderFinding) {
	for _, f := range p.Check(ctx, p.at(ctx, provider, secret)) {
		found = append(found, &identity.ProviderFinding{Step: f.Step, Text: f.Text, IsOk: f.OK})
	}
	return found
}

// at returns a provider of the context's tenant as the protocol needs it.
func (p party) at(ctx context.Context, provider *identity.Provider, secret vault.Secret) relying.Provider {
	redirect, _ := p.Addresses(tenant.From(ctx).Identifier, provider.Name)
	at := relying.Provider{Issuer: provider.Issuer, ClientID: provider.ClientID, Secret: secret.Reveal(), RedirectURI: redirect}
	if len(provider.Roles) > 0 {
		at.GroupsClaim = provider.GroupsClaim
	}
	return at
}

// providers implements oauth.Providers.
type providers struct{ people }

// Ways implements oauth.Providers.
func (p providers) Ways(ctx context.Context, tenantIdentifier string) (oauth.Ways, error) {
	t, err := p.Tenants.Find(ctx, tenantIdentifier)
	if errors.Is(err, directory.ErrUnknown) {
		return oauth.Ways{Passwords: true}, nil
	}
	if err != nil {
		return oauth.Ways{}, err
	}
	ways := oauth.Ways{Passwords: t.PasswordSignIn}
	all, err := p.Identity.Providers(tenant.With(ctx, t))
	for _, one := range all {
		if !one.IsDisabled {
			ways.Providers = append(ways.Providers, oauth.Way{Name: one.Name, Label: one.Label, Domains: one.Domains})
		}
	}
	return ways, err
}

// unknownProvider is the same answer for a tenant and a provider that do not exist.
var unknownProvider = &oauth.ProviderProblem{Text: "This way to sign in is not known here. Begin again at the application."}

// find returns the context of a tenant, and a provider of it that is not disabled.
func (p providers) find(ctx context.Context, tenantIdentifier, name string) (context.Context, *identity.Provider, relying.Provider, error) {
	t, err := p.Tenants.Find(ctx, tenantIdentifier)
	if errors.Is(err, directory.ErrUnknown) {
		err = unknownProvider
	}
	if err != nil {
		return ctx, nil, relying.Provider{}, err
	}
	ctx = p.people.at(ctx, t, oauth.WorkbenchClient)
	found, err := p.Identity.Provider(ctx, name)
	if err == nil && (found == nil || found.IsDisabled) {
		err = unknownProvider
	}
	if err != nil {
		return ctx, nil, relying.Provider{}, err
	}
	secret, err := p.Identity.ProviderSecret(ctx, found)
	return ctx, found, p.party.at(ctx, found, secret), err
}

// Leave implements oauth.Providers.
func (p providers) Leave(ctx context.Context, l oauth.Leaving) (string, error) {
	ctx, provider, at, err := p.find(ctx, l.TenantIdentifier, l.Provider)
	if err != nil {
		return "", err
	}
	proof, err := p.Identity.Leave(ctx, provider, l.Browser, l.Target)
	if err != nil {
		return "", err
	}
	address, err := p.party.Address(ctx, at, relying.Request{State: proof.State, Nonce: proof.Nonce, Verifier: proof.Verifier, Hint: l.Hint, Anew: l.Anew})
	return address, p.told(ctx, provider, err)
}

// Arrive implements oauth.Providers.
func (p providers) Arrive(ctx context.Context, a oauth.Arriving) (made oauth.SignedIn, target string, err error) {
	ctx, provider, at, err := p.find(ctx, a.TenantIdentifier, a.Provider)
	if err != nil {
		return made, "", err
	}
	back := a.Request.URL.Query()
	proof, target, known, err := p.Identity.Return(ctx, provider, a.Browser, back.Get("state"))
	if err == nil && !known {
		err = &oauth.ProviderProblem{Text: "This sign-in was not begun in this browser, took too long, or is over already. Begin again at the application."}
	}
	if err != nil {
		return made, "", err
	}
	clientID, anew := oauth.GoalOf(target)
	ctx = p.people.at(ctx, tenant.From(ctx), clientID)
	who, err := p.party.Person(ctx, at, relying.Request{State: proof.State, Nonce: proof.Nonce, Verifier: proof.Verifier, Anew: anew}, back)
	if err != nil {
		return made, "", p.told(ctx, provider, err)
	}
	entered, err := p.Identity.Arrive(ctx, provider, identity.Arrival{Subject: who.Subject, SessionID: who.SessionID, Email: who.Email, Username: who.Username,
		EmailVerified: who.EmailVerified, Groups: who.Groups, Previous: a.Previous})
	if err != nil {
		return made, "", p.told(ctx, provider, err)
	}
	p.Log.InfoContext(ctx, "signed in", "tenant", a.TenantIdentifier, "provider", provider.Name, "user", entered.Session.UserID, "traceId", traceID(ctx))
	return oauth.SignedIn{Secret: entered.Secret, Device: entered.Device, DeviceLifetime: identity.DeviceLifetime}, target, nil
}

// told turns a refusal into the error that the issuer knows, and writes a line into the
// log.
func (p providers) told(ctx context.Context, provider *identity.Provider, err error) error {
	var (
		trouble   *relying.Problem
		unwelcome *identity.Unwelcome
		text      string
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &trouble):
		text = trouble.Text
	case errors.As(err, &unwelcome):
		text = unwelcome.Text
	case errors.Is(err, identity.ErrRefused):
		text = "The sign-in was refused. Ask whoever administers your agency."
	default:
		return err
	}
	p.Log.WarnContext(ctx, "a sign-in with a provider failed", "tenant", tenant.From(ctx).Identifier, "provider", provider.Name, "error", err, "traceId", traceID(ctx))
	return &oauth.ProviderProblem{Text: text}
}

// Depart implements oauth.Providers.
func (p providers) Depart(ctx context.Context, tenantIdentifier, name, token string) error {
	ctx, provider, at, err := p.find(ctx, tenantIdentifier, name)
	var unknown *oauth.ProviderProblem
	if errors.As(err, &unknown) {
		return oauth.ErrLogoutToken
	}
	if err != nil {
		return err
	}
	gone, err := p.party.Departed(ctx, at, token)
	if errors.Is(err, relying.ErrLogout) {
		err = errors.Join(oauth.ErrLogoutToken, err)
	}
	if err != nil {
		return err
	}
	p.Log.InfoContext(ctx, "signed out by a provider", "tenant", tenantIdentifier, "provider", name, "traceId", traceID(ctx))
	return p.Identity.Depart(ctx, provider, gone.Subject, gone.SessionID, gone.At)
}
