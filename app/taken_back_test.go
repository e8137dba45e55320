package app_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

const everyAgent = `subscription { agentChanged { agentCode } }`

// takenBack are the ways in which a caller loses what its streams were opened
// with. Each returns the caller, and what takes its credentials away.
var takenBack = map[string]func(t *testing.T, r *replicas) (c *apptest.Caller, take func()){
	"a revoked token": func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		client := r.As(apptest.Acme, "read:agents", "write:agents")
		token := client.Token(t)
		return r.WithToken(apptest.Acme, token), func() {
			if status, body := askIssuer(t, r.World, client, oauth.RevocationPath, token); status != http.StatusOK {
				t.Fatalf("revocation: %d %v", status, body)
			}
		}
	},
	"a stopped client": clientWho("read:roles", func(t *testing.T, r *replicas, id string) {
		r.amend(t, id, identity.ClientInput{IsDisabled: patch.Set(true)})
	}),
	"a client that has expired": clientWho("read:users", func(t *testing.T, r *replicas, id string) {
		r.amend(t, id, identity.ClientInput{ExpiresAt: patch.Set(r.Clock.Now())})
	}),
	"a client with fewer scopes": clientWho("write:roles", func(t *testing.T, r *replicas, id string) {
		r.amend(t, id, identity.ClientInput{Scopes: patch.Set([]string{"write:roles"})})
	}),
	"a deleted client, whose name another has": clientWho("write:users", func(t *testing.T, r *replicas, id string) {
		if err := r.Identity.DeleteClient(r.Context(t, apptest.Acme), id); err != nil {
			t.Fatal(err)
		}
		r.Clock.Move(time.Second)
		r.addClient(t, id)
	}),
	"a user whose client has fewer scopes": func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		r.addClient(t, "desk")
		user := r.AddUser(t, apptest.Acme, "eva", "", "Manager")
		token, err := r.TokenOf(t.Context(), "desk", user.Username, user.ID, []string{"read:agents", "write:agents"})
		if err != nil {
			t.Fatal(err)
		}
		return r.WithToken(apptest.Acme, token), func() {
			r.amend(t, "desk", identity.ClientInput{Scopes: patch.Set([]string{"read:roles"})})
		}
	},
	"a user made Pending":       userWho(identity.UserInput{Status: patch.Set(identity.Pending)}),
	"a user who lost a role":    userWho(identity.UserInput{Roles: patch.Set([]string{"Recruiter"})}),
	"a user who is limited now": userWho(identity.UserInput{Roles: patch.Set([]string{"Agent"})}),
	"a session that was signed out": func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		w := &signInWorld{r.World}
		w.person(t, "ana")
		b := w.browser(t)
		got := w.exchange(t, "code", b.code(t, "scope", "read:agents write:agents"))
		return r.WithToken(apptest.Acme, got.Access), func() { b.signOut(t) }
	},
	"a session that its provider signed out": byProvider(func(t *testing.T, r *replicas, p *idp, b *browser) {
		now := r.Clock.Now()
		token := p.signed(jwt.MapClaims{"iss": p.URL, "aud": idpClient, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "jti": rand.Text(), "sid": "s1",
			"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}, p.key, p.kid)
		if got := b.post(t, oauth.DeparturePath+apptest.Acme+"/idp", url.Values{"logout_token": {token}}); got.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", got.StatusCode, got.text)
		}
	}),
	"a disabled provider": byProvider(func(t *testing.T, r *replicas, _ *idp, _ *browser) {
		if _, _, err := r.Identity.UpdateProvider(r.Context(t, apptest.Acme), "idp", identity.ProviderInput{IsDisabled: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
	}),
	"a deleted provider": byProvider(func(t *testing.T, r *replicas, _ *idp, _ *browser) {
		if err := r.Identity.DeleteProvider(r.Context(t, apptest.Acme), "idp"); err != nil {
			t.Fatal(err)
		}
	}),
	"a group of the provider that is left": byProvider(func(t *testing.T, r *replicas, p *idp, _ *browser) {
		member := p.claims
		p.set(func() {
			p.claims = func(c jwt.MapClaims) {
				member(c)
				c["groups"] = []string{}
			}
		})
		w := &signInWorld{r.World}
		w.browser(t).enters(t, p, "idp", authorizePath())
	}),
	"a password, which counts no more": func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		w := &signInWorld{r.World}
		w.person(t, "ana")
		w.provide(t, newIDP(t, w), "last")
		got := w.exchange(t, "code", w.browser(t).code(t, "scope", "read:agents write:agents"))
		t.Cleanup(func() {
			if _, err := directory.Update(context.WithoutCancel(t.Context()), r.Store, r.Clock, apptest.Acme, directory.Settings{PasswordSignIn: patch.Set(true)}); err != nil {
				t.Error(err)
			}
			if err := r.Identity.DeleteProvider(tenant.With(context.WithoutCancel(t.Context()), r.Tenants[apptest.Acme]), "last"); err != nil {
				t.Error(err)
			}
		})
		return r.WithToken(apptest.Acme, got.Access), func() {
			r.As(apptest.Acme, allScopes...).Query(t, `mutation { tenantSettingsUpdate(input: {passwordSignIn: false}) { applied } }`, nil)
		}
	},
	"a revoked key": func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		id, _ := r.As(apptest.Acme, "read:agents", "write:agents", "read:clients").Credentials(t)
		ctx := r.Context(t, apptest.Acme, bearer.TenantScopes()...)
		key, secret, err := r.Identity.CreateAPIKey(ctx, id, identity.APIKeyInput{Name: "k", Scopes: []string{"read:agents", "write:agents"}})
		if err != nil {
			t.Fatal(err)
		}
		return r.WithToken(apptest.Acme, secret.Reveal()), func() {
			if _, _, err := r.Identity.RevokeAPIKey(ctx, key.UID); err != nil {
				t.Fatal(err)
			}
		}
	},
}

