package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/graph/manifest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

type clientCommand struct {
	Create    clientCreateCommand    `cmd:"" help:"Create a client and print its secret, once."`
	List      clientListCommand      `cmd:"" help:"List clients."`
	Disable   clientDisableCommand   `cmd:"" help:"Disable a client: it gets no tokens, and those it has are refused."`
	Enable    clientEnableCommand    `cmd:"" help:"Let a disabled client get tokens again."`
	Rotate    clientRotateCommand    `cmd:"" help:"Give a client a new secret and print it, once."`
	Expire    clientExpireCommand    `cmd:"" help:"Set when a client expires."`
	Documents clientDocumentsCommand `cmd:"" help:"Add trusted GraphQL documents of a tenant's client."`
	Scopes    clientScopesCommand    `cmd:"" help:"List the scopes that a client can hold."`
	Key       clientKeyCommand       `cmd:"" help:"Manage API keys of a tenant's clients."`
}

// withClients opens the database and its clients.
func (d database) withClients(ctx context.Context, f func(*store.Store, *identity.Operator) error) error {
	s, err := d.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s, app.Operator(s))
}

type clientCreateCommand struct {
	recorded
	ID     string   `arg:"" help:"The client's id."`
	Tenant string   `help:"Tenant that the client belongs to; by default it is a client of the platform."`
	Scopes []string `help:"Scopes, separated by commas." required:""`
	Public bool     `help:"Make a public client, for a program that cannot keep a secret: people of the tenant sign in through it."`
	// A URI may contain commas, so the flag does not split at them.
	RedirectURI []string `help:"Address that people are sent back to after signing in through the client; may be repeated." sep:"none" placeholder:"URI"`
	PublicKeys  []byte   `help:"File of a JSON Web Key Set: the client signs assertions (private_key_jwt) instead of sending a secret." type:"filecontent" placeholder:"FILE"`
	expiry
}

// Run implements the command.
func (c *clientCreateCommand) Run(ctx context.Context) error {
	if err := knownScopes(c.Scopes); err != nil {
		return err
	}
	return c.withClients(ctx, func(s *store.Store, clients *identity.Operator) error {
		added := identity.NewClient{ID: c.ID, Secret: oauth.NewSecret(), Scopes: c.Scopes, Expires: c.at(), Public: c.Public, RedirectURIs: c.RedirectURI, PublicKeys: string(c.PublicKeys)}
		var owner *tenant.Tenant
		if c.Tenant != "" {
			var err error
			if owner, err = directory.New(s, system).Find(ctx, c.Tenant); err != nil {
				return err
			}
			added.TenantID = &owner.ID
		}
		record, err := c.record(ctx, s, owner, "client create", "Client", c.ID)
		if err != nil {
			return err
		}
		if err := clients.AddClient(ctx, added, system.Now(), record); err != nil {
			return err
		}
		fmt.Println("client", added.ID)
		if !c.Public && len(c.PublicKeys) == 0 {
			fmt.Println("secret", added.Secret)
		}
		return nil
	})
}

type clientListCommand struct{ database }

// Run implements the command.
func (c *clientListCommand) Run(ctx context.Context) error {
	return c.withClients(ctx, func(_ *store.Store, clients *identity.Operator) error {
		all, err := clients.AllClients(ctx)
		for _, client := range all {
			owner := client.Tenant
			if owner == "" {
				owner = "(platform)"
			}
			state := ""
			if client.IsDisabled {
				state = "disabled "
			}
			fmt.Printf("%-24s %-24s used %-10s expires %-10s %s%s\n", client.ClientID, owner, day(client.LastUsedAt), day(client.ExpiresAt), state, strings.Join(client.Scopes, " "))
		}
		return err
	})
}

type clientDisableCommand struct {
	recorded
	ID string `arg:"" help:"The client's id."`
}

// Run implements the command.
func (c *clientDisableCommand) Run(ctx context.Context) error {
	return c.setDisabled(ctx, "client disable", c.ID, true)
}

func (r recorded) setDisabled(ctx context.Context, operation, id string, disabled bool) error {
	return r.withClients(ctx, func(s *store.Store, clients *identity.Operator) error {
		record, err := r.recordClient(ctx, s, operation, id)
		if err != nil {
			return err
		}
		return clients.AmendClient(ctx, id, identity.ClientInput{IsDisabled: patch.Set(disabled)}, system.Now(), record)
	})
}

type clientEnableCommand struct {
	recorded
	ID string `arg:"" help:"The client's id."`
}

