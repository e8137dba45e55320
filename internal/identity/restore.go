package identity

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Kinds says how roles, users and clients are stored, and takes changes of them back. A password,
// a secret, and what signs in leave no values.
func (s *Service) Kinds() []*past.Kind {
	return []*past.Kind{
		{Entity: roleEntity, Label: "name", Key: "x.name", IsRemade: true, By: restorer{s.remembered, "identity_role", s.restoreRole, s.unmakeRole}, Facts: []*past.Fact{
			{Table: "identity_role", Owner: "id", Since: "created_at", Lines: roleLines, Takes: "roleUpdate"}}},
		{Entity: userEntity, Label: "username", Key: "x.username", By: restorer{s.remembered, "identity_user", s.restoreUser, unmakeUser}, Facts: []*past.Fact{
			{Table: "identity_user", Owner: "id", Since: "created_at", Lines: userLines, Takes: "userUpdate"},
			{Table: "identity_user_agent", Owner: "user_id", Row: "user_id", Lines: []fields.Line{{Name: "agentCode", Holds: new(patch.Field[string]),
				Column: "(SELECT a.code FROM agency_agent a WHERE a.tenant_id = x.tenant_id AND a.id = x.agent_id)"}}, Takes: "userUpdate"},
			{Path: "roles", Table: "identity_user_role", Owner: "user_id", Row: "user_id", Part: "role_id", Members: []string{past.NameOf("identity_role", "x.role_id")}, Takes: "userUpdate"},
		}},
		{Entity: clientEntity, Label: "clientId", Key: "x.client_id", By: restorer{s.remembered, "identity_client", s.restoreClient, s.unmakeClient},
			Blocks: []past.Block{{Table: "identity_api_key", Column: "client_id", Words: "has API keys"}, {Table: "identity_document", Column: "client_id", Words: "has trusted documents"}}, Facts: []*past.Fact{
				{Table: "identity_client", Owner: "id", Since: "created_at", Lines: clientLines, Takes: "clientUpdate"}}},
	}
}

// The lines of what is kept.
var (
	roleLines = []fields.Line{textLine("name", "name"), textLine("description", "description"), wordsLine("scopes", "scopes"), flagLine("limitedToDownline", "limited_to_downline")}
	userLines = []fields.Line{textLine("username", "username"), textLine("email", "email"), textLine("status", "status"), textLine("externalId", "external_id")}

	clientLines = []fields.Line{textLine("description", "description"), wordsLine("scopes", "scopes"), {Name: "expiresAt", Column: "expires_at", Holds: new(patch.Field[time.Time])},
		flagLine("isDisabled", "is_disabled"), flagLine("isPublic", "is_public"), wordsLine("redirectUris", "redirect_uris"), textLine("publicKeys", "public_keys"), textLine("trustedDocuments", "trusted_documents")}
)

func textLine(name, column string) fields.Line {
	return fields.Line{Name: name, Column: column, Holds: new(patch.Field[string])}
}

func wordsLine(name, column string) fields.Line {
	return fields.Line{Name: name, Column: column, As: past.Words, Holds: new(patch.Field[string])}
}

func flagLine(name, column string) fields.Line {
	return fields.Line{Name: name, Column: column, Holds: new(patch.Field[bool])}
}

// restorer takes changes of a kind back.
type restorer struct {
	kept            *remembered
	table           string
	restore, unmake func(ctx context.Context, w *writing, t *past.Target) error
}

// Lock locks the rows that are there.
func (r restorer) Lock(ctx context.Context, c *change.Writing, all []*past.Target) error {
	return past.LockRows(ctx, c, r.table, all)
}

// Restore sets the values of what is there, and makes again what was removed.
func (r restorer) Restore(ctx context.Context, c *change.Writing, all []*past.Target) error {
	return each(ctx, c, all, r.restore)
}

// Remove removes what was made.
func (r restorer) Remove(ctx context.Context, c *change.Writing, all []*past.Target) error {
	return each(ctx, c, all, r.unmake)
}

// Restored is called when the change is kept.
func (r restorer) Restored(context.Context) { r.kept.Reread() }

func each(ctx context.Context, c *change.Writing, all []*past.Target, f func(ctx context.Context, w *writing, t *past.Target) error) error {
	for _, t := range all {
		if err := note(ctx, c, func(ctx context.Context, w *writing) error { return f(ctx, w, t) }); err != nil {
			return err
		}
	}
	return nil
}

// sought reads what a target is to be, for the input of a mutation. err is the first value that
// cannot be read.
type sought struct {
	*past.Target
	err error
}

// text returns the text at a path as a property that is sent if it is to change.
func (s *sought) text(path string) patch.Field[string] {
	if s.Differs(path) == nil && !s.IsMade() {
		return patch.Field[string]{}
	}
	value, err := s.Text(path)
	s.err = cmp.Or(s.err, err)
	return patch.Of(value)
}