// byProvider is somebody who signed in with a provider, which something happens to.
func byProvider(change func(t *testing.T, r *replicas, p *idp, b *browser)) func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
	return func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		w := &signInWorld{r.World}
		w.person(t, "bea")
		ctx := r.Context(t, apptest.Acme, bearer.TenantScopes()...)
		if _, _, err := w.Identity.UpdateUser(ctx, "bea", identity.UserInput{Email: patch.Set("bea@acme.example"), Roles: patch.Set([]string{})}); err != nil {
			t.Fatal(err)
		}
		p := newIDP(t, w)
		p.claims = func(c jwt.MapClaims) {
			c["email"], c["sub"], c["groups"] = "bea@acme.example", "00bea", []string{"staff"}
		}
		name := p.claims
		w.provide(t, p, "idp", func(in *identity.ProviderInput) {
			in.Roles = patch.Set([]identity.GroupRole{{Group: "staff", Role: "Manager"}})
		})
		b := w.browser(t)
		got := w.exchange(t, "code", b.enters(t, p, "idp", authorizePath("scope", "read:agents write:agents")).back(t).Get("code"))
		t.Cleanup(func() {
			_ = r.Identity.DeleteProvider(tenant.With(context.WithoutCancel(t.Context()), r.Tenants[apptest.Acme]), "idp")
		})
		return r.WithToken(apptest.Acme, got.Access), func() {
			p.set(func() { p.claims = name })
			change(t, r, p, b)
		}
	}
}

// person adds somebody who can sign in through the client web, unless they are there.
func (w *signInWorld) person(t *testing.T, name string) {
	t.Helper()
	ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
	if known, err := w.Identity.User(ctx, name); err != nil || known != nil {
		return
	}
	w.addPerson(t, name)
	if known, err := w.Identity.Client(ctx, "web"); err == nil && known == nil {
		w.public(t, "web", apptest.Acme, []string{"read:agents", "write:agents"}, webCallback)
	}
}

