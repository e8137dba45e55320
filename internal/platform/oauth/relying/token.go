package relying

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/oauth/remote"
	"github.com/uplinehq/upline/internal/text"
)

// maxToken limits a token of a provider, in bytes.
const maxToken = 64 << 10

// claims are what we read of an ID token, and all its claims by name.
type claims struct {
	AuthorizedParty string   `json:"azp"`
	AuthTime        *float64 `json:"auth_time"`
	SessionID       string   `json:"sid"`
	all             map[string]any
}

func (p *Party) verifier(issuer *remote.Issuer, at Provider) *oidc.IDTokenVerifier {
	return oidc.NewVerifier(at.Issuer, issuer, &oidc.Config{ClientID: at.ClientID, SupportedSigningAlgs: algorithms,
		Now: func() time.Time { return p.clock.Now().Add(-keyring.Leeway) }})
}

// identified checks an ID token as Core §3.1.3.7 says.
func (p *Party) identified(ctx context.Context, issuer *remote.Issuer, at Provider, r Request, tokens *oauth2.Token) (c claims, err error) {
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" || len(raw) > maxToken {
		return c, refused("there is no ID token")
	}
	token, err := p.verifier(issuer, at).Verify(ctx, raw)
	if errors.Is(err, remote.ErrUnavailable) {
		return c, away(err)
	}
	if err != nil || bearer.CheckMembers(raw) != nil || token.Claims(&c) != nil || token.Claims(&c.all) != nil {
		return c, &Problem{refused("its ID token is not for us, has expired, or is not signed by it").Text, err}
	}
	latest := p.clock.Now().Add(keyring.Leeway)
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(r.Nonce)) != 1:
		return c, refused("its ID token was made for another sign-in")
	case len(token.Audience) > 1 && c.AuthorizedParty == "", c.AuthorizedParty != "" && c.AuthorizedParty != at.ClientID:
		return c, refused("its ID token was made for another program")
	case token.IssuedAt.After(latest):
		return c, refused("its ID token is of the future")
	case token.Subject == "" || len(token.Subject) > 255:
		return c, refused("its ID token names nobody")
	case token.AccessTokenHash != "" && token.VerifyAccessToken(tokens.AccessToken) != nil:
		return c, refused("its tokens do not belong together")
	case r.Anew && (c.AuthTime == nil || time.Unix(int64(*c.AuthTime), 0).Before(p.clock.Now().Add(-anewWithin))):
		return c, refused("it did not ask you to sign in again")
	}
	return c, nil
}

// anewWithin is how long ago a person may have signed in at a provider who was asked to
// do so anew.
const anewWithin = 10 * time.Minute

// verified reads email_verified, which some providers send as a text.
func verified(claim any) *bool {
	switch claim {
	case true, "true":
		return new(true)
	case nil:
		return nil
	}
	return new(false)
}

// about returns the person whom claims are about. It asks the UserInfo endpoint if they
// leave out the person's names or groups; a claim that is missing there, too, means none.
func (p *Party) about(ctx context.Context, at Provider, m remote.Metadata, c claims, tokens *oauth2.Token) (Person, error) {
	if elsewhere, _ := c.all["_claim_names"].(map[string]any); at.GroupsClaim != "" && elsewhere[at.GroupsClaim] != nil {
		return Person{}, &Problem{Text: "You are in more groups than the provider tells. Whoever administers it can limit the groups to those of this application."}
	}
	claimed := func(name string) string {
		value, _ := c.all[name].(string)
		return value
	}
	subject, nameless := claimed("sub"), claimed("email") == "" && claimed("preferred_username") == ""
	if (nameless || at.GroupsClaim != "" && remote.Claim(c.all, at.GroupsClaim) == nil) && m.UserInfo != "" && p.secure(m.UserInfo) {
		provider := (&oidc.ProviderConfig{IssuerURL: at.Issuer, UserInfoURL: m.UserInfo}).NewProvider(ctx)
		told, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil {
			return Person{}, away(err)
		}
		var all map[string]any
		if told.Subject != subject || told.Claims(&all) != nil { // Core §5.3.2
			return Person{}, refused("it tells of somebody else")
		}
		maps.Copy(all, c.all)
		c.all = all
	}
	person := Person{Subject: subject, SessionID: c.SessionID, Email: claimed("email"), Username: claimed("preferred_username"), EmailVerified: verified(c.all["email_verified"])}
	if !text.Fit(person.Subject + person.SessionID + person.Email + person.Username) {
		return Person{}, refused("it tells texts that cannot be kept")
	}
	if at.GroupsClaim == "" {
		return person, nil
	}
	groups := remote.Claim(c.all, at.GroupsClaim)
	if person.Groups = remote.Texts(groups); len(person.Groups) > 0 {
		if one, ok := groups.(string); ok { // a name may have spaces
			person.Groups = []string{one}
		}
	}
	return person, nil
}

