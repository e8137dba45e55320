package onboarding

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// "Agent Onboarding pageSize: default 50; maximum set per API" (Limits).
const (
	pageSize    = 50
	maxPageSize = 100
)

// ApplicationFilter are the conditions of a list of applications; nil ones do not count.
type ApplicationFilter struct {
	Status                           []string
	RecruiterAgentCode, EmailAddress *string
	FirstName, LastName              *string
	GovernmentIdentifier             *string
	CreatedFrom, CreatedThrough      *time.Time
	ModifiedSince                    *time.Time
}

// never stands for the submission of an application that was not submitted, in the
// notation of both databases.
const never = "'1900-01-01 00:00:00+00:00'"

var neverTime = time.Date(1900, time.January, 1, 0, 0, 0, 0, time.UTC)

var applicationID = page.Key{Name: "id", SQL: "a.id", Kind: page.Int}

// applicationKeys are the sort keys of applications by GraphQL enum value.
var applicationKeys = map[string]page.Key{
	"CREATED_AT":    {Name: "created", SQL: "a.created_at", Kind: page.Time},
	"LAST_MODIFIED": {Name: "modified", SQL: "a.last_modified", Kind: page.Time},
	"LAST_NAME":     {Name: "last", SQL: "a.last_name_key", Kind: page.Text},
	"STATUS":        {Name: "status", SQL: "a.status", Kind: page.Text},
	"SUBMITTED_AT":  {Name: "submitted", SQL: "coalesce(a.submitted_at, " + never + ")", Kind: page.Time},
}

func applicationPlace(a *Application, key string) any {
	switch key {
	case "created":
		return a.CreatedAt
	case "modified":
		return a.LastModified
	case "last":
		return a.lastNameKey
	case "status":
		return string(a.Status)
	case "submitted":
		if a.SubmittedAt == nil {
			return neverTime
		}
		return *a.SubmittedAt
	}
	return a.ID
}

// reading reads applications. It is safe for concurrent use.
type reading struct {
	*forms
	store *store.Store
	clock clock.Clock
	// totals keeps the sizes of lists.
	totals *listing.Totals
}

// Application reads an application by the id that clients use; nil if there is none.
func (s *reading) Application(ctx context.Context, uid string) (*Application, error) {
	return findApplication(ctx, s.store, uid, "")
}

// ApplicationList is the list of the applications that match, the latest created
// first unless sorted otherwise.
func (s *reading) ApplicationList(ctx context.Context, f ApplicationFilter, orders []listing.Order) (listing.List[*Application], error) {
	return s.applicationList(ctx, "applications", f, orders, func(*store.SQL) {})
}

// Recruits is the list of the applications of each of several recruiters, given their
// agent codes by id. An application has only the code of its recruiter, and there may be
// no such agent.
func (s *reading) Recruits(ctx context.Context, recruiters map[int64]string, f ApplicationFilter, orders []listing.Order) (listing.List[*Application], error) {
	l, err := s.applicationList(ctx, "recruits", f, orders, func(q *store.SQL) {
		separator := " JOIN (VALUES "
		for _, id := range slices.Sorted(maps.Keys(recruiters)) {
			q.Write(separator+"(CAST(? AS bigint), CAST(? AS text))", id, recruiters[id])
			separator = ", "
		}
		q.Write(") r ON r.column2 = a.recruiter_agent_code")
	})
	l.Owner = "r.column1"
	return l, err
}

