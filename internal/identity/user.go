package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// The statuses of a user (tenant.UserStatus), as they are stored.
const (
	Pending  = string(tenant.PendingUser)
	Approved = string(tenant.ApprovedUser)
)

// User is a person who can sign in. Reading one does not read the password.
type User struct {
	ID       int64
	Username string
	Email    *string
	// AgentID and AgentCode are those of the user's agent; nil for none.
	AgentID        *int64
	AgentCode      *string
	Status         string
	CreatedAt      time.Time
	CreatedBy      string
	LastModified   time.Time
	LastModifiedBy string
	LastSignInAt   *time.Time
	// ExternalID is what the system that provisions users calls the user; nil for none.
	ExternalID *string
}

const userColumns = `u.id, u.username, u.email, a.id, a.code, u.status, u.created_at, u.created_by, u.last_modified, u.last_modified_by, u.last_sign_in_at, u.external_id`

// userTables are the rows of users with their agents.
const userTables = `identity_user u LEFT JOIN identity_user_agent l ON l.tenant_id = u.tenant_id AND l.user_id = u.id
	LEFT JOIN agency_agent a ON a.tenant_id = l.tenant_id AND a.id = l.agent_id WHERE u.tenant_id = `

func scanUser(r store.Scanner) (*User, error) {
	u := new(User)
	return u, r.Scan(&u.ID, &u.Username, &u.Email, &u.AgentID, &u.AgentCode, &u.Status, &u.CreatedAt, &u.CreatedBy, &u.LastModified, &u.LastModifiedBy, &u.LastSignInAt, &u.ExternalID)
}

// searchKey is the form in which usernames and e-mail addresses are searched, sorted and
// kept unique, and in which names of roles are kept unique: people distinguish neither
// the case of letters nor different encodings of the same one (Unicode, 3.13.5,
// "toNFKC_Casefold"). Other areas distinguish more; here names let people in.
func searchKey(s string) string { return folded(strings.TrimSpace(s)) }

func folded(s string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
}

// UserFilter are the conditions of a list of users; nil ones do not count.
type UserFilter struct {
	// Query is a part of the username or of the e-mail address, whatever the case.
	Query *string
	// Email is compared without regard to case, AgentCode and Role exactly.
	Email, AgentCode, Status, Role *string
	// MinCreatedAt and MaxCreatedAt are both inclusive.
	MinCreatedAt, MaxCreatedAt *time.Time
	// Provisioned leaves out users that do not meet a condition; nil for all.
	Provisioned *Condition
}

// userKeys are the sort keys of users by GraphQL enum value.
var userKeys = map[string]page.Key{
	"USERNAME":   {Name: "username", SQL: "u.username_key", Kind: page.Text},
	"EMAIL":      {Name: "email", SQL: "coalesce(u.email_key, '')", Kind: page.Text},
	"AGENT_CODE": {Name: "code", SQL: "coalesce(a.code, '')", Kind: page.Text},
	"CREATED_AT": {Name: "created", SQL: "u.created_at", Kind: page.Time},
}

