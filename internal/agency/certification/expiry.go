package certification

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// expiryBands say how many days before its end a certification raises an event, and down
// to how many remaining days that event is the one due. A process that was down on the
// day itself raises it later. Of several days that it missed, it raises only the last.
var expiryBands = []struct{ days, least int }{{90, 61}, {60, 31}, {30, 8}, {7, 0}}

// expiryBatch is the number of certifications whose events are written in one
// transaction.
const expiryBatch = 500

// TellExpiring writes the event CertificationExpiring for every certification of the
// context's tenant that is due: one event for each end and each of 90, 60, 30 and 7 days
// before it, no matter how often and in how many processes it runs. Each batch is
// committed on its own, so a run that stopped can simply be run again.
func (s *Service) TellExpiring(ctx context.Context) error {
	t := tenant.From(ctx)
	if t == nil {
		return tenant.ErrNone
	}
	for _, band := range expiryBands {
		for told := expiryBatch; told == expiryBatch; {
			err := s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				now := s.clock.Now()
				today := date.In(now, t.Zone)
				due, err := dueExpiring(ctx, tx, t.ID, today, band.days, band.least)
				if told = len(due); err != nil || told == 0 {
					return err
				}
				return tellExpiring(ctx, tx, t, now, due, band.days)
			})
			if err != nil {
				return fmt.Errorf("tell of expiring certifications: %w", err)
			}
		}
	}
	return nil
}

// dueExpiring reads the certifications whose active period in force ends within a band
// and that have no event for it yet. It locks the tenant's row, so the later of two runs
// sees what the earlier one has written.
//
// Only active periods count: "Active (in good standing)" (Certification statuses) is what
// runs out, while the end of any other status takes nothing from the agent. An end does
// not count either if another active period follows on the next day: "adjacent periods
// with the same status are not merged" (Effective-dated history rules).
func dueExpiring(ctx context.Context, tx *store.Tx, tenantID int64, today date.Date, days, least int) ([]events.Expiring, error) {
	var locked int64
	if _, err := store.One(ctx, tx, []any{&locked}, "SELECT id FROM tenant WHERE id = $1"+tx.ForUpdate(), tenantID); err != nil {
		return nil, err
	}
	var lock string
	if tx.Postgres() { // against a deletion; changes go on
		lock = " FOR KEY SHARE OF c"
	}
	return store.Collect(ctx, tx, func(r store.Scanner) (e events.Expiring, err error) {
		err = r.Scan(&e.CertificationID, &e.AgentCode, &e.Type, &e.EffectiveThrough)
		e.DaysRemaining = int(e.EffectiveThrough - today)
		return e, err
	}, `SELECT c.id, a.code, c.type, p.effective_through FROM agency_certification_period p
		JOIN agency_certification c ON c.tenant_id = $1 AND c.id = p.certification_id
		JOIN agency_agent a ON a.tenant_id = $1 AND a.id = c.agent_id
		WHERE p.tenant_id = $1 AND p.superseded_at IS NULL AND p.status = 'ACTIVE'
			AND p.effective_from <= $2 AND p.effective_through >= $3 AND p.effective_through <= $4
			AND NOT EXISTS (SELECT 1 FROM agency_certification_expiry e WHERE e.tenant_id = $1
				AND e.certification_id = p.certification_id AND e.effective_through = p.effective_through AND e.days = $5)
			AND NOT EXISTS (SELECT 1 FROM agency_certification_period n WHERE n.tenant_id = $1 AND n.certification_id = p.certification_id
				AND n.superseded_at IS NULL AND n.status = 'ACTIVE' AND n.effective_from = `+dayAfter(tx, "p.effective_through")+`)
		ORDER BY p.effective_through, p.certification_id LIMIT $6`+lock,
		tenantID, today, today.AddDays(least), today.AddDays(days), days, expiryBatch)
}

// dayAfter returns SQL for the day after the one in a column.
func dayAfter(tx *store.Tx, column string) string {
	if tx.Postgres() {
		return column + " + 1"
	}
	return "date(" + column + ", '+1 day')"
}

// tellExpiring writes the events of certifications, and notes that they are written.
func tellExpiring(ctx context.Context, tx *store.Tx, t *tenant.Tenant, now time.Time, due []events.Expiring, days int) error {
	var told store.SQL
	all := make([]events.Event, len(due))
	told.Write("INSERT INTO agency_certification_expiry (tenant_id, certification_id, effective_through, days) VALUES ")
	for i, e := range due {
		if i > 0 {
			told.Write(", ")
		}
		told.Write("(?, ?, ?, ?)", t.ID, e.CertificationID, e.EffectiveThrough, days)
		all[i] = events.ExpiringEvent(t, e)
	}
	if _, err := tx.Exec(ctx, told.Text(), told.Args()...); err != nil {
		return err
	}
	return events.WriteAll(ctx, tx, now, all)
}
