package identity

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// requestLifetime is how long a person may take at a provider.
const requestLifetime = 15 * time.Minute

// Proof are texts that only the browser which began a sign-in and this service can make.
type Proof struct{ State, Nonce, Verifier string }

func (s *entrance) proof(state, browser string) Proof {
	made := func(purpose string) string {
		return base64.RawURLEncoding.EncodeToString(s.mac(purpose, state, browser))
	}
	return Proof{State: state, Nonce: made("provider nonce"), Verifier: made("provider verifier")}
}

// Leave notes that a browser, known by a secret of its own, goes to a provider to sign in
// and goes on to target afterwards.
func (s *entrance) Leave(ctx context.Context, p *Provider, browser, target string) (Proof, error) {
	t := tenant.From(ctx)
	if t == nil {
		return Proof{}, tenant.ErrNone
	}
	proof := s.proof(s.NewSecret(), browser)
	return proof, s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO identity_provider_request (tenant_id, state_hash, provider_id, browser_hash, target, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6)`, t.ID, s.HashSecret(proof.State), p.ID, s.HashSecret(browser), target, s.clock.Now().Add(requestLifetime))
		return err
	})
}

// Return ends what Leave began, once; ok is false for a browser that did not leave with
// this state for this provider, or too long ago.
func (s *entrance) Return(ctx context.Context, p *Provider, browser, state string) (proof Proof, target string, ok bool, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil || browser == "" || state == "" {
		return proof, "", false, err
	}
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		ok, err = store.One(ctx, tx, []any{&target}, `DELETE FROM identity_provider_request
			WHERE tenant_id = $1 AND state_hash = $2 AND provider_id = $3 AND browser_hash = $4 AND expires_at > $5 RETURNING target`,
			tenantID, s.HashSecret(state), p.ID, s.HashSecret(browser), s.clock.Now())
		return err
	})
	return s.proof(state, browser), target, ok, err
}

// Arrival is a person whom a provider has signed in.
type Arrival struct {
	Subject, SessionID, Email, Username string
	// EmailVerified is nil if the provider does not say.
	EmailVerified *bool
	Groups        []string
	// Previous is the secret of the browser's session; it may be empty.
	Previous string
}

// Unwelcome refuses a person whom a provider has signed in, in words for the person.
type Unwelcome struct{ Text string }

// Error implements error.
func (u *Unwelcome) Error() string { return "identity: " + u.Text }

// Arrive signs in the user who is a subject of a provider to us: the one it is linked to,
// or else the one with the e-mail address that the provider vouches for, or else a new
// one. The roles of the provider's table are given and taken as the person's groups say.
// It refuses with *Unwelcome.
func (s *entrance) Arrive(ctx context.Context, p *Provider, a Arrival) (*Entered, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	if err := s.vault.Prepare(ctx, t.ID); err != nil {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	caller.Subject = p.Name + ":" + a.Subject
	user, err := s.met(tenant.WithCaller(ctx, caller), p, a)
	if err == nil && user.Status != Approved {
		err = &Unwelcome{"Your account is not approved. Ask whoever administers your agency."}
	}
	if list := problem.From(err); len(list) > 0 {
		err = &Unwelcome{"You could not be signed in: " + list[0].Message + ". Ask whoever administers your agency."}
	}
	var refused *Unwelcome
	if errors.As(err, &refused) {
		return nil, errors.Join(err, s.recordRefusal(ctx, usernameOf(user), false))
	}
	if err != nil {
		return nil, err
	}
	entered := new(Entered)
	return entered, s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		var one int
		enabled, err := store.One(ctx, tx, []any{&one}, "SELECT 1 FROM identity_provider WHERE tenant_id = $1 AND id = $2 AND is_disabled = $3"+tx.ForShare(), t.ID, p.ID, false)
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, "UPDATE identity_user SET last_sign_in_at = $1 WHERE tenant_id = $2 AND id = $3 AND status = $4", s.clock.Now(), t.ID, user.ID, Approved)
		if err == nil && (n == 0 || !enabled) {
			err = ErrRefused
		}
		if err != nil {
			return err
		}
		if _, err := endSession(ctx, tx, t.ID, s.HashSecret(a.Previous)); err != nil {
			return err
		}
		by := begunBy{providerID: &p.ID}
		if a.SessionID != "" {
			by.sid = &a.SessionID
		}
		if entered.Session, entered.Secret, err = s.startSession(ctx, tx, user, by); err != nil {
			return err
		}
		entered.Device = s.newDevice(t.Identifier, user.Username)
		return s.recordEntry(ctx, tx, signedInOperation, sessionEntity, user.Username)
	})
}

func usernameOf(u *User) string {
	if u == nil {
		return ""
	}
	return u.Username
}

const linkedTo = "u.id = (SELECT l2.user_id FROM identity_provider_user l2 WHERE l2.tenant_id = u.tenant_id AND l2.provider_id = $2 AND l2.subject = $3)"

// met finds or makes the user of an arrival. It writes only if something changes.
func (s *entrance) met(ctx context.Context, p *Provider, a Arrival) (user *User, err error) {
	tenantID := tenant.From(ctx).ID
	if user, err = readUser(ctx, s.store, linkedTo, tenantID, p.ID, a.Subject); err != nil {
		return nil, err
	}
	if user != nil {
		all, err := readProviders(ctx, s.store, tenantID, "", "")
		if err == nil && domains(all).isForeign(p, orEmpty(user.Email)) {
			err = errForeign
		}
		if err != nil {
			return user, err
		}
		if _, same, err := rolesBy(ctx, s.store, tenantID, user, p, a); err != nil || same || user.Status != Approved {
			return user, err
		}
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if user, err = linked(ctx, w, p, a); err != nil || user.Status != Approved {
			return err
		}
		roles, same, err := rolesBy(ctx, w, tenantID, user, p, a)
		if err != nil || same {
			return err
		}
		return (&revision{user: user, in: UserInput{Roles: patch.Set(roles)}}).apply(ctx, w)
	})
	return user, err
}

// linked returns the user who is linked to an arrival, locked, and links one if nobody is.
func linked(ctx context.Context, w *writing, p *Provider, a Arrival) (*User, error) {
	user, err := readUser(ctx, w, linkedTo, w.Tenant.ID, p.ID, a.Subject)
	if err == nil && user != nil {
		return w.lockUser(ctx, user.Username)
	}
	var all domains
	if err == nil {
		all, err = readProviders(ctx, w, w.Tenant.ID, "", "")
	}
	vouched := all.speaks(p, a.Email) && a.vouched(p)
	if err == nil && vouched {
		user, err = readUser(ctx, w, "u.email_key = $2", w.Tenant.ID, searchKey(a.Email))
	}
	switch {
	case err != nil:
		return nil, err
	case user != nil:
		if user, err = w.lockUser(ctx, user.Username); err != nil {
			return nil, err
		}
		w.changed(userEntity, user.Username, "signInProvider")
	case all.isForeign(p, a.Email):
		return nil, errForeign
	case !p.CreatesUsers && !all.speaks(p, a.Email):
		return nil, &Unwelcome{"No sign-in provider of this agency has the domain of your e-mail address, so none vouches for it. Ask whoever administers your agency to give the provider its domains."}
	case !p.CreatesUsers:
		return nil, &Unwelcome{"No user of this agency has the e-mail address that the provider vouches for. Ask whoever administers your agency to add you."}
	case newUsername(a) == "":
		return nil, &Unwelcome{"The provider tells neither your name nor your e-mail address. Ask whoever administers it."}
	case strings.Contains(newUsername(a), "@") && !all.speaks(p, newUsername(a)): // provisioning would take it for the person of that address
		return nil, &Unwelcome{"The provider calls you by an e-mail address of a domain that is not its own. Ask whoever administers your agency."}
	default:
		in := UserInput{Username: newUsername(a), Status: patch.Set(Approved)}
		if vouched {
			in.Email = patch.Set(a.Email)
		}
		var c inputCheck
		c.username(&in)
		if c.input(&in); c.Err() != nil {
			return nil, c.Err()
		}
		if user, err = w.addUser(ctx, in, nil); err != nil {
			return nil, err
		}
	}
	var one int
	other, err := store.One(ctx, w, []any{&one}, "SELECT 1 FROM identity_provider_user WHERE tenant_id = $1 AND provider_id = $2 AND user_id = $3", w.Tenant.ID, p.ID, user.ID)
	if err == nil && other { // the address was another person's before
		err = &Unwelcome{"The user with your e-mail address is somebody else at the provider. Ask whoever administers your agency."}
	}
	if err == nil {
		_, err = w.Exec(ctx, "INSERT INTO identity_provider_user (tenant_id, provider_id, subject, user_id, created_at) VALUES ($1, $2, $3, $4, $5)",
			w.Tenant.ID, p.ID, a.Subject, user.ID, w.Now)
	}
	return user, err
}

// newUsername is the name of a new user: what the provider calls the person, or else the
// e-mail address.
func newUsername(a Arrival) string {
	if a.Username != "" {
		return a.Username
	}
	return a.Email
}

// vouched reports whether a provider that speaks for the address of an arrival says that it
// is the person's: it has verified it, or, if it does not say, has the domain.
func (a Arrival) vouched(p *Provider) bool {
	if a.EmailVerified != nil {
		return a.Email != "" && *a.EmailVerified
	}
	return slices.Contains(p.Domains, domainOf(a.Email))
}

// domainOf is the domain of an e-mail address, in the form in which addresses are compared;
// empty for none.
func domainOf(address string) string {
	at := strings.LastIndex(address, "@")
	if at < 0 {
		return ""
	}
	return searchKey(address[at+1:])
}

// domains are all providers of an agency, disabled ones included, as those whose domains say
// for which addresses each speaks.
type domains []*Provider

// owner returns the provider that has the domain of an address; nil for none.
func (all domains) owner(address string) *Provider {
	for _, p := range all {
		if slices.Contains(p.Domains, domainOf(address)) {
			return p
		}
	}
	return nil
}

// isForeign reports whether another provider has the domain of an address.
func (all domains) isForeign(p *Provider, address string) bool {
	owner := all.owner(address)
	return owner != nil && owner.ID != p.ID
}

// speaks reports whether what a provider says of an address counts: it has the domain, or
// nobody has it and there is no other provider. Otherwise one provider could sign people in
// as those of another one.
func (all domains) speaks(p *Provider, address string) bool {
	owner := all.owner(address)
	return owner != nil && owner.ID == p.ID || owner == nil && len(all) == 1
}

// errForeign refuses whoever comes with another provider than that of their address, also
// where they were linked before the other one had the domain.
var errForeign = &Unwelcome{"Your e-mail address is of a domain of another sign-in provider of your agency. Sign in with that one."}

// rolesBy returns the roles that a user holds after an arrival; same if they are those of
// now. Roles that no group of the provider gives stay.
func rolesBy(ctx context.Context, q store.Querier, tenantID int64, user *User, p *Provider, a Arrival) (roles []string, same bool, err error) {
	held, err := store.Collect(ctx, q, store.ScanOne[string], `SELECT r.name FROM identity_user_role x JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id
		WHERE x.tenant_id = $1 AND x.user_id = $2 ORDER BY r.name`, tenantID, user.ID)
	for _, name := range held {
		if !slices.ContainsFunc(p.Roles, func(g GroupRole) bool { return g.Role == name }) {
			roles = append(roles, name)
		}
	}
	for _, g := range p.Roles {
		if slices.Contains(a.Groups, g.Group) {
			roles = append(roles, g.Role)
		}
	}
	slices.Sort(roles)
	roles = slices.Compact(roles)
	slices.Sort(held)
	return roles, slices.Equal(roles, held), err
}

// Depart ends what a provider began for a subject, or only a session of it by the
// provider's name for that, as far as it began before a time (OpenID Connect Back-Channel
// Logout §2.7).
func (s *entrance) Depart(ctx context.Context, p *Provider, subject, sid string, before time.Time) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	if err := s.vault.Prepare(ctx, t.ID); err != nil {
		return err
	}
	defer s.Reread()
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		var gone []int64
		for _, table := range []string{"identity_session", "identity_grant"} {
			var q store.SQL
			q.Write("DELETE FROM "+table+" WHERE tenant_id = ? AND provider_id = ?", t.ID, p.ID)
			began := "created_at"
			if table == "identity_grant" {
				began = "signed_in_at"
			}
			q.Write(" AND "+began+" <= ?", before)
			if sid != "" {
				q.Write(" AND provider_sid = ?", sid)
			}
			if subject != "" {
				q.Write(" AND user_id = (SELECT user_id FROM identity_provider_user WHERE tenant_id = ? AND provider_id = ? AND subject = ?)", t.ID, p.ID, subject)
			}
			users, err := store.Collect(ctx, tx, store.ScanOne[int64], q.Text()+" RETURNING user_id", q.Args()...)
			if err != nil {
				return err
			}
			gone = append(gone, users...)
		}
		slices.Sort(gone)
		for _, id := range slices.Compact(gone) {
			user, err := readUser(ctx, tx, "u.id = $2", t.ID, id)
			if err == nil && user != nil {
				err = s.recordEntry(ctx, tx, signedOutOperation, sessionEntity, user.Username)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
