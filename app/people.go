package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"

	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// people implements oauth.People: the issuer speaks the protocol, the identity area has
// the users and sessions.
type people struct{ *App }

// acceptPeople enables people to sign in.
func (a *App) acceptPeople(grants *oauth.Tables) error {
	key, err := a.derive("upline sign-in form")
	if err != nil {
		return err
	}
	if err := a.verifier.CheckGrants(grants); err != nil {
		return err
	}
	return a.issuer.AcceptPeople(oauth.PeopleConfig{People: people{a}, Providers: providers{people{a}}, Grants: grants, Key: key, After: a.afterSignIn(), Accounts: a.Accounts})
}

// derive returns a key for a purpose. It is the same in all processes.
func (c Config) derive(purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, c.Key, nil, purpose, sha256.Size)
}

// SignIn implements oauth.People.
func (p people) SignIn(ctx context.Context, a oauth.Attempt) (oauth.SignedIn, error) {
	entry := identity.Entry{Username: a.Username, Password: vault.Secret(a.Password), Address: edge.Address(a.Request), Device: a.Device, Previous: a.Previous}
	t, err := p.Tenants.Find(ctx, a.TenantIdentifier)
	if errors.Is(err, directory.ErrUnknown) {
		return oauth.SignedIn{}, p.refused(ctx, "", p.Identity.EnterNowhere(ctx, a.TenantIdentifier, entry))
	}
	if err != nil {
		return oauth.SignedIn{}, err
	}
	entered, err := p.Identity.Enter(p.at(ctx, t, a.ClientID), entry)
	if err != nil {
		return oauth.SignedIn{}, p.refused(ctx, t.Identifier, err)
	}
	p.Log.InfoContext(ctx, "signed in", "tenant", t.Identifier, "user", entered.Session.UserID, "traceId", traceID(ctx))
	return oauth.SignedIn{Secret: entered.Secret, Device: entered.Device, DeviceLifetime: identity.DeviceLifetime}, nil
}

// at returns the context of a sign-in at a tenant.
func (p people) at(ctx context.Context, t *tenant.Tenant, clientID string) context.Context {
	ctx = audit.WithOrigin(tenant.With(ctx, t), audit.Origin{Surface: audit.SignIn, TraceID: traceID(ctx)})
	return tenant.WithCaller(ctx, tenant.Caller{ClientID: clientID})
}

// refused turns a refusal into the error that the issuer knows, and writes a line into
// the log. The line names the tenant if there is one, and never the username, which may
// be a password typed into the wrong field.
func (p people) refused(ctx context.Context, tenantIdentifier string, err error) error {
	var locked *identity.LockedError
	switch {
	case errors.As(err, &locked):
		p.Log.WarnContext(ctx, "a sign-in has to wait: too many attempts failed", "tenant", tenantIdentifier, "seconds", int(locked.Wait.Seconds()), "traceId", traceID(ctx))
		return &oauth.SignInLocked{Wait: locked.Wait}
	case problem.Has(err, problem.UnavailableCode):
		p.Log.WarnContext(ctx, "a sign-in found too many others waiting", "tenant", tenantIdentifier, "error", err, "traceId", traceID(ctx))
		return errors.Join(oauth.ErrSignInBusy, err)
	case errors.Is(err, identity.ErrRefused):
		p.Log.WarnContext(ctx, "a sign-in was refused", "tenant", tenantIdentifier, "traceId", traceID(ctx))
		return errors.Join(oauth.ErrSignInRefused, err)
	}
	return err
}

// Session implements oauth.People.
func (p people) Session(ctx context.Context, secret string) (oauth.Person, bool, error) {
	s, err := p.Identity.SessionOf(ctx, secret)
	return person(s), s != nil, err
}

// SignOut implements oauth.People.
func (p people) SignOut(ctx context.Context, secret string) error {
	s, err := p.Identity.SessionOf(ctx, secret)
	if err != nil || s == nil {
		return err
	}
	t, err := p.Tenants.Find(ctx, s.TenantIdentifier)
	if err != nil {
		return err
	}
	p.Log.InfoContext(ctx, "signed out", "tenant", t.Identifier, "user", s.UserID, "traceId", traceID(ctx))
	return p.Identity.SignOut(p.at(ctx, t, oauth.WorkbenchClient), secret)
}

// Person implements oauth.People.
func (p people) Person(ctx context.Context, tenantIdentifier string, userID int64) (oauth.Person, bool, error) {
	t, err := p.Tenants.Find(ctx, tenantIdentifier)
	if err != nil {
		return oauth.Person{}, false, err
	}
	s, err := p.Identity.Holder(tenant.With(ctx, t), userID)
	return person(s), s != nil, err
}

func person(s *identity.Session) oauth.Person {
	if s == nil {
		return oauth.Person{}
	}
	p := oauth.Person{UserID: s.UserID, TenantID: s.TenantID, TenantIdentifier: s.TenantIdentifier, Username: s.Username,
		Scopes: s.Scopes, SessionID: s.ID, Expires: s.ExpiresAt, SignedInAt: s.SignedInAt}
	if s.Email != nil {
		p.Email = *s.Email
	}
	return p
}
