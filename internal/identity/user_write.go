package identity

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// UserInput is a new user, or a partial update of one.
type UserInput struct {
	// Username is the name of a new user, or the next one of a user; empty leaves it.
	Username                 string
	Password                 patch.Field[vault.Secret]
	Email, AgentCode, Status patch.Field[string]
	// ExternalID is sent by provisioning only.
	ExternalID patch.Field[string]
	// Roles are the names of all roles.
	Roles patch.Field[[]string]
}

// CreateUser adds a user. "status: Pending or Approved; the tenant default
// applies when omitted" (User).
func (s *Service) CreateUser(ctx context.Context, in UserInput) (user *User, err error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	c := inputCheck{least: t.MinPasswordLength}
	c.username(&in)
	c.input(&in)
	if !in.Status.Sent {
		in.Status = patch.Set(t.DefaultUserStatus)
	}
	if err := s.examine(ctx, &c, in, in.Username, in.Email.Value); err != nil {
		return nil, err
	}
	hash, err := s.hashed(ctx, &c, in)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		user, err = w.addUser(ctx, in, hash)
		return err
	})
	return user, err
}

// addUser adds a user whose input was checked; hash is nil for no password.
func (w *writing) addUser(ctx context.Context, in UserInput, hash *string) (*User, error) {
	links, refused, err := linksOf(ctx, w, w.Tenant.ID, in)
	if err := errors.Join(err, refused.Err()); err != nil {
		return nil, err
	}
	id, err := w.Insert(ctx, "identity_user", []string{"tenant_id", "username", "username_key", "email", "email_key", "status", "password_hash", "external_id",
		"created_at", "created_by", "last_modified", "last_modified_by"},
		w.Tenant.ID, in.Username, searchKey(in.Username), in.Email.Value, emailKey(in.Email.Value), *in.Status.Value, hash, in.ExternalID.Value,
		w.Now, w.Initiator, w.Now, w.Initiator)
	if err != nil {
		return nil, duplicate(err)
	}
	if err := errors.Join(w.notAClient(ctx, in.Username), w.linkAll(ctx, id, links)); err != nil {
		return nil, err
	}
	w.changed(userEntity, in.Username, in.sent()...)
	if w.events = []string{events.UserCreated}; *in.Status.Value == Approved {
		w.events = append(w.events, events.UserApproved)
	}
	return readUser(ctx, w, "u.id = $2", w.Tenant.ID, id)
}

// hashed returns the hash of an input's password, nil for none, unless a problem was
// found.
func (s *Service) hashed(ctx context.Context, c *inputCheck, in UserInput) (*string, error) {
	if err := c.Err(); err != nil || in.Password.Value == nil {
		return nil, err
	}
	hash, err := s.hasher.hash(ctx, *in.Password.Value)
	return &hash, err
}

// UpdateUser changes the user with a name. If nothing differs, changed is false and
// nothing is written. A password always counts as a change.
func (s *Service) UpdateUser(ctx context.Context, username string, in UserInput) (user *User, changed bool, err error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, false, tenant.ErrNone
	}
	c := inputCheck{least: t.MinPasswordLength}
	if in.Username != "" {
		c.username(&in)
	}
	c.input(&in)
	if err := s.examineChange(ctx, &c, in, username); err != nil {
		return nil, false, err
	}
	hash, err := s.hashed(ctx, &c, in)
	if err != nil {
		return nil, false, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		before, err := w.lockUser(ctx, username)
		if err != nil {
			return err
		}
		r := &revision{user: before, in: in, hash: hash}
		if err := r.apply(ctx, w); err != nil {
			return err
		}
		changed = len(r.fields) > 0
		user, err = readUser(ctx, w, "u.id = $2", w.Tenant.ID, before.ID)
		return err
	})
	return user, changed, err
}

// lockUser locks the user that the request names.
func (w *writing) lockUser(ctx context.Context, username string) (*User, error) {
	var id int64
	found, err := store.One(ctx, w, []any{&id},
		"SELECT u.id FROM identity_user u WHERE u.tenant_id = $1 AND u.username_key = $2"+w.ForUpdate(), w.Tenant.ID, searchKey(username))
	if err == nil && !found {
		err = unknownUser()
	}
	if err != nil {
		return nil, err
	}
	user, err := readUser(ctx, w, "u.id = $2", w.Tenant.ID, id)
	if err != nil {
		return nil, err
	}
	return user, w.CheckVersion(ctx, user.LastModified)
}

