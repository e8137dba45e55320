package recipe_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
)

// tables are the tables that datasets are made of, with the columns that count and
// their types.
var tables = map[string]string{
	"agency_agent": `id:integer code:text first_name:text middle_name:text last_name:text common_name:text email:text npn:text customer_id:text
		is_dedicated:boolean start_date:dateTime created_at:dateTime last_modified:dateTime`,
	"agency_address":              `id:integer agent_id:integer kind:text jurisdiction:text`,
	"agency_pay_status":           `id:integer name:text is_active:boolean can_be_paid:boolean`,
	"agency_agent_level":          `id:integer team_id:integer value:integer name:text`,
	"agency_certification_type":   `id:integer code:text category:text`,
	"agency_pay_status_period":    `id:integer agent_id:integer status:text ` + period,
	"agency_upline_period":        `id:integer team_id:integer agent_id:integer upline_agent_id:integer deleted_upline_code:text ` + period,
	"agency_level_period":         `id:integer team_id:integer agent_id:integer level:integer ` + period,
	"agency_w9_period":            `id:integer agent_id:integer ` + period,
	"agency_direct_deposit":       `id:integer agent_id:integer`,
	"agency_certification_period": `id:integer certification_id:integer status:text ` + period,
	"agency_certification": `id:integer agent_id:integer type:text provider_company:text jurisdiction:text identifier:text
		is_resident_certification:boolean is_verified:boolean created_at:dateTime last_modified:dateTime`,
	"onboarding_application": `id:integer uid:text status:text first_name:text last_name:text email_address:text recruiter_agent_code:text
		agent_id:integer submitted_at:dateTime created_at:dateTime last_modified:dateTime`,
	"insights_production_record": `id:integer agent_id:integer policy_number:text provider_company:text product_line:text submitted_on:date issued_on:date
		placed_on:date annual_premium_cents:integer recorded_at:dateTime`,
	"insights_commission_payment": `id:integer agent_id:integer paid_on:date amount_cents:integer reference:text recorded_at:dateTime recorded_by:text`,
	"webhook_subscription":        `id:integer uid:text`,
	"outbox_event":                `id:text type:text`,
	"webhook_delivery": `id:text subscription_id:integer sequence:integer event_id:text attempt_number:integer attempted_at:dateTime is_successful:boolean
		http_status_code:integer response_time_ms:integer`,
}

const period = `effective_from:date effective_through:date recorded_at:dateTime recorded_by:text superseded_at:dateTime`

// agency is all of a tenant that datasets are made of, each table in the order of
// its ids.
type agency map[string][]row

// readAgency reads whole tables: nothing of a report is computed in a statement.
func readAgency(t *testing.T, w *apptest.World) agency {
	t.Helper()
	a := agency{}
	for table, spec := range tables {
		var names, types []string
		for column := range strings.FieldsSeq(spec) {
			name, typ, _ := strings.Cut(column, ":")
			names, types = append(names, name), append(types, typ)
		}
		rows, err := store.Collect(w.Context(t, apptest.Acme), w.Store, func(s store.Scanner) (row, error) { return scanTyped(s, names, types) },
			"SELECT "+strings.Join(names, ", ")+" FROM "+table+" WHERE tenant_id = $1 ORDER BY id", w.Tenants[apptest.Acme].ID)
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		a[table] = rows
	}
	return a
}

func scanTyped(s store.Scanner, names, types []string) (row, error) {
	targets, values := make([]any, len(names)), make([]func() any, len(names))
	for i, typ := range types {
		switch typ {
		case "integer":
			targets[i], values[i] = target(func(v int64) any { return v })
		case "boolean":
			targets[i], values[i] = target(func(v bool) any { return v })
		case "date":
			targets[i], values[i] = target(func(v date.Date) any { return v.String() })
		case "dateTime":
			targets[i], values[i] = target(func(v time.Time) any { return v.UTC() })
		default:
			targets[i], values[i] = target(func(v string) any { return v })
		}
	}
	if err := s.Scan(targets...); err != nil {
		return nil, err
	}
	r := row{}
	for i, name := range names {
		r[name] = values[i]()
	}
	return r, nil
}

func target[T any](of func(T) any) (pointer any, value func() any) {
	var v *T
	return &v, func() any {
		if v == nil {
			return nil
		}
		return of(*v)
	}
}

// find is the first row of a table that has values; nil when there is none.
func (a agency) find(table string, with row) row {
	for _, r := range a[table] {
		if r.has(with) {
			return r
		}
	}
	return row{}
}

// covering is the period that covers a day of those that have values.
func (a agency) covering(table string, day any, with row) row {
	for _, r := range a[table] {
		if day != nil && r.has(with) && covers(r, day.(string)) {
			return r
		}
	}
	return row{}
}

func covers(r row, day string) bool {
	return r["superseded_at"] == nil && r["effective_from"].(string) <= day && (r["effective_through"] == nil || r["effective_through"].(string) >= day)
}

func (r row) has(with row) bool {
	for name, v := range with {
		if r[name] != v {
			return false
		}
	}
	return true
}

