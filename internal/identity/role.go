package identity

import (
	"context"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Role is a named set of scopes that users hold.
type Role struct {
	ID          int64
	Name        string
	Description *string
	Scopes      []string
	// IsSystem roles are the roles that every tenant has; they cannot change.
	IsSystem bool
	// LimitedToDownline roles let their users see only the agent they are linked to and
	// its downline.
	LimitedToDownline bool
	CreatedAt         time.Time
	CreatedBy         string
	LastModified      time.Time
	LastModifiedBy    string
}

const roleColumns = `r.id, r.name, r.description, r.scopes, r.is_system, r.limited_to_downline, r.created_at, r.created_by, r.last_modified, r.last_modified_by`

func scanRole(row store.Scanner) (*Role, error) {
	var (
		r      Role
		scopes string
	)
	err := row.Scan(&r.ID, &r.Name, &r.Description, &scopes, &r.IsSystem, &r.LimitedToDownline, &r.CreatedAt, &r.CreatedBy, &r.LastModified, &r.LastModifiedBy)
	r.holds(scopes)
	return &r, err
}

// roles keeps the roles of tenants. It is safe for concurrent use.
type roles struct {
	*changes
	store  *store.Store
	scopes []string
}

// Roles is the list of all roles, by name.
func (s *roles) Roles(ctx context.Context) (listing.List[*Role], error) {
	tenantID, err := tenant.ID(ctx)
	return listing.List[*Role]{
		Rows: listing.Rows{
			Store: s.store, Name: "roles", Default: pageSize, Max: maxPageSize,
			Keys: []page.Key{{Name: "name", SQL: "r.name", Kind: page.Text}},
			From: func(q *store.SQL) { q.Write("identity_role r WHERE r.tenant_id = ?", tenantID) },
		},
		Columns: roleColumns, Scan: scanRole, Place: func(r *Role, _ string) any { return r.Name },
	}, err
}

// Role returns the role with a name; nil if there is none.
func (s *roles) Role(ctx context.Context, name string) (*Role, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return readRole(ctx, s.store, tenantID, name, "")
}

func readRole(ctx context.Context, q store.Querier, tenantID int64, name, lock string) (*Role, error) {
	found, err := store.Collect(ctx, q, scanRole, "SELECT "+roleColumns+" FROM identity_role r WHERE r.tenant_id = $1 AND r.name = $2"+lock, tenantID, name)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// RolesByID reads roles by id. It leaves out ids of another tenant.
func (s *roles) RolesByID(ctx context.Context, ids []int64) (map[int64]*Role, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	found, err := store.Collect(ctx, s.store, scanRole,
		"SELECT "+roleColumns+" FROM identity_role r WHERE r.tenant_id = $1 AND "+s.store.In("r.id", "$2"), tenantID, s.store.List(ids))
	byID := make(map[int64]*Role, len(found))
	for _, r := range found {
		byID[r.ID] = r
	}
	return byID, err
}

// RolesOf reads the roles of users, each user's by name.
func (s *roles) RolesOf(ctx context.Context, userIDs []int64) (map[int64][]*Role, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[int64][]*Role, len(userIDs))
	_, err = store.Collect(ctx, s.store, func(row store.Scanner) (struct{}, error) {
		var userID int64
		r, err := scanRole(store.After(row, &userID))
		of[userID] = append(of[userID], r)
		return struct{}{}, err
	}, `SELECT x.user_id, `+roleColumns+` FROM identity_user_role x JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id
		WHERE x.tenant_id = $1 AND `+s.store.In("x.user_id", "$2")+` ORDER BY r.name`, tenantID, s.store.List(userIDs))
	return of, err
}

// UserCounts counts the users of each role, in one statement; roles without users are
// left out.
func (s *roles) UserCounts(ctx context.Context, roleIDs []int64) (map[int64]int, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	counts := make(map[int64]int, len(roleIDs))
	_, err = store.Collect(ctx, s.store, func(row store.Scanner) (struct{}, error) {
		var (
			id int64
			n  int
		)
		err := row.Scan(&id, &n)
		counts[id] = n
		return struct{}{}, err
	}, "SELECT x.role_id, count(*) FROM identity_user_role x WHERE x.tenant_id = $1 AND "+s.store.In("x.role_id", "$2")+" GROUP BY x.role_id",
		tenantID, s.store.List(roleIDs))
	return counts, err
}

// holds sets the scopes of a role; those of a system role are part of the program.
func (r *Role) holds(scopes string) {
	if r.Scopes = strings.Fields(scopes); r.IsSystem {
		system := systemRoles[r.Name]
		r.Description, r.Scopes, r.LimitedToDownline = &system.description, system.scopes, system.limitedToDownline
	}
}