// words is text for words with blanks between them.
func (s *sought) words(path string) (f patch.Field[[]string]) {
	if all := s.text(path); all.Sent {
		f = patch.Set(strings.Fields(orEmpty(all.Value)))
	}
	return f
}

// flag is text for a truth value.
func (s *sought) flag(path string) (f patch.Field[bool]) {
	if value := s.text(path); value.Sent {
		f = patch.Set(orEmpty(value.Value) == "true")
	}
	return f
}

// at is text for an instant.
func (s *sought) at(path string) (f patch.Field[time.Time]) {
	value := s.text(path)
	if !value.Sent || value.Value == nil {
		return patch.Field[time.Time]{Sent: value.Sent}
	}
	at, err := time.Parse(time.RFC3339Nano, *value.Value)
	s.err = cmp.Or(s.err, err)
	return patch.Set(at)
}

func (s *roles) restoreRole(ctx context.Context, w *writing, t *past.Target) error {
	is := sought{Target: t}
	in := RoleInput{Name: orEmpty(is.text("name").Value), Description: is.text("description"), Scopes: is.words("scopes"), LimitedToDownline: is.flag("limitedToDownline")}
	if is.err != nil {
		return is.err
	}
	if !t.IsMade() {
		role, err := w.lockRole(ctx, t.TextNow("name"), w.ForUpdate())
		if err == nil {
			_, err = s.reviseRole(ctx, w, role, in)
		}
		return err
	}
	if err := s.check(&in).Err(); err != nil {
		return err
	}
	if err := mayGrant(ctx, in.Scopes); err != nil {
		return err
	}
	made := madeRow{id: t.ID, at: t.Since(), by: w.Initiator}
	if _, err := store.One(ctx, w, []any{&made.by}, "SELECT created_by FROM identity_role_past WHERE tenant_id = $1 AND id = $2 ORDER BY past_until DESC LIMIT 1", w.Tenant.ID, t.ID); err != nil {
		return err
	}
	if err := w.addRole(ctx, in, made); err != nil {
		return err
	}
	w.fields = nil // what is made again is noted as a whole
	return w.WasAbsent(ctx, "identity_role", w.Tenant.ID, t.ID)
}

func (s *roles) unmakeRole(ctx context.Context, w *writing, t *past.Target) error {
	role, err := w.lockRole(ctx, t.TextNow("name"), w.ForDelete())
	if err != nil {
		return err
	}
	return w.removeRole(ctx, role)
}

func (s *users) restoreUser(ctx context.Context, w *writing, t *past.Target) error {
	is := sought{Target: t}
	in := UserInput{Username: orEmpty(is.text("username").Value), Email: is.text("email"), Status: is.text("status"), ExternalID: is.text("externalId"), AgentCode: is.text("agentCode")}
	if is.err != nil {
		return is.err
	}
	if t.Differs("roles") != nil {
		roles := []string{}
		for _, m := range t.AllMembers("roles") {
			roles = append(roles, m[0])
		}
		in.Roles = patch.Set(roles)
	}
	var c inputCheck
	if in.Username != "" {
		c.username(&in)
	}
	if c.input(&in); c.Err() != nil {
		return c.Err()
	}
	user, err := w.lockUser(ctx, t.TextNow("username"))
	if err != nil {
		return err
	}
	return (&revision{user: user, in: in}).apply(ctx, w)
}

func unmakeUser(_ context.Context, _ *writing, t *past.Target) error {
	return problem.Invalid(problem.NotApplicable, "User "+t.Key+" would be deleted, which nothing takes back: make the user Pending instead", "sequence")
}

func (s *clients) restoreClient(ctx context.Context, w *writing, t *past.Target) error {
	is := sought{Target: t}
	in := ClientInput{Description: is.text("description"), Scopes: is.words("scopes"), IsDisabled: is.flag("isDisabled"), RedirectURIs: is.words("redirectUris"), PublicKeys: is.text("publicKeys"), ExpiresAt: is.at("expiresAt")}
	if documents := is.text("trustedDocuments"); documents.Value != nil {
		in.TrustedDocuments = patch.Set(DocumentMode(*documents.Value))
	}
	if is.err != nil {
		return is.err
	}
	client, err := w.lockClient(ctx, t.Key)
	if err == nil {
		_, err = s.reviseClient(ctx, w, client, in)
	}
	return err
}

func (s *clients) unmakeClient(ctx context.Context, w *writing, t *past.Target) error {
	client, err := w.lockClient(ctx, t.Key)
	if err != nil {
		return err
	}
	return w.removeClient(ctx, client)
}