// TestTakenBackAtEveryDoor: whatever a caller loses, no door of the server that took it
// serves what it could do before, at once, and none of another server ten seconds later
// (docs/identity.md).
func TestTakenBackAtEveryDoor(t *testing.T) {
	doors := map[string]struct{ method, path, body string }{
		"REST":            {http.MethodGet, "/agency-management/{tenant}/agents", ""},
		"a REST write":    {http.MethodPost, "/agency-management/{tenant}/tags", `{"name": "T", "initiator": "hr"}`},
		"GraphQL":         {http.MethodPost, apptest.GraphQLPath, `{"query": "{ agents { totalCount } }"}`},
		"MCP":             {http.MethodPost, "/mcp/{tenant}", `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "graphql", "arguments": {"query": "{ agents { totalCount } }"}}}`},
		"who somebody is": {http.MethodGet, oauth.UserInfoPath, ""},
	}
	onTwo(t, func(t *testing.T, r *replicas) {
		other := r.Served(r.other)
		for name, prepare := range takenBack {
			t.Run(name, func(t *testing.T) {
				c, take := prepare(t, r)
				token := c.Token(t)
				there := other.WithToken(apptest.Acme, token)
				here := r.WithToken(apptest.Acme, token)
				served := func(at *apptest.Caller, door string) bool {
					d := doors[door]
					got := at.Send(t, d.method, d.path, http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}, []byte(d.body))
					return got.Code < http.StatusBadRequest && (!strings.Contains(d.body, "totalCount") || strings.Contains(got.Body.String(), "totalCount"))
				}
				before := map[string]bool{}
				for door := range doors {
					before[door] = served(here, door) && served(there, door)
				}
				if !before["REST"] || !before["GraphQL"] || !before["MCP"] {
					t.Fatalf("before: %v", before)
				}
				take()
				keeps := func(door string) bool {
					return (strings.Contains(name, "limited") || strings.Contains(name, "lost a role")) && door != "a REST write"
				}
				for door := range doors {
					// Only the operator lets a client expire now, with a command: another process.
					if !keeps(door) && !strings.Contains(name, "expired") && served(here, door) {
						t.Errorf("%s is open at once", door)
					}
				}
				r.Clock.Move(forgotten)
				for door := range doors {
					if served(there, door) && !keeps(door) {
						t.Errorf("%s is open", door)
					}
				}
			})
		}
	})
}

// clientWho is a client with a token that something happens to. Another scope tells it
// from the other clients.
func clientWho(scope string, change func(t *testing.T, r *replicas, id string)) func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
	return func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		client := r.As(apptest.Acme, "read:agents", "write:agents", scope)
		id, _ := client.Credentials(t)
		return r.WithToken(apptest.Acme, client.Token(t)), func() { change(t, r, id) }
	}
}