// fill adds what the demo does not have: applications, deliveries of webhooks, an
// upline that was deleted, and periods that were replaced.
func fill(t *testing.T, w *apptest.World) {
	t.Helper()
	id := w.Tenants[apptest.Acme].ID
	at := time.Date(2026, 6, 1, 8, 30, 0, 123000, time.UTC)
	for _, code := range []string{"A1000", "A1001"} {
		w.Raise(t, apptest.Acme, events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated,
			events.AgentChange{AgentID: 1, AgentCode: code, Operation: "agentUpdate", ChangedFields: []string{"email"}, Initiator: "x"}))
	}
	err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
		exec := func(query string, args ...any) {
			t.Helper()
			if _, err := tx.Exec(ctx, query, args...); err != nil {
				t.Fatalf("%v\n%s", err, query)
			}
		}
		var agentID int64
		if _, err := store.One(ctx, tx, []any{&agentID}, "SELECT max(id) FROM agency_agent WHERE tenant_id = $1", id); err != nil {
			return err
		}
		for i, status := range []string{"ACTIVE", "COMPLETE", "PROCESSED", "REJECTED", "PAID", "ACTIVE"} {
			var became *int64
			var submitted *time.Time
			if status == "PROCESSED" {
				became = &agentID
			}
			if i%2 == 1 {
				submitted = new(at.Add(time.Duration(i) * time.Hour))
			}
			name := []string{"Ärzte", "ana", "Ana", "Bo'b", "%", "_x"}[i]
			exec(`INSERT INTO onboarding_application (tenant_id, uid, status, recruiter_agent_code, first_name, last_name, email_address, first_name_key, last_name_key, email_key,
				agent_id, submitted_at, created_at, created_by, last_modified, last_modified_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $5, $6, $7, $8, $9, $10, 'x', $11, 'x')`,
				id, "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e7"+string(rune('0'+i)), status, []string{"A1000", "A1001"}[i%2], name, "Lee", "a@b.example", became, submitted, at, at.Add(time.Minute))
		}
		exec(`INSERT INTO webhook_subscription (tenant_id, uid, url, events, max_retries, retry_delay_minutes, is_ordered, is_active, secret, created_at, created_by, last_modified, last_modified_by)
			VALUES ($1, '0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e80', 'https://x.example', '["AgentCreated"]', 3, 1, $2, $3, $4, $5, 'x', $5, 'x')`, id, false, true, []byte("sealed"), at)
		var subscription int64
		if _, err := store.One(ctx, tx, []any{&subscription}, "SELECT id FROM webhook_subscription WHERE tenant_id = $1", id); err != nil {
			return err
		}
		raised, err := store.Collect(ctx, tx, func(s store.Scanner) (e string, err error) { return e, s.Scan(&e) }, "SELECT id FROM outbox_event WHERE tenant_id = $1 ORDER BY id", id)
		if err != nil || len(raised) == 0 {
			t.Fatalf("%d events %v", len(raised), err)
		}
		for i := range 8 {
			sequence := new(i)
			if i == 5 { // a test
				sequence = nil
			}
			var code *int
			if i%3 > 0 {
				code = new(200 + 100*(i%3))
			}
			exec(`INSERT INTO webhook_delivery (tenant_id, id, subscription_id, sequence, event_id, url, attempt_number, attempted_at, is_successful, http_status_code, response_time_ms)
				VALUES ($1, $2, $3, $10, $4, 'https://x.example', $5, $6, $7, $8, $9)`,
				id, "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e9"+string(rune('7'-i)), subscription, raised[i%len(raised)], 1+i%3, at.Add(time.Duration(i*i%5)*time.Second), i%2 == 0, code, 40+i*i%7, sequence)
		}
		for year, replaced := range map[string]*time.Time{"2001": nil, "2002": &at} { // the flattened hierarchy knows neither
			exec(`INSERT INTO agency_upline_period (tenant_id, team_id, agent_id, deleted_upline_code, effective_from, effective_through, recorded_at, recorded_by, superseded_at)
				SELECT tenant_id, id, $1, 'GONE', $2, $3, $4, 'x', $5 FROM agency_team WHERE tenant_id = $6`, agentID, year+"-01-01", year+"-12-31", at, replaced, id)
		}
		exec(`UPDATE agency_upline_period SET deleted_upline_code = 'GONE TOO' WHERE tenant_id = $1 AND upline_agent_id IS NULL AND deleted_upline_code IS NULL`, id)
		exec(`UPDATE insights_production_record SET agent_id = $1, submitted_on = '2001-03-03', issued_on = '2026-05-05', placed_on = '2001-05-05'
			WHERE id = (SELECT min(id) FROM insights_production_record WHERE tenant_id = $2)`, agentID, id)
		for _, table := range []string{"agency_pay_status_period", "agency_level_period", "agency_certification_period"} {
			exec(`UPDATE `+table+` SET superseded_at = $1 WHERE id = (SELECT min(id) FROM `+table+` WHERE tenant_id = $2)`, at, id)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
