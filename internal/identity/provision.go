package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Condition is what the system that provisions users demands of them (RFC 7644 §3.4.2.2):
// a comparison, or others joined. The zero value holds for all.
type Condition struct {
	// Field is a name of ConditionFields; Op is eq, ne, co, sw, ew, gt, ge, lt, le or pr.
	Field, Op string
	// Value is a string, a time or a bool, as the field demands; nil for pr.
	Value any
	// All and Any join conditions; Not negates one.
	All, Any []*Condition
	Not      *Condition
}

// ConditionFields are the fields of users that conditions can name, with a value of their
// type.
var ConditionFields = map[string]any{"id": "", "userName": "", "externalId": "", "email": "", "active": false, "created": time.Time{}, "lastModified": time.Time{}}

var conditionColumns = map[string]string{"id": "CAST(u.id AS text)", "userName": "u.username_key", "externalId": "u.external_id", "email": "u.email_key",
	"active": "u.status", "created": "u.created_at", "lastModified": "u.last_modified"}

var conditionOperators = map[string]string{"eq": " = ?", "ne": " <> ?", "gt": " > ?", "ge": " >= ?", "lt": " < ?", "le": " <= ?"}

// literal keeps the characters of a text from being wildcards.
var literal = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// write adds the condition to a statement about users.
func (c *Condition) write(q *store.SQL) {
	join := func(all []*Condition, word string) {
		q.Write("(")
		for i, one := range all {
			if i > 0 {
				q.Write(word)
			}
			one.write(q)
		}
		q.Write(")")
	}
	switch {
	case c.Not != nil:
		q.Write("NOT coalesce(")
		c.Not.write(q)
		q.Write(", ?)", false)
		return
	case len(c.All) > 0:
		join(c.All, " AND ")
		return
	case len(c.Any) > 0:
		join(c.Any, " OR ")
		return
	case c.Field == "":
		q.Write("1 = 1")
		return
	}
	column, value := conditionColumns[c.Field], c.Value
	text, isText := value.(string)
	switch {
	case c.Field == "active":
		if value = Pending; c.Value == true {
			value = Approved
		}
	case c.Field == "userName" || c.Field == "email":
		text = searchKey(text)
		value = text
	}
	switch {
	case c.Op == "pr":
		q.Write(column + " IS NOT NULL")
	case c.Op == "ne": // what is not there is not equal to anything
		q.Write("("+column+" IS NULL OR "+column+" <> ?)", value)
	case conditionOperators[c.Op] != "":
		q.Write(column+conditionOperators[c.Op], value)
	case isText && c.Op == "co":
		q.Write(column+" LIKE ? ESCAPE '!'", "%"+literal.Replace(text)+"%")
	case isText && c.Op == "sw":
		q.Write(column+" LIKE ? ESCAPE '!'", literal.Replace(text)+"%")
	case isText && c.Op == "ew":
		q.Write(column+" LIKE ? ESCAPE '!'", "%"+literal.Replace(text))
	default:
		q.Write("1 = 0")
	}
}

// ProvisionUser adds a user, or brings one back that was withdrawn.
func (s *Service) ProvisionUser(ctx context.Context, in UserInput) (*User, error) {
	var c inputCheck
	if c.username(&in); c.Err() != nil {
		return nil, c.Err()
	}
	known, err := s.User(ctx, in.Username)
	if err != nil {
		return nil, err
	}
	if known == nil || known.WithdrawnAt == nil {
		return s.CreateUser(ctx, in)
	}
	if !in.Status.Sent {
		in.Status = patch.Set(tenant.From(ctx).DefaultUserStatus)
	}
	in.Roles = patch.Set([]string{}) // what the user had ended
	user, _, err := s.UpdateUser(ctx, known.Username, in)
	if err == nil {
		err = s.setWithdrawn(ctx, user.ID, nil)
		user.WithdrawnAt = nil
	}
	return user, err
}

func (s *Service) setWithdrawn(ctx context.Context, userID int64, at *time.Time) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE identity_user SET withdrawn_at = $1 WHERE tenant_id = $2 AND id = $3", at, tenantID, userID)
		return err
	})
}

// WithdrawUser makes a user Pending, which ends all sessions and tokens, takes all roles,
// and hides it from provisioning until it is there again. The row and its trail stay.
func (s *Service) WithdrawUser(ctx context.Context, username string) error {
	user, _, err := s.UpdateUser(ctx, username, UserInput{Status: patch.Set(Pending), ExternalID: patch.Null[string](), Roles: patch.Set([]string{})})
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	return s.setWithdrawn(ctx, user.ID, &now)
}

// UserByID returns a user by id; nil if there is none, or it was withdrawn.
func (s *Service) UserByID(ctx context.Context, id int64) (*User, error) {
	found, err := s.UsersByID(ctx, []int64{id})
	if user := found[id]; err == nil && user != nil && user.WithdrawnAt == nil {
		return user, nil
	}
	return nil, err
}

// Members returns the users of roles, by the roles' ids, by username.
func (s *Service) Members(ctx context.Context, roleIDs []int64) (map[int64][]*User, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[int64][]*User, len(roleIDs))
	_, err = store.Collect(ctx, s.Store, func(row store.Scanner) (struct{}, error) {
		var roleID int64
		u, err := scanUser(store.After(row, &roleID))
		of[roleID] = append(of[roleID], u)
		return struct{}{}, err
	}, "SELECT m.role_id, "+userColumns+` FROM identity_user_role m JOIN identity_user u ON u.tenant_id = m.tenant_id AND u.id = m.user_id
		LEFT JOIN identity_user_agent l ON l.tenant_id = u.tenant_id AND l.user_id = u.id
		LEFT JOIN agency_agent a ON a.tenant_id = l.tenant_id AND a.id = l.agent_id
		WHERE m.tenant_id = $1 AND u.withdrawn_at IS NULL AND `+s.Store.In("m.role_id", "$2")+" ORDER BY u.username_key", tenantID, s.Store.List(roleIDs))
	return of, err
}

// SetMembers changes who holds a role, all or nobody: next returns the ids of the users
// who are to hold it, given those who do.
func (s *Service) SetMembers(ctx context.Context, name string, next func(held []int64) []int64) error {
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
		for _, id := range slices.Compact(all) {
			if slices.Contains(held, id) != slices.Contains(wanted, id) {
				if err := w.setMember(ctx, id, name, slices.Contains(wanted, id)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// setMember gives a user a role, or takes it, and notes that as a change of the user.
func (w *writing) setMember(ctx context.Context, userID int64, role string, holds bool) error {
	user, err := readUser(ctx, w, "u.id = $2", w.Tenant.ID, userID)
	if err == nil && (user == nil || user.WithdrawnAt != nil) {
		err = problem.Invalid(problem.NotFoundCode, "There is no user of this id", "members")
	}
	if err != nil {
		return err
	}
	if user, err = w.lockUser(ctx, user.Username); err != nil {
		return err
	}
	names, err := store.Collect(ctx, w, store.ScanOne[string], `SELECT r.name FROM identity_user_role x JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id
		WHERE x.tenant_id = $1 AND x.user_id = $2`, w.Tenant.ID, userID)
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
