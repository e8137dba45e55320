package identity

import (
	"context"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
)

// RoleInput is a new role, or a partial update of one.
type RoleInput struct {
	// Name is that of a new role, or the next one of a role; empty leaves it.
	Name        string
	Description patch.Field[string]
	Scopes      patch.Field[[]string]
	// LimitedToDownline is false for a new role unless it is sent.
	LimitedToDownline patch.Field[bool]
}

// check returns the problems of an input, and normalises its scopes. held are the scopes
// that the role has.
func (s *roles) check(in *RoleInput, held ...string) *inputCheck {
	c := &inputCheck{}
	c.Clearable(&in.Description, maxDescription, "description")
	c.NotNull(in.Scopes, "scopes")
	c.NotNull(in.LimitedToDownline, "limitedToDownline")
	if in.Scopes.Value != nil {
		in.Scopes = patch.Set(c.scopes(known(s.scopes, held), *in.Scopes.Value))
	}
	return c
}

// CreateRole adds a role. The caller must hold all its scopes: otherwise the right to
// define roles would amount to every right.
func (s *roles) CreateRole(ctx context.Context, in RoleInput) (role *Role, err error) {
	sent := in.Scopes
	c := s.check(&in)
	in.Name = c.PathName(in.Name, maxName, "name")
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := mayGrant(ctx, sent); err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if err := w.addRole(ctx, in, madeRow{at: w.Now, by: w.Initiator}); err != nil {
			return err
		}
		role, err = readRole(ctx, w, w.Tenant.ID, in.Name, "")
		return err
	})
	return role, err
}

// madeRow is what a row has beside what was asked for: who made it, and when. Its id is 0 for a
// new one.
type madeRow struct {
	id int64
	at time.Time
	by string
}

// addRole adds a role whose input was checked.
func (w *writing) addRole(ctx context.Context, in RoleInput, made madeRow) error {
	columns := []string{"tenant_id", "name", "name_key", "description", "scopes", "is_system", "limited_to_downline", "created_at", "created_by", "last_modified", "last_modified_by"}
	values := []any{w.Tenant.ID, in.Name, searchKey(in.Name), in.Description.Value, strings.Join(*in.Scopes.Value, " "), false, is(in.LimitedToDownline), made.at, made.by, w.Now, w.Initiator}
	if made.id != 0 {
		columns, values = append(columns, "id"), append(values, made.id)
	}
	w.changed(roleEntity, in.Name, in.sent()...)
	_, err := w.Insert(ctx, "identity_role", columns, values...)
	return duplicateRole(err)
}

// duplicateRole turns the database's refusal of a second role with a name into a problem.
func duplicateRole(err error) error {
	if dberror.IsUniqueViolation(err, "identity_role_name", "identity_role.tenant_id, identity_role.name_key") ||
		dberror.IsUniqueViolation(err, "identity_role_tenant_id_name_key", "identity_role.tenant_id, identity_role.name") {
		return problem.Clash(problem.DuplicateKey, "Another role has this name, or the same but for the case of letters", "name")
	}
	return err
}

// sent returns the names of the fields that a new role has.
func (in RoleInput) sent() (fields []string) {
	if in.Description.Value != nil {
		fields = append(fields, "description")
	}
	if is(in.LimitedToDownline) {
		fields = append(fields, "limitedToDownline")
	}
	return append(fields, "scopes")
}

// UpdateRole changes the role with a name. If nothing differs, changed is false and
// nothing is written. Scopes that it has may stay, whoever asks; the caller must hold
// every scope that is added.
func (s *roles) UpdateRole(ctx context.Context, name string, in RoleInput) (role *Role, changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if role, err = w.lockRole(ctx, name, w.ForUpdate()); err != nil {
			return err
		}
		changed, err = s.reviseRole(ctx, w, role, in)
		return err
	})
	return role, changed, err
}

