package agency

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// placesBelow reads agents with their uplines on a day: whether each is active, and their levels.
const placesBelow = `SELECT a.code, u.code, coalesce(s.is_active, $5), coalesce(t.is_active, $5), coalesce(up.status, ''), l.level, ul.level FROM agency_agent a
	JOIN agency_upline_period p ON p.tenant_id = a.tenant_id AND p.agent_id = a.id AND p.team_id = $3 AND %[1]s
	JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id
	LEFT JOIN agency_pay_status_period ap ON ap.tenant_id = a.tenant_id AND ap.agent_id = a.id AND %[2]s
	LEFT JOIN agency_pay_status s ON s.tenant_id = a.tenant_id AND s.name = ap.status
	LEFT JOIN agency_pay_status_period up ON up.tenant_id = u.tenant_id AND up.agent_id = u.id AND %[3]s
	LEFT JOIN agency_pay_status t ON t.tenant_id = u.tenant_id AND t.name = up.status
	LEFT JOIN agency_level_period l ON l.tenant_id = a.tenant_id AND l.agent_id = a.id AND l.team_id = p.team_id AND %[4]s
	LEFT JOIN agency_level_period ul ON ul.tenant_id = u.tenant_id AND ul.agent_id = u.id AND ul.team_id = p.team_id AND %[5]s
	WHERE a.tenant_id = $1 AND %[6]s ORDER BY a.code`

// Warnings says of agents what is odd of their place on a day: who is active below somebody who is
// not, and whose level is above that of the upline. What is odd is told of the one who was asked for,
// upline or not.
func (l Lexicon) Warnings(ctx context.Context, tx *store.Tx, codes []string, on date.Date, f func(code string, w bulk.Warning)) error {
	id, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	team, err := record.TeamID(ctx, tx, record.DefaultTeam)
	if err != nil {
		return err
	}
	for _, asked := range []string{"a", "u"} {
		at := func(table string) string {
			return fmt.Sprintf("%[1]s.superseded_at IS NULL AND %[1]s.effective_from <= $4 AND (%[1]s.effective_through IS NULL OR %[1]s.effective_through >= $4)", table)
		}
		query := fmt.Sprintf(placesBelow, at("p"), at("ap"), at("up"), at("l"), at("ul"), tx.InTexts(asked+".code", "$2"))
		_, err := store.Collect(ctx, tx, func(row store.Scanner) (none struct{}, err error) {
			var agent, upline, status string
			var isActive, isUplineActive bool
			var level, uplineLevel *int
			if err := row.Scan(&agent, &upline, &isActive, &isUplineActive, &status, &level, &uplineLevel); err != nil {
				return none, err
			}
			of := map[string]string{"a": agent, "u": upline}[asked]
			if isActive && !isUplineActive {
				f(of, bulk.Warning{About: bulk.BelowInactive, Note: agent + " is below " + upline + ", whose pay status is " + status + "."})
			}
			if level != nil && uplineLevel != nil && *level > *uplineLevel {
				f(of, bulk.Warning{About: bulk.AboveUpline, Note: fmt.Sprintf("The level of %s, %d, is above that of its upline %s, %d.", agent, *level, upline, *uplineLevel)})
			}
			return none, nil
		}, query, id, tx.Texts(codes), team, on, true)
		if err != nil {
			return err
		}
	}
	return nil
}
