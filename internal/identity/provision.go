package identity

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// DeleteUser removes a user with all that is theirs: roles, password, sessions and tokens,
// the links to an agent and to sign-in providers, and what they keep. The name and the
// e-mail address are free for somebody else, who gets nothing of it. The trail, with the
// values that it names, stays. The last administrator is not removed.
func (s *users) DeleteUser(ctx context.Context, username string) error {
	return s.write(ctx, func(ctx context.Context, w *writing) error {
		user, err := w.lockUser(ctx, username)
		if err != nil {
			return err
		}
		r := &revision{user: user, in: UserInput{Status: patch.Set(Pending), Roles: patch.Set([]string{})}}
		if err := r.apply(ctx, w); err != nil {
			return err
		}
		w.key, w.events = user.Username, []string{events.UserUpdated}
		w.Raise(w.raised(ctx)...)
		w.fields, w.events = nil, nil // the entry of a deletion names no fields
		w.changed(userEntity, user.Username)
		_, err = w.Exec(ctx, "DELETE FROM identity_user WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, user.ID)
		return err
	})
}

// UserByID returns a user by id; nil if there is none.
func (s *users) UserByID(ctx context.Context, id int64) (*User, error) {
	found, err := s.UsersByID(ctx, []int64{id})
	return found[id], err
}

// Members returns the users of roles, by the roles' ids, by username.
func (s *users) Members(ctx context.Context, roleIDs []int64) (map[int64][]*User, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[int64][]*User, len(roleIDs))
	_, err = store.Collect(ctx, s.store, func(row store.Scanner) (struct{}, error) {
		var roleID int64
		u, err := scanUser(store.After(row, &roleID))
		of[roleID] = append(of[roleID], u)
		return struct{}{}, err
	}, "SELECT m.role_id, "+userColumns+` FROM identity_user_role m JOIN identity_user u ON u.tenant_id = m.tenant_id AND u.id = m.user_id
		LEFT JOIN identity_user_agent l ON l.tenant_id = u.tenant_id AND l.user_id = u.id
		LEFT JOIN agency_agent a ON a.tenant_id = l.tenant_id AND a.id = l.agent_id
		WHERE m.tenant_id = $1 AND `+s.store.In("m.role_id", "$2")+" ORDER BY u.username_key", tenantID, s.store.List(roleIDs))
	return of, err
}

// SetMembers changes who holds a role, all or nobody: next returns the ids of the users
// who are to hold it, given those who do.
func (s *users) SetMembers(ctx context.Context, name string, next func(held []int64) []int64) error {
	return s.write(ctx, func(ctx context.Context, w *writing) error {
		role, err := readRole(ctx, w, w.Tenant.ID, name, "")
		if err == nil && role == nil {
			err = unknownRoleNamed()
		}
		if err != nil {
			return err
		}
		held, err := store.Collect(ctx, w, store.ScanOne[int64], "SELECT user_id FROM identity_user_role WHERE tenant_id = $1 AND role_id = $2 ORDER BY user_id", w.Tenant.ID, role.ID)
		if err != nil {
			return err
		}
		wanted := slices.Clone(next(slices.Clone(held)))
		slices.Sort(wanted)
		wanted = slices.Compact(wanted)
		all := slices.Concat(held, wanted)
		slices.Sort(all)
		var members []*User // those of whom it changes, locked before any is written: all of it happens at one instant
		for _, id := range slices.Compact(all) {
			if slices.Contains(held, id) == slices.Contains(wanted, id) {
				continue
			}
			user, err := lockMember(ctx, w, id)
			if err != nil {
				return err
			}
			members = append(members, user)
		}
		w.Fix()
		for _, user := range members {
			if err := setMember(ctx, w, user, name, slices.Contains(wanted, user.ID)); err != nil {
				return err
			}
		}
		return nil
	})
}

// lockMember locks the user of an id.
func lockMember(ctx context.Context, w *writing, userID int64) (*User, error) {
	user, err := readUser(ctx, w, "u.id = $2", w.Tenant.ID, userID)
	if err == nil && user == nil {
		err = problem.Invalid(problem.NotFoundCode, "There is no user of this id", "members")
	}
	if err != nil {
		return nil, err
	}
	return w.lockUser(ctx, user.Username)
}

// setMember gives a user a role, or takes it, and notes that as a change of the user.
func setMember(ctx context.Context, w *writing, user *User, role string, holds bool) error {
	names, err := store.Collect(ctx, w, store.ScanOne[string], `SELECT r.name FROM identity_user_role x JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id
		WHERE x.tenant_id = $1 AND x.user_id = $2`, w.Tenant.ID, user.ID)
	if err != nil {
		return err
	}
	if names = slices.DeleteFunc(names, func(name string) bool { return name == role }); holds {
		names = append(names, role)
	}
	one := &writing{Writing: w.Writing}
	if err := (&revision{user: user, in: UserInput{Roles: patch.Set(names)}}).apply(ctx, one); err != nil {
		return err
	}
	w.Record(audit.Entry{EntityType: userEntity, EntityKeys: []string{user.Username}, Changes: []audit.Change{{Field: "roles"}}})
	w.Raise(one.raised(ctx)...)
	return nil
}
