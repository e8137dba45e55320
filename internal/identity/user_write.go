package identity

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// CreateUser adds a user. "status: Pending or Approved; the tenant default
// applies when omitted" (User).
func (s *users) CreateUser(ctx context.Context, in UserInput) (user *User, err error) {
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
func (s *users) hashed(ctx context.Context, c *inputCheck, in UserInput) (*string, error) {
	if err := c.Err(); err != nil || in.Password.Value == nil {
		return nil, err
	}
	hash, err := s.hasher.hash(ctx, *in.Password.Value)
	return &hash, err
}

// UpdateUser changes the user with a name. If nothing differs, changed is false and
// nothing is written. A password always counts as a change.
func (s *users) UpdateUser(ctx context.Context, username string, in UserInput) (user *User, changed bool, err error) {
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

// examine checks a password together with everything else in an input before it is
// hashed. So a password that cannot be set costs no hash, and all problems are reported
// at once. The change checks again, with its rows locked.
func (s *users) examine(ctx context.Context, c *inputCheck, in UserInput, username string, email *string) error {
	if in.Password.Value == nil && c.Err() == nil {
		return nil // the change does it all
	}
	if in.Password.Value != nil {
		c.Add(personalProblem(*in.Password.Value, username, email))
	}
	_, refused, err := linksOf(ctx, s.store, tenant.From(ctx).ID, in)
	c.Add(refused...)
	return err
}

// examineChange is examine for the user with a name, who must exist and have the version
// that the request demands.
func (s *users) examineChange(ctx context.Context, c *inputCheck, in UserInput, username string) error {
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

// links are the rows that an input refers to.
type links struct {
	// agentID is nil for none.
	agentID *int64
	// roleIDs are sorted.
	roleIDs []int64
}

// linksOf finds the agent and the roles of an input; all that do not exist are refused
// together.
func linksOf(ctx context.Context, q store.Querier, tenantID int64, in UserInput) (found links, refused problem.List, err error) {
	if code := in.AgentCode.Value; code != nil {
		var id int64
		exists, err := store.One(ctx, q, []any{&id}, "SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2", tenantID, *code)
		if err != nil {
			return found, nil, err
		}
		if found.agentID = &id; !exists {
			refused.Add(problem.Invalid(problem.UnknownAgent, "No agent has this agent code", "agentCode"))
		}
	}
	if names := in.Roles.Value; names != nil {
		byName, err := rolesNamed(ctx, q, tenantID, *names)
		if err != nil {
			return found, nil, err
		}
		for i, name := range *names {
			id, ok := byName[name]
			if !ok {
				refused.Add(problem.Invalid(problem.UnknownRole, "There is no role of this name", "roles", strconv.Itoa(i)))
			}
			found.roleIDs = append(found.roleIDs, id)
		}
		slices.Sort(found.roleIDs)
		found.roleIDs = slices.Compact(found.roleIDs)
	}
	return found, refused, nil
}

func rolesNamed(ctx context.Context, q store.Querier, tenantID int64, names []string) (map[string]int64, error) {
	byName := make(map[string]int64, len(names))
	_, err := store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var (
			id   int64
			name string
		)
		err := row.Scan(&id, &name)
		byName[name] = id
		return struct{}{}, err
	}, "SELECT id, name FROM identity_role WHERE tenant_id = $1 AND "+q.InTexts("name", "$2"), tenantID, q.Texts(names))
	return byName, err
}

// roleIDs are the ids of a user's roles, sorted.
func (w *writing) roleIDs(ctx context.Context, userID int64) ([]int64, error) {
	return store.Collect(ctx, w, store.ScanOne[int64],
		"SELECT role_id FROM identity_user_role WHERE tenant_id = $1 AND user_id = $2 ORDER BY role_id", w.Tenant.ID, userID)
}

// relink replaces the links of the fields that changed: "sending roles replaces
// the user's whole set of roles" (Identity Management).
func (w *writing) relink(ctx context.Context, userID int64, fields []string, to links) error {
	for field, table := range map[string]string{"agentCode": "identity_user_agent", "roles": "identity_user_role"} {
		if !slices.Contains(fields, field) {
			continue
		}
		if _, err := w.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1 AND user_id = $2", w.Tenant.ID, userID); err != nil {
			return err
		}
	}
	if !slices.Contains(fields, "agentCode") {
		to.agentID = nil
	}
	if !slices.Contains(fields, "roles") {
		to.roleIDs = nil
	}
	return w.linkAll(ctx, userID, to)
}

// linkAll adds links to a user who has none of the kind.
func (w *writing) linkAll(ctx context.Context, userID int64, to links) error {
	if to.agentID != nil {
		_, err := w.Exec(ctx, "INSERT INTO identity_user_agent (tenant_id, user_id, agent_id) VALUES ($1, $2, $3)", w.Tenant.ID, userID, *to.agentID)
		if err != nil {
			return err
		}
	}
	for _, roleID := range to.roleIDs {
		_, err := w.Exec(ctx, "INSERT INTO identity_user_role (tenant_id, user_id, role_id) VALUES ($1, $2, $3)", w.Tenant.ID, userID, roleID)
		if err != nil {
			return err
		}
	}
	return nil
}

// endSessions ends all sessions and grants of a user, and reports whether there were any:
// after a new password, or as Pending, nothing from before stays valid. It deletes
// sessions first, because a new grant locks its session.
func (w *writing) endSessions(ctx context.Context, userID int64) (ended bool, err error) {
	for _, table := range []string{"identity_session", "identity_grant"} {
		n, err := w.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1 AND user_id = $2", w.Tenant.ID, userID)
		if err != nil {
			return false, err
		}
		ended = ended || n > 0
	}
	return ended, nil
}