// Departed is whom a provider has signed out: a session, or everything of a subject. What
// began later than At is not meant.
type Departed struct {
	Subject, SessionID string
	At                 time.Time
}

// ErrLogout refuses a logout token. Back-Channel Logout §2.6.
var ErrLogout = errors.New("relying: the logout token is not valid")

// logoutFor is how long after it was made a logout token counts.
const logoutFor = 5 * time.Minute

// Departed checks a logout token (Back-Channel Logout §2.6).
func (p *Party) Departed(ctx context.Context, at Provider, raw string) (Departed, error) {
	if raw == "" || len(raw) > maxToken {
		return Departed{}, ErrLogout
	}
	issuer := p.issuer(at.Issuer)
	token, err := p.verifier(issuer, at).VerifyLogout(ctx, raw)
	if errors.Is(err, remote.ErrUnavailable) {
		return Departed{}, err
	}
	now := p.clock.Now()
	var events struct {
		Events map[string]json.RawMessage `json:"events"`
	}
	if err != nil || bearer.CheckMembers(raw) != nil || token.Claims(&events) != nil || !text.Fit(token.Subject+token.SessionID) ||
		token.IssuedAt.After(now.Add(keyring.Leeway)) || now.Sub(token.IssuedAt) > logoutFor {
		return Departed{}, ErrLogout
	}
	return Departed{token.Subject, token.SessionID, token.IssuedAt.Add(keyring.Leeway)}, nil
}

// Finding is a step of Check.
type Finding struct {
	// Step says what was tried; Text what came of it, if that needs words.
	Step, Text string
	OK         bool
}

// Check tries a provider out: its metadata and keys as they are now, its endpoints, and
// whether it knows our client and its secret.
func (p *Party) Check(ctx context.Context, at Provider) []Finding {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), 2*answerWithin)
	defer cancel()
	m, err := p.metadata(ctx, p.newIssuer(at.Issuer))
	var told *Problem
	if errors.As(err, &told) {
		return []Finding{{"The provider publishes its addresses and keys", told.Text, false}}
	}
	found := []Finding{{Step: "The provider publishes its addresses and keys", OK: true}}
	pkce := Finding{Step: "It knows PKCE with S256", OK: true}
	if !slices.Contains(m.Challenges, "S256") {
		pkce.Text = "It does not say so. It is asked for all the same, and most providers know it."
	}
	logout := Finding{Step: "It tells us who signs out there (back-channel logout)", OK: true}
	if !m.LogsOut {
		logout.Text = "It does not say so. Sessions here end by themselves, within 12 hours."
	}
	known := Finding{Step: "It knows our client id and secret", OK: true}
	_, err = at.config(m).Exchange(ctx, "a code that does not exist", oauth2.VerifierOption(oauth2.GenerateVerifier()))
	var answer *oauth2.RetrieveError
	switch {
	case errors.As(err, &answer) && answer.ErrorCode == "invalid_grant":
		known.Text = "As far as it tells without a sign-in."
	case errors.As(err, &answer) && answer.ErrorCode == "invalid_client":
		known.OK, known.Text = false, "It refuses them."
	case errors.As(err, &answer):
		known.Text = "It does not say. Sign in once to be sure."
	default:
		known.OK, known.Text = false, exchanged(err).Text
	}
	return append(found, pkce, logout, known)
}
