package identity

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

// ProviderInput is a new provider, or a partial update of one.
type ProviderInput struct {
	// Name, Issuer and ClientID are only for a new provider: subjects are those of one
	// client at one issuer, and links to them would lead to other people.
	Name, Issuer, ClientID string
	Label                  patch.Field[string]
	// ClientSecret is none if it is null.
	ClientSecret patch.Field[vault.Secret]
	Domains      patch.Field[[]string]
	// GroupsClaim is defaultGroups if it is null.
	GroupsClaim              patch.Field[string]
	Roles                    patch.Field[[]GroupRole]
	CreatesUsers, IsDisabled patch.Field[bool]
}

const (
	providerEntity = "SignInProvider"
	// maxProviders limits the providers of a tenant, maxDomains and maxGroups what one has.
	maxProviders = 20
	maxDomains   = 50
	maxGroups    = 200
	// maxClaim limits names of claims, clients and groups, and maxIssuer addresses, in
	// characters.
	maxClaim  = 200
	maxIssuer = 500

	defaultGroups = "groups"
)

var (
	providerPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	domainPattern   = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`)
)

// newProvider checks what only a new provider has.
func (c *inputCheck) newProvider(s *providers, in *ProviderInput) {
	c.Form(in.Name, providerPattern, "must consist of 1 to 32 lower-case letters, digits and dashes", "name")
	if in.ClientID = strings.TrimSpace(in.ClientID); in.ClientID == "" {
		c.Refuse(problem.Required, "is required", "clientId")
	} else if len(in.ClientID) > maxClaim {
		c.TooLong(maxClaim, "clientId")
	}
	if len(in.Issuer) > maxIssuer {
		c.TooLong(maxIssuer, "issuer")
	} else if text := s.party.IssuerProblem(in.Issuer); text != "" {
		c.Refuse(problem.InvalidFormat, text, "issuer")
	}
	in.Label = patch.Set(cmp.Or(strings.TrimSpace(orEmpty(in.Label.Value)), in.Name))
}

// provider checks what a new provider and an update have in common.
func (c *inputCheck) provider(in *ProviderInput) {
	c.NotNull(in.Label, "label")
	if in.Label.Value != nil {
		in.Label = patch.Set(c.Name(*in.Label.Value, maxName, "label"))
	}
	if secret := in.ClientSecret.Value; secret != nil && (*secret == "" || len(*secret) > maxIssuer) {
		c.Refuse(problem.InvalidFormat, "must have 1 to "+strconv.Itoa(maxIssuer)+" characters", "clientSecret")
	}
	if in.GroupsClaim.Sent {
		in.GroupsClaim = patch.Set(cmp.Or(strings.TrimSpace(orEmpty(in.GroupsClaim.Value)), defaultGroups))
		if len(*in.GroupsClaim.Value) > maxClaim {
			c.TooLong(maxClaim, "groupsClaim")
		}
	}
	c.NotNull(in.CreatesUsers, "createsUsers")
	c.NotNull(in.IsDisabled, "isDisabled")
	c.NotNull(in.Domains, "domains")
	c.NotNull(in.Roles, "roles")
	if in.Domains.Value != nil && c.AtMost(len(*in.Domains.Value), maxDomains, "domains", "domains") {
		domains := slices.Clone(*in.Domains.Value)
		for i, domain := range domains {
			domains[i] = strings.ToLower(strings.TrimSpace(domain))
			c.Form(domains[i], domainPattern, "must be a domain such as example.com", "domains", strconv.Itoa(i))
		}
		slices.Sort(domains)
		in.Domains = patch.Set(slices.Compact(domains))
	}
	if in.Roles.Value != nil && c.AtMost(len(*in.Roles.Value), maxGroups, "groups", "roles") {
		for i, g := range *in.Roles.Value {
			if g.Group == "" || len(g.Group) > maxClaim {
				c.Refuse(problem.InvalidFormat, "must have 1 to "+strconv.Itoa(maxClaim)+" characters", "roles", strconv.Itoa(i), "group")
			}
		}
	}
}

// CreateProvider adds a provider.
func (s *providers) CreateProvider(ctx context.Context, in ProviderInput) (p *Provider, err error) {
	var c inputCheck
	c.newProvider(s, &in)
	c.provider(&in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if _, err := w.lockTenant(ctx); err != nil {
			return err
		}
		if err := change.Below(ctx, w.Tx, maxProviders, "A tenant has at most 20 sign-in providers", "SELECT count(*) FROM identity_provider WHERE tenant_id = $1", w.Tenant.ID); err != nil {
			return err
		}
		id, err := w.Insert(ctx, providerTable, []string{"tenant_id", "name", "label", "issuer", "client_id", "domains", "groups_claim", "creates_users", "is_disabled",
			"created_at", "created_by", "last_modified", "last_modified_by"},
			w.Tenant.ID, in.Name, "", in.Issuer, in.ClientID, "", defaultGroups, false, false, w.Now, w.Initiator, w.Now, w.Initiator)
		if dberror.IsUniqueViolation(err, "identity_provider_tenant_id_name_key", "identity_provider.tenant_id, identity_provider.name") {
			return problem.Clash(problem.DuplicateKey, "Another sign-in provider has this name", "name")
		}
		if err != nil {
			return err
		}
		p = &Provider{ID: id, Name: in.Name, GroupsClaim: defaultGroups}
		fields, err := w.reviseProvider(ctx, s.vault, p, in)
		if err != nil {
			return err
		}
		w.changed(providerEntity, in.Name, append(fields, "clientId", "issuer")...)
		p, err = readProvider(ctx, w, w.Tenant.ID, in.Name, "")
		return err
	})
	return p, err
}

// UpdateProvider changes the provider with a name. If nothing differs, changed is false
// and nothing is written; a secret always counts as a change. When it is disabled, all
// that began with it ends.
func (s *providers) UpdateProvider(ctx context.Context, name string, in ProviderInput) (p *Provider, changed bool, err error) {
	var c inputCheck
	if c.provider(&in); c.Err() != nil {
		return nil, false, c.Err()
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if p, err = w.lockProvider(ctx, name, is(in.IsDisabled)); err != nil {
			return err
		}
		fields, err := w.reviseProvider(ctx, s.vault, p, in)
		if changed = len(fields) > 0; err != nil || !changed {
			return err
		}
		w.changed(providerEntity, name, fields...)
		if p.IsDisabled {
			if err := w.endProvided(ctx, p.ID); err != nil {
				return err
			}
		}
		p, err = readProvider(ctx, w, w.Tenant.ID, name, "")
		return err
	})
	return p, changed, err
}

// DeleteProvider removes the provider with a name, with its links to users, who stay, and
// ends all that began with it.
func (s *providers) DeleteProvider(ctx context.Context, name string) error {
	return s.write(ctx, func(ctx context.Context, w *writing) error {
		p, err := w.lockProvider(ctx, name, true)
		if err != nil {
			return err
		}
		w.changed(providerEntity, name)
		if err := w.endProvided(ctx, p.ID); err != nil {
			return err
		}
		_, err = w.Exec(ctx, "DELETE FROM identity_provider WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, p.ID)
		return err
	})
}

// lockTenant locks the tenant against changes of its settings, and reports whether people
// sign in with passwords.
func (w *writing) lockTenant(ctx context.Context) (passwords bool, err error) {
	_, err = store.One(ctx, w, []any{&passwords}, "SELECT password_sign_in FROM tenant WHERE id = $1"+w.ForUpdate(), w.Tenant.ID)
	return passwords, err
}

// lockProvider locks a provider. It refuses to lose the last way to sign in.
func (w *writing) lockProvider(ctx context.Context, name string, lose bool) (*Provider, error) {
	passwords, err := w.lockTenant(ctx)
	if err != nil {
		return nil, err
	}
	p, err := readProvider(ctx, w, w.Tenant.ID, name, w.ForDelete())
	if err == nil && p == nil {
		err = unknownProvider()
	}
	if err == nil {
		err = w.CheckVersion(ctx, p.LastModified)
	}
	if err != nil || !lose || passwords || p.IsDisabled {
		return p, err
	}
	var others int
	_, err = store.One(ctx, w, []any{&others}, "SELECT count(*) FROM identity_provider WHERE tenant_id = $1 AND id <> $2 AND is_disabled = $3", w.Tenant.ID, p.ID, false)
	if err == nil && others == 0 {
		err = problem.Clash(problem.ReferenceInUse, "It is the last way to sign in: let people sign in with passwords first", "name")
	}
	return p, err
}

// endProvided ends the sessions that a provider began, and what was granted from them.
func (w *writing) endProvided(ctx context.Context, providerID int64) error {
	for _, table := range []string{"identity_session", "identity_grant"} {
		if _, err := w.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1 AND provider_id = $2", w.Tenant.ID, providerID); err != nil {
			return err
		}
	}
	return nil
}

// reviseProvider stores what was sent, and returns the names of the fields that differ.
func (w *writing) reviseProvider(ctx context.Context, v *vault.Vault, p *Provider, in ProviderInput) (fields []string, err error) {
	note := func(name string, differs bool) {
		if differs {
			fields = append(fields, name)
		}
	}
	label, claim, creates, disabled := *in.Label.Or(&p.Label), *in.GroupsClaim.Or(&p.GroupsClaim), *in.CreatesUsers.Or(&p.CreatesUsers), *in.IsDisabled.Or(&p.IsDisabled)
	domains, roles := *in.Domains.Or(&p.Domains), *in.Roles.Or(&p.Roles)
	slices.SortFunc(roles, func(a, b GroupRole) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Role, b.Role)) })
	roles = slices.Compact(roles)
	note("label", label != p.Label)
	note("groupsClaim", claim != p.GroupsClaim)
	note("createsUsers", creates != p.CreatesUsers)
	note("isDisabled", disabled != p.IsDisabled)
	note("domains", !slices.Equal(domains, p.Domains))
	note("clientSecret", in.ClientSecret.Value != nil || in.ClientSecret.Sent && p.HasSecret())
	note("roles", !slices.Equal(roles, p.Roles))
	if slices.Contains(fields, "domains") {
		if err := w.freeDomains(ctx, p.ID, domains); err != nil {
			return nil, err
		}
	}
	if slices.Contains(fields, "clientSecret") {
		p.secret = nil
		if secret := in.ClientSecret.Value; secret != nil {
			if p.secret, err = v.Encrypt(ctx, providerSecret(w.Tenant.ID, p.ID), secret.Reveal()); err != nil {
				return nil, err
			}
		}
	}
	if slices.Contains(fields, "roles") {
		if err := w.mapGroups(ctx, p.ID, roles); err != nil {
			return nil, err
		}
	}
	if p.IsDisabled = disabled; len(fields) == 0 {
		return nil, nil
	}
	_, err = w.Exec(ctx, `UPDATE identity_provider SET label = $1, groups_claim = $2, creates_users = $3, is_disabled = $4, domains = $5, client_secret = $6,
		last_modified = $7, last_modified_by = $8 WHERE tenant_id = $9 AND id = $10`,
		label, claim, creates, disabled, strings.Join(domains, " "), p.secret, w.Now, w.Initiator, w.Tenant.ID, p.ID)
	return fields, err
}

// freeDomains refuses a domain of another provider: an e-mail address leads to one.
func (w *writing) freeDomains(ctx context.Context, id int64, domains []string) error {
	all, err := readProviders(ctx, w, w.Tenant.ID, "", "")
	if err != nil {
		return err
	}
	var refused problem.List
	for i, domain := range domains {
		if slices.ContainsFunc(all, func(p *Provider) bool { return p.ID != id && slices.Contains(p.Domains, domain) }) {
			refused.Add(problem.Clash(problem.DuplicateKey, "Another sign-in provider has this domain", "domains", strconv.Itoa(i)))
		}
	}
	return refused.Err()
}

// mapGroups replaces the roles of groups.
func (w *writing) mapGroups(ctx context.Context, id int64, roles []GroupRole) error {
	if _, err := w.Exec(ctx, "DELETE FROM identity_provider_role WHERE tenant_id = $1 AND provider_id = $2", w.Tenant.ID, id); err != nil {
		return err
	}
	names := make([]string, len(roles))
	for i, g := range roles {
		names[i] = g.Role
	}
	byName, err := rolesNamed(ctx, w, w.Tenant.ID, names)
	if err != nil {
		return err
	}
	for i, g := range roles {
		roleID, ok := byName[g.Role]
		if !ok {
			return problem.Invalid(problem.UnknownRole, "There is no role of this name", "roles", strconv.Itoa(i), "role")
		}
		if _, err := w.Exec(ctx, "INSERT INTO identity_provider_role (tenant_id, provider_id, group_name, role_id) VALUES ($1, $2, $3, $4)", w.Tenant.ID, id, g.Group, roleID); err != nil {
			return err
		}
	}
	return nil
}
