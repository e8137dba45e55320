package identity

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

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