func (r *replicas) amend(t *testing.T, id string, in identity.ClientInput) {
	t.Helper()
	if in.ExpiresAt.Sent {
		if err := app.Operator(r.Store).AmendClient(t.Context(), id, in, r.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		return
	}
	if _, _, err := r.Identity.UpdateClient(r.Context(t, apptest.Acme, bearer.TenantScopes()...), id, in); err != nil {
		t.Fatal(err)
	}
}

func (r *replicas) addClient(t *testing.T, id string) {
	t.Helper()
	added := identity.NewClient{ID: id, TenantID: &r.Tenants[apptest.Acme].ID, Secret: oauth.NewSecret(), Scopes: []string{"read:agents", "write:agents"}}
	if err := app.Operator(r.Store).AddClient(t.Context(), added, r.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

// userWho is a user with a token who changes.
func userWho(in identity.UserInput) func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
	return func(t *testing.T, r *replicas) (*apptest.Caller, func()) {
		name := strings.ToLower(strings.NewReplacer("/", "", " ", "").Replace(t.Name()))
		name = name[max(0, len(name)-30):]
		user := r.AddUser(t, apptest.Acme, name, "", "Manager")
		return r.AsUser(t, apptest.Acme, user), func() {
			if _, _, err := r.Identity.UpdateUser(r.Context(t, apptest.Acme), name, in); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// addPerson adds an approved user, a manager, who can sign in.
func (w *signInWorld) addPerson(t *testing.T, name string) {
	t.Helper()
	_, err := w.Identity.CreateUser(w.Context(t, apptest.Acme, bearer.TenantScopes()...), identity.UserInput{Username: name,
		Password: patch.Set(vault.Secret(anaPassword)), Status: patch.Set(identity.Approved), Roles: patch.Set([]string{"Manager"})})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *browser) signOut(t *testing.T) {
	t.Helper()
	answer := b.post(t, oauth.SignOutPath, url.Values{"form_token": {b.get(t, oauth.SignOutPath).token()}})
	if answer.StatusCode != http.StatusOK || b.cookie("upline_session") != "" {
		t.Fatalf("signing out: %d", answer.StatusCode)
	}
}

// forgotten is when no server remembers what it knew of credentials.
const forgotten = 10 * time.Second

// Streams go on while their credentials count, and end soon after these are taken
// back: "ends all sessions and tokens of a user" (docs/identity.md) includes what
// they opened.
func TestStreamsEndWhenCredentialsAreTakenBack(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		r.other.RecheckStreams(20 * time.Millisecond)
		for name, prepare := range takenBack {
			t.Run(name, func(t *testing.T) {
				c, take := prepare(t, r)
				f, lines := r.follow(t, c, everyAgent), r.stream(t, c, everyAgent)
				r.listening(t, 2)
				r.Clock.Move(forgotten)
				time.Sleep(100 * time.Millisecond) // looked at again a few times
				r.change(t, apptest.Acme, events.AgentUpdated, "A1")
				f.expect(`"agentCode":"A1"`)
				if got := <-lines; !strings.Contains(got, `"agentCode":"A1"`) {
					t.Errorf("received %s", got)
				}
				take()
				r.Clock.Move(forgotten)
				if m, err := f.next(); websocket.CloseStatus(err) != 4401 {
					t.Errorf("received %s, %v, want the end of the connection", m, err)
				}
				if got := <-lines; !strings.Contains(got, "UNAUTHENTICATED") {
					t.Errorf("received %s, want the end of the stream", got)
				}
				r.listening(t, 0)
			})
		}
	})
}

// What a deleted client left does not pass to the next of its name: neither its tokens,
// at any door, nor its Idempotency-Keys and exports.
func TestNamesakesInheritNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		r := &replicas{World: w}
		scopes := []string{"read:agents", "write:agents"}
		client := w.As(apptest.Acme, scopes...)
		id, secret := client.Credentials(t)
		key := http.Header{"Idempotency-Key": {"k1"}}
		body := []byte(`{"firstName":"Ann","lastName":"Lee","status":"Active","teams":{"default":{"level":10}},"initiator":"hr"}`)
		if got := client.Send(t, http.MethodPost, "/agency-management/{tenant}/agents", key, body); got.Code != http.StatusCreated {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
		_, file := apptest.Exported(t, w, client, apptest.Export(`{ agents { nodes { agentCode } } }`, "agents", "CSV"))
		old := w.WithToken(apptest.Acme, client.Token(t))
		if err := w.Identity.DeleteClient(w.Context(t, apptest.Acme), id); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(forgotten)
		added := identity.NewClient{ID: id, TenantID: &w.Tenants[apptest.Acme].ID, Secret: secret, Scopes: scopes}
		if err := app.Operator(r.Store).AddClient(t.Context(), added, w.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/agency-management/{tenant}/agents", apptest.GraphQLPath + "?query={__typename}", "/mcp/{tenant}"} {
			if got := old.Send(t, http.MethodGet, path, nil, nil); got.Code != http.StatusUnauthorized {
				t.Errorf("the old token at %s: %d", path, got.Code)
			}
		}
		if got := apptest.Download(t, old, file); got.Code != http.StatusUnauthorized {
			t.Errorf("the old token at the download: %d", got.Code)
		}
		if got := apptest.Download(t, client, file); got.Code != http.StatusNotFound {
			t.Errorf("the new client downloads the old one's file: %d", got.Code)
		}
		if got := client.Send(t, http.MethodPost, "/agency-management/{tenant}/agents", key, body); got.Code != http.StatusCreated || got.Header().Get("Idempotency-Replayed") != "" {
			t.Errorf("the new client repeats the old one's request: %d %s", got.Code, got.Body)
		}
		if got := apptest.At(client.Query(t, `{ agents { totalCount } }`, nil), "agents.totalCount"); fmt.Sprint(got) != "2" {
			t.Errorf("%v agents, want one of each client", got)
		}
	})
}

// A connection does not let its caller write either: every operation of it is
// checked as a request is, however long until the streams are.
func TestOperationsOfAnOldConnection(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		r.other.RecheckStreams(time.Hour)
		r.register(t, "A1", "")
		const change = `{"id":"%s","type":"subscribe","payload":{"query":"mutation { agentUpdate(input: {agentCode: \"A1\", lastName: \"%s\", initiator: \"hr\"}) { agent { lastName } userErrors { message } } }"}}`
		for name, prepare := range takenBack {
			t.Run(name, func(t *testing.T) {
				c, take := prepare(t, r)
				f := r.follow(t, c)
				f.send(fmt.Sprintf(change, "1", "Before"))
				f.expect(`"type":"next"`, `"type":"complete"`)
				take()
				r.Clock.Move(forgotten)
				f.send(fmt.Sprintf(change, "2", "After"))
				if m, err := f.next(); websocket.CloseStatus(err) != 4401 {
					t.Errorf("received %s, %v, want the end of the connection", m, err)
				}
				data := r.As(apptest.Acme).Query(t, `{ agent(agentCode: "A1") { lastName } }`, nil)
				if got := apptest.At(data, "agent.lastName"); got == "After" {
					t.Error("it wrote")
				}
			})
		}
	})
}

