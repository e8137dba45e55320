package migrations_test

import (
	"fmt"
	"testing"
)

// W9s that processing an application stored in the spelling of REST get that of
// the list; an LLC that does not say how it is taxed becomes OTHER. What is known
// already stays, and no other row comes in from then on.
func TestTaxClassificationsOfExistingRows(t *testing.T) {
	migrating(t, func(t *testing.T, m migrator) {
		m.down(40)
		m.tenant()
		const at = "'2026-01-01 00:00:00+00:00'"
		m.exec(`INSERT INTO agency_agent (id, tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key, is_dedicated, start_date,
			created_at, created_by, last_modified, last_modified_by) VALUES (1, 1, 'A1', 'A', 'B', 'a', 'b', '', '', false, ` + at + `, ` + at + `, 'x', ` + at + `, 'x')`)
		const insert = "INSERT INTO agency_w9 (id, tenant_id, agent_id, name, tax_classification, created_at, created_by) VALUES ($1, 1, 1, 'A', $2, " + at + ", 'x')"
		rows := []struct{ before, after string }{
			{"Individual", "INDIVIDUAL"}, {"SoleProprietor", "SOLE_PROPRIETOR"}, {"CCorporation", "C_CORPORATION"}, {"SCorporation", "S_CORPORATION"},
			{"Partnership", "PARTNERSHIP"}, {"TrustEstate", "TRUST_ESTATE"}, {"LlcC", "LLC_C"}, {"LlcS", "LLC_S"}, {"LlcP", "LLC_P"}, {"Other", "OTHER"},
			{"LLC", "OTHER"}, {"Llc", "OTHER"}, {"LLC_S", "LLC_S"}, {"INDIVIDUAL", "INDIVIDUAL"},
		}
		for i, r := range rows {
			m.exec(insert, i+1, r.before)
		}
		m.up(41)
		for i, r := range rows {
			var got string
			if err := m.db.QueryRowContext(t.Context(), fmt.Sprint("SELECT tax_classification FROM agency_w9 WHERE id = ", i+1)).Scan(&got); err != nil || got != r.after {
				t.Errorf("%s became %s, %v; want %s", r.before, got, err, r.after)
			}
		}
		if _, err := m.db.ExecContext(t.Context(), insert, 99, "LLC"); err == nil {
			t.Error("an LLC that does not say how it is taxed came in")
		}
		m.down(40)
		m.exec(insert, 99, "LLC") // the Down takes the condition away
	})
}
