package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Provider is an OpenID provider with which people of the tenant sign in.
type Provider struct {
	ID int64
	// Name stands in our addresses, Label on the sign-in page.
	Name, Label string
	// Issuer is the provider's own address, ClientID what it calls us.
	Issuer, ClientID string
	// Domains are those of the e-mail addresses that it may vouch for.
	Domains []string
	// GroupsClaim names the claim with a person's groups.
	GroupsClaim string
	// Roles are given to the people of groups, and taken from everybody else whom the
	// provider signs in.
	Roles []GroupRole
	// CreatesUsers makes a user of whoever it signs in for the first time; otherwise it
	// signs in only users that exist.
	CreatesUsers, IsDisabled  bool
	CreatedAt, LastModified   time.Time
	CreatedBy, LastModifiedBy string

	secret []byte
}

// HasSecret reports whether the provider has a client secret of ours.
func (p *Provider) HasSecret() bool { return p.secret != nil }

// GroupRole says which role a group at a provider gives.
type GroupRole struct{ Group, Role string }

// Party speaks with providers.
type Party interface {
	// IssuerProblem says what is wrong with the address of a provider; empty for nothing.
	IssuerProblem(issuer string) string
	// Addresses returns what a provider of a tenant must be told: where it sends people
	// back to, and where it says that somebody has signed out.
	Addresses(tenantIdentifier, name string) (redirect, logout string)
	// CheckProvider tries a provider out.
	CheckProvider(ctx context.Context, p *Provider, secret vault.Secret) []*ProviderFinding
}

// ProviderFinding is a step of trying a provider out, with what came of it; Text may be
// empty.
type ProviderFinding struct {
	Step, Text string
	IsOk       bool
}

const providerColumns = `p.id, p.name, p.label, p.issuer, p.client_id, p.client_secret, p.domains, p.groups_claim, p.creates_users, p.is_disabled,
	p.created_at, p.created_by, p.last_modified, p.last_modified_by`

func scanProvider(row store.Scanner) (*Provider, error) {
	var (
		p       Provider
		domains string
	)
	err := row.Scan(&p.ID, &p.Name, &p.Label, &p.Issuer, &p.ClientID, &p.secret, &domains, &p.GroupsClaim, &p.CreatesUsers, &p.IsDisabled,
		&p.CreatedAt, &p.CreatedBy, &p.LastModified, &p.LastModifiedBy)
	p.Domains = strings.Fields(domains)
	return &p, err
}

// providers keeps the sign-in providers of tenants. It is safe for concurrent use.
type providers struct {
	*changes
	store *store.Store
	vault *vault.Vault
	party Party
}

// Providers reads the providers of the tenant, by name.
func (s *providers) Providers(ctx context.Context) ([]*Provider, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return readProviders(ctx, s.store, tenantID, "", "")
}

// Provider returns the provider with a name; nil if the tenant has none.
func (s *providers) Provider(ctx context.Context, name string) (*Provider, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return readProvider(ctx, s.store, tenantID, name, "")
}

func readProvider(ctx context.Context, q store.Querier, tenantID int64, name, lock string) (*Provider, error) {
	found, err := readProviders(ctx, q, tenantID, " AND p.name = $2", lock, name)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// readProviders reads providers with their roles, which are few.
func readProviders(ctx context.Context, q store.Querier, tenantID int64, condition, lock string, args ...any) ([]*Provider, error) {
	found, err := store.Collect(ctx, q, scanProvider,
		"SELECT "+providerColumns+" FROM identity_provider p WHERE p.tenant_id = $1"+condition+" ORDER BY p.name"+lock, append([]any{tenantID}, args...)...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	_, err = store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var (
			id int64
			g  GroupRole
		)
		err := row.Scan(&id, &g.Group, &g.Role)
		if i := slices.IndexFunc(found, func(p *Provider) bool { return p.ID == id }); i >= 0 {
			found[i].Roles = append(found[i].Roles, g)
		}
		return struct{}{}, err
	}, `SELECT x.provider_id, x.group_name, r.name FROM identity_provider_role x JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id
		WHERE x.tenant_id = $1 ORDER BY x.group_name, r.name`, tenantID)
	return found, err
}

const providerTable = "identity_provider"

func providerSecret(tenantID, id int64) vault.Field {
	return vault.Field{TenantID: tenantID, Table: providerTable, Column: "client_secret", RowID: id}
}

// SealedColumns are all columns that the area encrypts.
func SealedColumns() []reencryption.Column {
	return []reencryption.Column{{Table: providerTable, Name: "client_secret"}}
}

// ProviderSecret returns our client secret at a provider; empty for none.
func (s *providers) ProviderSecret(ctx context.Context, p *Provider) (vault.Secret, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil || p.secret == nil {
		return "", err
	}
	plain, err := s.vault.Decrypt(ctx, providerSecret(tenantID, p.ID), p.secret)
	return vault.Secret(plain), err
}

// CheckProvider tries the provider with a name out.
func (s *providers) CheckProvider(ctx context.Context, name string) ([]*ProviderFinding, error) {
	p, err := s.Provider(ctx, name)
	if err == nil && p == nil {
		err = unknownProvider()
	}
	if err != nil {
		return nil, err
	}
	secret, err := s.ProviderSecret(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.party.CheckProvider(ctx, p, secret), nil
}

func unknownProvider() error {
	return problem.Missing(problem.NotFoundCode, "No sign-in provider has this name", "name")
}