// A stream that the session cookie opened ends when the session is signed out, and
// is no use of it: an hour after the last request both end.
func TestStreamsOfASession(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		r.other.RecheckStreams(20 * time.Millisecond)
		w := &signInWorld{r.World}
		w.addPerson(t, "ana")
		for name, end := range map[string]func(b *browser){
			"signed out": func(b *browser) { b.signOut(t) },
			"left alone": func(*browser) {
				r.Clock.Move(identity.SessionIdle / 2)
				time.Sleep(100 * time.Millisecond)
				r.Clock.Move(identity.SessionIdle / 2)
			},
		} {
			b := w.browser(t)
			b.signIn(t, oauth.SignInPath, "ana", anaPassword)
			cookie := b.cookie("upline_session")
			if cookie == "" {
				t.Fatal("not signed in")
			}
			lines := r.streamWith(t, http.Header{"Cookie": {"__Host-upline_session=" + cookie}, app.RequestHeader: {"1"}, "Sec-Fetch-Site": {"same-origin"}}, everyAgent)
			r.listening(t, 1)
			r.change(t, apptest.Acme, events.AgentUpdated, "A1")
			if got := <-lines; !strings.Contains(got, `"agentCode":"A1"`) {
				t.Errorf("%s: received %s", name, got)
			}
			end(b)
			if got := <-lines; !strings.Contains(got, "UNAUTHENTICATED") {
				t.Errorf("%s: received %s, want the end of the stream", name, got)
			}
			r.listening(t, 0)
		}
	})
}