// applicationList is a list of applications that can be joined with other tables.
func (s *reading) applicationList(ctx context.Context, name string, f ApplicationFilter, orders []listing.Order, join func(q *store.SQL)) (listing.List[*Application], error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return listing.List[*Application]{}, err
	}
	index, err := s.identifierIndex(ctx, tenantID, f.GovernmentIdentifier)
	if err != nil {
		return listing.List[*Application]{}, err
	}
	if len(orders) == 0 {
		orders = []listing.Order{{Field: "CREATED_AT", Desc: true}}
	}
	return listing.List[*Application]{
		Columns: applicationColumns, Scan: scanApplication, Place: applicationPlace,
		Rows: listing.Rows{
			Dimensions: func() map[string]listing.Dimension { return dimensions(tenantID) }, Row: "a.status AS status, a.recruiter_agent_code AS recruiter",
			Store: s.store, Name: name, Keys: listing.SortKeys(orders, applicationKeys, applicationID),
			Default: pageSize, Max: maxPageSize, ByValue: listing.ByValue(f), Kept: s.totals.Of(ctx),
			From: func(q *store.SQL) {
				q.Write("onboarding_application a")
				join(q)
				q.Write(" WHERE a.tenant_id = ?", tenantID)
				s.applicationConditions(q, f, index)
			},
		},
	}, nil
}

// dimensions are what applications can be grouped by, by value of the GraphQL enum.
func dimensions(tenantID int64) map[string]listing.Dimension {
	return map[string]listing.Dimension{
		"STATUS": {Value: func(string) string { return "x.status" }},
		"RECRUITER": {Value: func(string) string { return "x.recruiter" }, Label: func(q *store.SQL, code string) string {
			return "(SELECT coalesce(o.common_name, o.first_name) || ' ' || o.last_name FROM agency_agent o WHERE o.tenant_id = " + q.Arg(tenantID) + " AND o.code = " + code + ")"
		}},
	}
}

func (s *reading) applicationConditions(q *store.SQL, f ApplicationFilter, index []byte) {
	if f.Status != nil {
		q.Write(" AND " + s.store.InTexts("a.status", q.Arg(s.store.Texts(f.Status))))
	}
	if f.RecruiterAgentCode != nil {
		q.Write(" AND a.recruiter_agent_code = ?", *f.RecruiterAgentCode)
	}
	if f.EmailAddress != nil {
		q.Write(" AND a.email_key = ?", text.SearchKey(*f.EmailAddress))
	}
	beginsWith(q, "a.first_name_key", f.FirstName)
	beginsWith(q, "a.last_name_key", f.LastName)
	if f.GovernmentIdentifier != nil {
		q.Write(" AND a.government_identifier_index = ?", index)
	}
	for _, bound := range []struct {
		condition string
		at        *time.Time
	}{{"a.created_at >= ?", f.CreatedFrom}, {"a.created_at <= ?", f.CreatedThrough}, {"a.last_modified >= ?", f.ModifiedSince}} {
		if bound.at != nil {
			q.Write(" AND "+bound.condition, *bound.at)
		}
	}
}

// beginsWith: "names match case-insensitive prefix" (api "Query formats").
func beginsWith(q *store.SQL, column string, name *string) {
	if name == nil || text.SearchKey(*name) == "" {
		return
	}
	key := text.SearchKey(*name)
	q.Write(" AND "+column+" >= ? AND "+column+" < ?", key, key+"\U0010FFFF")
}

// Applications reads applications by the ids of their rows. It leaves out ids of another
// tenant.
func (s *reading) Applications(ctx context.Context, ids []int64) (map[int64]*Application, error) {
	return s.applicationsBy(ctx, "a.id", ids, func(a *Application) int64 { return a.ID })
}

// ApplicationsOf reads the applications that became agents, by the agents' ids.
func (s *reading) ApplicationsOf(ctx context.Context, agentIDs []int64) (map[int64]*Application, error) {
	return s.applicationsBy(ctx, "a.agent_id", agentIDs, func(a *Application) int64 { return *a.AgentID })
}

func (s *reading) applicationsBy(ctx context.Context, column string, ids []int64, key func(*Application) int64) (map[int64]*Application, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	found, err := store.Collect(ctx, s.store, scanApplication,
		"SELECT "+applicationColumns+" FROM onboarding_application a WHERE a.tenant_id = $1 AND "+s.store.In(column, "$2"), tenantID, s.store.List(ids))
	if err != nil {
		return nil, err
	}
	byKey := make(map[int64]*Application, len(found))
	for _, a := range found {
		byKey[key(a)] = a
	}
	return byKey, nil
}
