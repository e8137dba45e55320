package identity

import (
	"cmp"
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// examine checks a password together with everything else in an input before it is
// hashed. So a password that cannot be set costs no hash, and all problems are reported
// at once. The change checks again, with its rows locked.
func (s *Service) examine(ctx context.Context, c *inputCheck, in UserInput, username string, email *string) error {
	if in.Password.Value == nil && c.Err() == nil {
		return nil // the change does it all
	}
	if in.Password.Value != nil {
		c.Add(personalProblem(*in.Password.Value, username, email))
	}
	_, refused, err := linksOf(ctx, s.Store, tenant.From(ctx).ID, in)
	c.Add(refused...)
	return err
}

// examineChange is examine for the user with a name, who must exist and have the version
// that the request demands.
func (s *Service) examineChange(ctx context.Context, c *inputCheck, in UserInput, username string) error {
	if in.Password.Value == nil && c.Err() == nil {
		return nil
	}
	user, err := s.User(ctx, username)
	switch {
	case err != nil:
		return err
	case user == nil && c.Err() == nil:
		return unknownUser()
	case user == nil:
		return nil
	}
	if err := s.examine(ctx, c, in, cmp.Or(in.Username, user.Username), in.Email.Or(user.Email)); err != nil || c.Err() != nil {
		return err
	}
	return version.Check(ctx, user.LastModified)
}

// notAClient refuses a new username that is the id of a client which may act in the
// tenant: both are subjects of tokens, and "the authorization server should prevent" that
// one passes for the other (RFC 9068, 5). It is called after the user's row was inserted,
// so either it sees a client that is added meanwhile, or that client sees the row.
func (w *writing) notAClient(ctx context.Context, username string) error {
	var one int
	taken, err := store.One(ctx, w, []any{&one}, "SELECT 1 FROM identity_client WHERE (tenant_id = $1 OR tenant_id IS NULL) AND lower(client_id) = $2",
		w.Tenant.ID, searchKey(username))
	if err == nil && taken {
		err = problem.Clash(problem.DuplicateKey, "An API client has this id", "username")
	}
	return err
}

// leavesAdministrator refuses to remove the last user who can administer the agency:
// nobody in it could give the role back. Roles are locked after users, and whoever
// removes an administrator locks the role; so of two users who make each other Pending at
// once, the later is refused.
func (r *revision) leavesAdministrator(ctx context.Context, w *writing, status string, before, after []int64) error {
	if r.user.Status != Approved || status == Approved && slices.Equal(before, after) {
		return nil
	}
	var role int64
	found, err := store.One(ctx, w, []any{&role}, "SELECT id FROM identity_role WHERE tenant_id = $1 AND name = $2"+w.ForUpdate(), w.Tenant.ID, administrator)
	if err != nil || !found || !slices.Contains(before, role) || status == Approved && slices.Contains(after, role) {
		return err
	}
	var others int
	_, err = store.One(ctx, w, []any{&others}, `SELECT count(*) FROM identity_user_role x JOIN identity_user u ON u.tenant_id = x.tenant_id AND u.id = x.user_id
		WHERE x.tenant_id = $1 AND x.role_id = $2 AND x.user_id <> $3 AND u.status = $4`, w.Tenant.ID, role, r.user.ID, Approved)
	if err != nil || others > 0 {
		return err
	}
	field := "roles"
	if status != Approved {
		field = "status"
	}
	return problem.Clash(problem.LastAdministrator, "The user is the last Approved one with the role Administrator", field)
}