// revision is a change of a user.
type revision struct {
	user   *User
	in     UserInput
	hash   *string
	fields []string
}

// apply writes what differs from the stored user.
func (r *revision) apply(ctx context.Context, w *writing) error {
	email, status := r.in.Email.Or(r.user.Email), *r.in.Status.Or(&r.user.Status)
	links, err := r.compare(ctx, w, email, status)
	if err != nil || len(r.fields) == 0 {
		return err
	}
	name := cmp.Or(r.in.Username, r.user.Username)
	w.changed(userEntity, name, r.fields...)
	if name != r.user.Username {
		w.before = r.user.Username
	}
	if w.events = []string{events.UserUpdated}; status == Approved && r.user.Status != Approved {
		w.events = append(w.events, events.UserApproved)
	}
	_, err = w.Exec(ctx, `UPDATE identity_user SET status = $1, email = $2, email_key = $3, password_hash = coalesce($4, password_hash),
			external_id = $5, username = $6, username_key = $7, last_modified = $8, last_modified_by = $9
		WHERE tenant_id = $10 AND id = $11`, status, email, emailKey(email), r.hash, r.in.ExternalID.Or(r.user.ExternalID), name, searchKey(name), w.Now, w.Initiator, w.Tenant.ID, r.user.ID)
	if err != nil {
		return duplicate(err)
	}
	if w.before != "" {
		if err := w.notAClient(ctx, name); err != nil {
			return err
		}
	}
	if r.hash != nil || status != Approved {
		if _, err := w.endSessions(ctx, r.user.ID); err != nil {
			return err
		}
	}
	return w.relink(ctx, r.user.ID, r.fields, links)
}

// compare returns the names of the fields that differ, and the rows that the input refers
// to.
func (r *revision) compare(ctx context.Context, w *writing, email *string, status string) (to links, err error) {
	to, refused, err := linksOf(ctx, w, w.Tenant.ID, r.in)
	if err != nil {
		return to, err
	}
	if r.in.Password.Value != nil {
		refused.Add(personalProblem(*r.in.Password.Value, cmp.Or(r.in.Username, r.user.Username), email))
	}
	if err := refused.Err(); err != nil {
		return to, err
	}
	roles, err := w.roleIDs(ctx, r.user.ID)
	if err != nil {
		return to, err
	}
	if !r.in.Roles.Sent {
		to.roleIDs = roles
	}
	if err := r.leavesAdministrator(ctx, w, status, roles, to.roleIDs); err != nil {
		return to, err
	}
	r.note("username", r.in.Username != "" && r.in.Username != r.user.Username)
	r.note("password", r.hash != nil)
	r.note("email", !same(email, r.user.Email))
	r.note("agentCode", r.in.AgentCode.Sent && !same(to.agentID, r.user.AgentID))
	r.note("roles", !slices.Equal(to.roleIDs, roles))
	r.note("status", status != r.user.Status)
	r.note("externalId", !same(r.in.ExternalID.Or(r.user.ExternalID), r.user.ExternalID))
	return to, nil
}

func (r *revision) note(field string, changes bool) {
	if changes {
		r.fields = append(r.fields, field)
	}
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

func emailKey(email *string) *string {
	if email == nil {
		return nil
	}
	key := searchKey(*email)
	return &key
}

// duplicate turns the database's refusal of a second user with a name or an e-mail
// address into a problem. The database decides, so that two concurrent requests cannot
// both succeed.
func duplicate(err error) error {
	switch {
	case dberror.IsUniqueViolation(err, "identity_user_username", "identity_user.tenant_id, identity_user.username_key"):
		return problem.Clash(problem.DuplicateKey, "Another user has this username", "username")
	case dberror.IsUniqueViolation(err, "identity_user_email", "identity_user.tenant_id, identity_user.email_key"):
		return problem.Clash(problem.DuplicateKey, "Another user has this e-mail address", "email")
	case dberror.IsUniqueViolation(err, "identity_user_external", "identity_user.tenant_id, identity_user.external_id"):
		return problem.Clash(problem.DuplicateKey, "Another user has this external id", "externalId")
	}
	return err
}