// reviseRole changes a role that is locked.
func (s *roles) reviseRole(ctx context.Context, w *writing, role *Role, in RoleInput) (changed bool, err error) {
	next, name := in, role.Name
	c := s.check(&next, role.Scopes...)
	if in.Name != "" {
		next.Name = c.PathName(in.Name, maxName, "name")
	}
	if err := c.Err(); err != nil {
		return false, err
	}
	if err := mayGrant(ctx, in.Scopes, role.Scopes...); err != nil {
		return false, err
	}
	fields := role.revise(next)
	if len(fields) == 0 {
		return false, nil
	}
	if w.changed(roleEntity, role.Name, fields...); role.Name != name {
		w.before = name
	}
	role.LastModified, role.LastModifiedBy = w.Now, w.Initiator
	_, err = w.Exec(ctx, `UPDATE identity_role SET name = $1, name_key = $2, description = $3, scopes = $4, limited_to_downline = $5, last_modified = $6, last_modified_by = $7
			WHERE tenant_id = $8 AND id = $9`,
		role.Name, searchKey(role.Name), role.Description, strings.Join(role.Scopes, " "), role.LimitedToDownline, w.Now, w.Initiator, w.Tenant.ID, role.ID)
	return true, duplicateRole(err)
}

func is(sent patch.Field[bool]) bool { return sent.Value != nil && *sent.Value }

// revise applies what was sent to the role and returns the names of the fields that
// differ.
func (r *Role) revise(in RoleInput) (fields []string) {
	if in.Name != "" && in.Name != r.Name {
		r.Name, fields = in.Name, append(fields, "name")
	}
	if description := in.Description.Or(r.Description); !same(description, r.Description) {
		r.Description, fields = description, append(fields, "description")
	}
	if in.Scopes.Value != nil && !sameScopes(*in.Scopes.Value, r.Scopes) {
		r.Scopes, fields = *in.Scopes.Value, append(fields, "scopes")
	}
	if limited := in.LimitedToDownline.Value; limited != nil && *limited != r.LimitedToDownline {
		r.LimitedToDownline, fields = *limited, append(fields, "limitedToDownline")
	}
	return fields
}

// DeleteRole removes the role with a name, unless somebody or something has it, and returns its id.
func (s *roles) DeleteRole(ctx context.Context, name string) (id int64, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		role, err := w.lockRole(ctx, name, w.ForDelete())
		if err != nil {
			return err
		}
		id = role.ID
		return w.removeRole(ctx, role)
	})
	return id, err
}

// roleUses are the tables of what has a role, by the words of a refusal.
var roleUses = map[string]string{"users": "identity_user_role", "scenarios": "agency_scenario_role", "providerGroups": "identity_provider_role"}

// removeRole removes a role that is locked.
func (w *writing) removeRole(ctx context.Context, role *Role) error {
	usage := map[string]int{}
	for of, table := range roleUses {
		var n int
		if _, err := store.One(ctx, w, []any{&n}, "SELECT count(*) FROM "+table+" WHERE tenant_id = $1 AND role_id = $2", w.Tenant.ID, role.ID); err != nil {
			return err
		}
		if n > 0 {
			usage[of] = n
		}
	}
	if len(usage) > 0 {
		return problem.Clash(problem.ReferenceInUse, "The role is still in use").With("usage", usage)
	}
	w.changed(roleEntity, role.Name)
	_, err := w.Exec(ctx, "DELETE FROM identity_role WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, role.ID)
	return err
}

// lockRole locks a role that may be changed.
func (w *writing) lockRole(ctx context.Context, name, lock string) (*Role, error) {
	role, err := readRole(ctx, w, w.Tenant.ID, name, lock)
	switch {
	case err != nil:
		return nil, err
	case role == nil:
		return nil, unknownRoleNamed()
	case role.IsSystem:
		return nil, problem.Clash(problem.SystemRole, "The role is one that every tenant has; it cannot change", "name")
	}
	return role, w.CheckVersion(ctx, role.LastModified)
}