// Run implements the command.
func (c *clientEnableCommand) Run(ctx context.Context) error {
	return c.setDisabled(ctx, "client enable", c.ID, false)
}

type clientRotateCommand struct {
	recorded
	ID      string        `arg:"" help:"The client's id."`
	Overlap time.Duration `help:"How long the old secret stays valid; 0s if it leaked. While the secret of an earlier rotation is valid, only 0s is accepted, which ends both." default:"24h"`
}

// Run implements the command.
func (c *clientRotateCommand) Run(ctx context.Context) error {
	return c.withClients(ctx, func(s *store.Store, clients *identity.Operator) error {
		record, err := c.recordClient(ctx, s, "client rotate", c.ID)
		if err != nil {
			return err
		}
		secret := oauth.NewSecret()
		if err := clients.SetClientSecret(ctx, c.ID, secret, c.Overlap, system.Now(), record); err != nil {
			return err
		}
		fmt.Println("secret", secret)
		return nil
	})
}

type clientExpireCommand struct {
	recorded
	ID string `arg:"" help:"The client's id."`
	expiry
	Never bool `help:"The client never expires."`
}

// Validate implements kong.Validatable. It demands one of the flags: leaving everything
// out does not mean "never expires".
func (c *clientExpireCommand) Validate() error {
	if c.Never == (c.ExpiresIn != nil) {
		return errors.New("give either --expires-in or --never")
	}
	return c.expiry.Validate()
}

// Run implements the command.
func (c *clientExpireCommand) Run(ctx context.Context) error {
	return c.withClients(ctx, func(s *store.Store, clients *identity.Operator) error {
		record, err := c.recordClient(ctx, s, "client expire", c.ID)
		if err != nil {
			return err
		}
		return clients.AmendClient(ctx, c.ID, identity.ClientInput{ExpiresAt: patch.Field[time.Time]{Sent: true, Value: c.at()}}, system.Now(), record)
	})
}

// expiry are the flags of whatever can expire.
type expiry struct {
	ExpiresIn *time.Duration `help:"Time until it expires, such as 2160h."`
}

// Validate implements kong.Validatable.
func (e expiry) Validate() error {
	if e.ExpiresIn != nil && *e.ExpiresIn <= 0 {
		return errors.New("--expires-in must be longer than 0; to end a client or key now, disable or revoke it")
	}
	return nil
}

func (e expiry) at() *time.Time {
	if e.ExpiresIn == nil {
		return nil
	}
	return new(system.Now().Add(*e.ExpiresIn))
}

// day formats an instant for a list.
func day(at *time.Time) string {
	if at == nil {
		return "never"
	}
	return at.UTC().Format(time.DateOnly)
}

// knownScopes refuses a name that no scope has, and names the nearest.
func knownScopes(names []string) error {
	return known("scope", names, bearer.AllScopes(), " (upline client scopes lists all)")
}

// known refuses the first of the names in a flag that nothing of its kind has, and names
// the nearest. A hint says more.
func known(kind string, names, all []string, hint string) error {
	for _, name := range names {
		if slices.Contains(all, name) {
			continue
		}
		if nearest := text.Nearest(name, all); nearest != "" {
			hint = "; the nearest is " + nearest + hint
		}
		return fmt.Errorf("--%ss: there is no %s %q%s", kind, kind, name, hint)
	}
	return nil
}

type clientScopesCommand struct{}

// Run implements the command.
func (*clientScopesCommand) Run() error {
	for _, s := range bearer.Scopes {
		fmt.Printf("%-44s %s\n", s.Name, s.Description)
	}
	return nil
}

type clientDocumentsCommand struct {
	recorded
	ID       string `arg:"" help:"The client's id."`
	Manifest string `arg:"" help:"File of the tool that builds the client: an object of texts by their ids (graphql-codegen, Relay), or Apollo's persisted query manifest." type:"existingfile"`
}

// Run implements the command.
func (c *clientDocumentsCommand) Run(ctx context.Context) error {
	text, err := os.ReadFile(c.Manifest)
	if err != nil {
		return err
	}
	all, err := manifest.Parse(text, graph.Schema())
	if err != nil {
		return err
	}
	return c.withClients(ctx, func(s *store.Store, clients *identity.Operator) error {
		record, err := c.recordClient(ctx, s, "client documents", c.ID)
		if err != nil {
			return err
		}
		added, err := clients.AddClientDocuments(ctx, c.ID, all, system.Now(), record)
		if err == nil {
			fmt.Printf("%d documents, %d of them new\n", len(all), added)
		}
		return err
	})
}