func userPlace(u *User, key string) any {
	switch key {
	case "username":
		return searchKey(u.Username)
	case "email":
		return searchKey(orEmpty(u.Email))
	case "code":
		return orEmpty(u.AgentCode)
	case "created":
		return u.CreatedAt
	}
	return u.ID
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// users keeps the users of tenants. It is safe for concurrent use.
type users struct {
	*changes
	store  *store.Store
	hasher *hasher
}

// Users is the list of the users that match, by username unless sorted
// otherwise.
func (s *users) Users(ctx context.Context, f UserFilter, orders []listing.Order) (listing.List[*User], error) {
	tenantID, err := tenant.ID(ctx)
	if err == nil && f.Role != nil {
		err = knownRole(ctx, s.store, tenantID, *f.Role)
	}
	return listing.List[*User]{
		Rows: listing.Rows{
			Store: s.store, Name: "users", Default: pageSize, Max: maxPageSize, ByValue: listing.ByValue(f),
			Keys: listing.SortKeys(orders, userKeys, userKeys["USERNAME"], page.Key{Name: "id", SQL: "u.id", Kind: page.Int}),
			From: func(q *store.SQL) { f.write(q, tenantID) },
		},
		Columns: userColumns, Scan: scanUser, Place: userPlace,
	}, err
}

func (f UserFilter) write(q *store.SQL, tenantID int64) {
	q.Write(userTables+"?", tenantID)
	if f.Query != nil {
		q.Write(" AND ")
		(&Condition{Any: []*Condition{{Field: "userName", Op: "co", Value: *f.Query}, {Field: "email", Op: "co", Value: *f.Query}}}).write(q)
	}
	if f.Email != nil {
		q.Write(" AND u.email_key = ?", searchKey(*f.Email))
	}
	if f.AgentCode != nil {
		q.Write(" AND a.code = ?", *f.AgentCode)
	}
	if f.Status != nil {
		q.Write(" AND u.status = ?", *f.Status)
	}
	if f.Role != nil {
		q.Write(" AND EXISTS (SELECT 1 FROM identity_user_role x JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id"+
			" WHERE x.tenant_id = u.tenant_id AND x.user_id = u.id AND r.name = ?)", *f.Role)
	}
	if f.Provisioned != nil {
		q.Write(" AND ")
		f.Provisioned.write(q)
	}
	if f.MinCreatedAt != nil {
		q.Write(" AND u.created_at >= ?", *f.MinCreatedAt)
	}
	if f.MaxCreatedAt != nil {
		q.Write(" AND u.created_at <= ?", *f.MaxCreatedAt)
	}
}

// User returns the user with a name, in any case of letters; nil if there is none.
func (s *users) User(ctx context.Context, username string) (*User, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return readUser(ctx, s.store, "u.username_key = $2", tenantID, searchKey(username))
}

// readUser reads the user who meets a condition on the arguments from the second on.
func readUser(ctx context.Context, q store.Querier, condition string, tenantID int64, values ...any) (*User, error) {
	found, err := store.Collect(ctx, q, scanUser, "SELECT "+userColumns+" FROM "+userTables+"$1 AND "+condition, append([]any{tenantID}, values...)...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// UsersByID reads users by id. It leaves out ids of another tenant.
func (s *users) UsersByID(ctx context.Context, ids []int64) (map[int64]*User, error) {
	found, err := s.usersAmong(ctx, "u.id", ids)
	byID := make(map[int64]*User, len(found))
	for _, u := range found {
		byID[u.ID] = u
	}
	return byID, err
}

// UsersOf reads the users of agents, by the agents' ids.
func (s *users) UsersOf(ctx context.Context, agentIDs []int64) (map[int64][]*User, error) {
	found, err := s.usersAmong(ctx, "l.agent_id", agentIDs)
	of := make(map[int64][]*User, len(agentIDs))
	for _, u := range found {
		of[*u.AgentID] = append(of[*u.AgentID], u)
	}
	return of, err
}

// usersAmong reads the users whose column is one of ids, by username.
func (s *users) usersAmong(ctx context.Context, column string, ids []int64) ([]*User, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return store.Collect(ctx, s.store, scanUser,
		"SELECT "+userColumns+" FROM "+userTables+"$1 AND "+s.store.In(column, "$2")+" ORDER BY u.username_key", tenantID, s.store.List(ids))
}

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

// knownRole refuses a filter by a role that does not exist: it would find nobody.
func knownRole(ctx context.Context, q store.Querier, tenantID int64, name string) error {
	names, err := store.Collect(ctx, q, store.ScanOne[string], "SELECT name FROM identity_role WHERE tenant_id = $1 ORDER BY name", tenantID)
	if err != nil || slices.Contains(names, name) {
		return err
	}
	p := problem.Invalid(problem.UnknownRole, "There is no role of this name.", "filter", "role")
	if nearest := text.Nearest(name, names); nearest != "" {
		p.Message += " Did you mean " + nearest + "?"
	}
	return p
}
