package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// onTheDay joins a period p that covers the day $1 to its agent a.
const onTheDay = " p ON p.tenant_id = a.tenant_id AND p.agent_id = a.id AND p.superseded_at IS NULL AND p.effective_from <= $1 AND (p.effective_through IS NULL OR p.effective_through >= $1)"

// relationsOfAgents are relations of agents, each with a plain statement for what it leads
// to: agent codes and texts.
var relationsOfAgents = []struct {
	path []string
	sql  string
}{
	{[]string{"payStatus", "name"}, "SELECT a.code, p.status FROM agency_agent a JOIN agency_pay_status_period" + onTheDay},
	{[]string{"payee", "status", "name"}, "SELECT a.code, p.status FROM agency_agent a JOIN agency_pay_status_period" + onTheDay},
	{[]string{"isActive"}, "SELECT a.code, CASE WHEN s.is_active THEN 'true' ELSE 'false' END FROM agency_agent a LEFT JOIN agency_pay_status_period" + onTheDay +
		" LEFT JOIN agency_pay_status s ON s.tenant_id = p.tenant_id AND s.name = p.status"},
	{[]string{"payee", "isPayable"}, "SELECT a.code, CASE WHEN s.can_be_paid AND d.id IS NOT NULL AND a.id IN (SELECT a.id FROM agency_agent a JOIN agency_w9_period" + onTheDay +
		") THEN 'true' ELSE 'false' END FROM agency_agent a LEFT JOIN agency_pay_status_period" + onTheDay +
		" LEFT JOIN agency_pay_status s ON s.tenant_id = p.tenant_id AND s.name = p.status LEFT JOIN agency_direct_deposit d ON d.tenant_id = a.tenant_id AND d.agent_id = a.id"},
	{[]string{"upline", "agentCode"}, "SELECT a.code, u.code FROM agency_agent a JOIN agency_upline_period" + onTheDay + " JOIN agency_agent u ON u.id = p.upline_agent_id"},
	{[]string{"membership", "directUpline", "agentCode"}, "SELECT a.code, u.code FROM agency_agent a JOIN agency_upline_period" + onTheDay + " JOIN agency_agent u ON u.id = p.upline_agent_id"},
	{[]string{"membership", "directUplineCode"}, "SELECT a.code, coalesce(u.code, p.deleted_upline_code) FROM agency_agent a JOIN agency_upline_period" + onTheDay +
		" LEFT JOIN agency_agent u ON u.id = p.upline_agent_id WHERE u.id IS NOT NULL OR p.deleted_upline_code IS NOT NULL"},
	{[]string{"membership", "uplineSince"}, "SELECT a.code, CAST(p.effective_from AS TEXT) FROM agency_agent a JOIN agency_upline_period" + onTheDay},
	{[]string{"membership", "level", "value"}, "SELECT a.code, CAST(p.level AS TEXT) FROM agency_agent a JOIN agency_level_period" + onTheDay},
	{[]string{"membership", "levelSince"}, "SELECT a.code, CAST(p.effective_from AS TEXT) FROM agency_agent a JOIN agency_level_period" + onTheDay},
	{[]string{"tags", "name"}, "SELECT a.code, x.tag FROM agency_agent a JOIN agency_tag_assignment x ON x.tenant_id = a.tenant_id AND x.agent_id = a.id"},
	{[]string{"tags", "assignedCount"}, "SELECT a.code, CAST((SELECT count(*) FROM agency_tag_assignment y WHERE y.tenant_id = x.tenant_id AND y.tag = x.tag) AS TEXT)" +
		" FROM agency_agent a JOIN agency_tag_assignment x ON x.tenant_id = a.tenant_id AND x.agent_id = a.id"},
}

// Relations lead to what the tables hold, on two days.
func TestRelationsAreThoseOfTheTables(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		for _, r := range relationsOfAgents {
			query := ""
			for i := len(r.path) - 1; i >= 0; i-- {
				if query = r.path[i] + query; i > 0 {
					query = " { " + query + " }"
				}
			}
			for _, day := range []date.Date{date.Of(2026, 5, 4), date.Of(2025, 3, 1)} {
				want := inTables(t, s, ctx, r.sql, day)
				if len(want) < 2 {
					t.Errorf("%v: the tables have %d, too few to tell", r.path, len(want))
				}
				document := fmt.Sprintf(`{ agents(first: 100, onDate: "%s") { nodes { agentCode %s } } }`, day, query)
				if got := inAnswer(t, server, ctx, document, r.path); !reflect.DeepEqual(got, want) {
					t.Errorf("%v on %s:\n%v\nwant\n%v", r.path, day, got, want)
				}
			}
		}
	})
}

// inTables returns what a statement finds on a day, by agent code.
func inTables(t *testing.T, s *store.Store, ctx context.Context, sql string, day date.Date) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	var args []any
	if strings.Contains(sql, "$1") {
		args = []any{day}
	}
	_, err := store.Collect(ctx, s, func(r store.Scanner) (struct{}, error) {
		var code, text string
		err := r.Scan(&code, &text)
		found[code] = append(found[code], text)
		return struct{}{}, err
	}, sql, args...)
	must(t, err)
	for code := range found {
		slices.Sort(found[code])
	}
	return found
}

// inAnswer returns what a document finds at a path below its agents, by agent code.
func inAnswer(t *testing.T, s *Server, ctx context.Context, document string, path []string) map[string][]string {
	t.Helper()
	text, ok := answer(t, s, ctx, document, true)
	text, _, _ = strings.Cut(text, "\n")
	var data struct {
		Agents struct{ Nodes []map[string]any }
	}
	if !ok || json.Unmarshal([]byte(text), &data) != nil {
		t.Fatalf("%s: %s", document, text)
	}
	found := map[string][]string{}
	for _, agent := range data.Agents.Nodes {
		at := []any{agent}
		for _, name := range path {
			var below []any
			for _, v := range at {
				switch v := v.(map[string]any)[name].(type) {
				case nil:
				case []any:
					below = append(below, v...)
				default:
					below = append(below, v)
				}
			}
			at = below
		}
		for _, v := range at {
			found[agent["agentCode"].(string)] = append(found[agent["agentCode"].(string)], fmt.Sprint(v))
		}
		slices.Sort(found[agent["agentCode"].(string)])
	}
	return found
}
