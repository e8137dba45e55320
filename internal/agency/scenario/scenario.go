// Package scenario keeps reorganisations that several people think through before they
// are made: named, shared with roles, and changed under versions. It never copies the
// agency: a scenario is evaluated by making its moves, as a reorganisation makes them, in
// a transaction that is rolled back.
package scenario

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// State says what became of a scenario.
type State string

// The states.
const (
	Draft     State = "DRAFT"
	Applied   State = "APPLIED"
	Discarded State = "DISCARDED"
)

// States are all states.
var States = enum.Of(Draft, Applied, Discarded)

// Scenario is a reorganisation that is thought through.
type Scenario struct {
	ID int64
	// UID is the id that callers use.
	UID, Name     string
	Description   *string
	EffectiveFrom date.Date
	Moves         []agency.Move
	// SharedWith are the names of the roles whose users see it, besides who made it.
	SharedWith []string
	// Reviews are what colleagues who were asked say of it, by their names.
	Reviews                 []Review
	State                   State
	CreatedAt, LastModified time.Time
	CreatedBy               string
	LastModifiedBy          string
}

// Service keeps scenarios. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	writer *change.Writer
	agency *agency.Service
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault, a *agency.Service) *Service {
	return &Service{store: s, writer: change.New(s, c, v), agency: a}
}

// selected are the columns that scan reads. The names of roles are joined by line ends,
// which no name has.
func selected(q store.Querier) string {
	joined := "group_concat(r.name, char(10) ORDER BY r.name)"
	reviews := "json_group_array(json_object" + reviewed + " ORDER BY v.username)"
	if q.Postgres() {
		joined = "string_agg(r.name, chr(10) ORDER BY r.name)"
		reviews = "CAST(json_agg(json_build_object" + reviewed + " ORDER BY v.username) AS text)"
	}
	return "s.id, s.uid, s.name, s.description, s.effective_from, s.moves, s.state, s.created_at, s.created_by, s.last_modified, s.last_modified_by," +
		" coalesce((SELECT " + joined + " FROM agency_scenario_role x JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id" +
		" WHERE x.tenant_id = s.tenant_id AND x.scenario_id = s.id), '')," +
		" coalesce((SELECT " + reviews + " FROM agency_scenario_review v WHERE v.tenant_id = s.tenant_id AND v.scenario_id = s.id), '[]')"
}

func scan(row store.Scanner) (*Scenario, error) {
	var (
		s                     Scenario
		moves, roles, reviews string
	)
	if err := row.Scan(&s.ID, &s.UID, &s.Name, &s.Description, &s.EffectiveFrom, &moves, &s.State, &s.CreatedAt, &s.CreatedBy, &s.LastModified, &s.LastModifiedBy, &roles, &reviews); err != nil {
		return nil, err
	}
	if s.SharedWith = []string{}; roles != "" {
		s.SharedWith = strings.Split(roles, "\n")
	}
	if err := json.Unmarshal([]byte(reviews), &s.Reviews); err != nil {
		return nil, err
	}
	return &s, json.Unmarshal([]byte(moves), &s.Moves)
}

// from writes the table, and the condition that the caller made a scenario, is asked what it
// thinks of it, or has a role that it is shared with.
func from(q *store.SQL, tenantID int64, c tenant.Caller) {
	q.Write("agency_scenario s WHERE s.tenant_id = ? AND ((s.owner_id = ? OR s.owner_id IS NULL AND s.created_by = ?)", tenantID, c.UserID, c.Subject)
	if !c.Since.IsZero() {
		q.Write(" AND s.created_at >= ?", c.Since)
	}
	q.Write(" OR EXISTS (SELECT 1 FROM agency_scenario_review v WHERE v.tenant_id = s.tenant_id AND v.scenario_id = s.id AND v.user_id = ?)", c.UserID)
	q.Write(" OR EXISTS (SELECT 1 FROM agency_scenario_role x JOIN identity_user_role u ON u.tenant_id = x.tenant_id AND u.role_id = x.role_id"+
		" WHERE x.tenant_id = s.tenant_id AND x.scenario_id = s.id AND u.user_id = ?))", c.UserID)
}

// List returns the list of the scenarios that the caller sees, of one state if it is
// given, the newest first.
func (s *Service) List(ctx context.Context, state *State) (listing.List[*Scenario], error) {
	tenantID, err := tenant.ID(ctx)
	caller, _ := tenant.CallerFrom(ctx)
	return listing.List[*Scenario]{
		Rows: listing.Rows{
			Store: s.store, Name: "scenarios", Keys: []page.Key{{Name: "id", SQL: "s.id", Kind: page.Int, Desc: true}},
			From: func(q *store.SQL) {
				from(q, tenantID, caller)
				if state != nil {
					q.Write(" AND s.state = ?", *state)
				}
			},
		},
		Columns: selected(s.store), Scan: scan,
		Place: func(one *Scenario, _ string) any { return one.ID },
	}, err
}

// Get returns the scenario with an id; nil if there is none that the caller sees.
func (s *Service) Get(ctx context.Context, uid string) (*Scenario, error) {
	return read(ctx, s.store, uid, "")
}

func read(ctx context.Context, q store.Querier, uid, lock string) (*Scenario, error) {
	tenantID, err := tenant.ID(ctx)
	key, ok := check.UUID(uid)
	if err != nil || !ok {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	var text store.SQL
	text.Write("SELECT " + selected(q) + " FROM ")
	from(&text, tenantID, caller)
	text.Write(" AND s.uid = ?"+lock, key)
	found, err := store.Collect(ctx, q, scan, text.Text(), text.Args()...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// reorganisation is what a scenario does to the agency.
func (s *Scenario) reorganisation(initiator string) agency.Reorganisation {
	return agency.Reorganisation{Team: team, Moves: s.Moves, EffectiveFrom: s.EffectiveFrom, Initiator: initiator}
}

// team is the only one.
const team = "default"
