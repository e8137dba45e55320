package migrations_test

import "testing"

// Applications that were there before they outlived their agents stay as they are, with
// the steps that they took; no id is given twice.
func TestApplicationsOfExistingRows(t *testing.T) {
	migrating(t, func(t *testing.T, m migrator) {
		m.down(47)
		m.tenant()
		application := func(uid string) {
			m.exec(`INSERT INTO onboarding_application (tenant_id, uid, status, recruiter_agent_code, first_name, last_name, email_address, first_name_key, last_name_key, email_key, document,
				created_at, created_by, last_modified, last_modified_by)
				VALUES (1, $1, 'ACTIVE', 'A1', 'Rosa', 'Ibarra', 'r@x', 'rosa', 'ibarra', 'r@x', $2, '2026-01-01 00:00:00+00:00', 'x', '2026-01-01 00:00:00+00:00', 'x')`, uid, []byte("sealed"))
		}
		application("0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70")
		application("0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e71")
		application("0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e72")
		m.exec(`INSERT INTO onboarding_application_status_change (tenant_id, application_id, to_status, changed_at, changed_by) SELECT tenant_id, id, 'ACTIVE', created_at, 'x' FROM onboarding_application`)
		m.exec(`DELETE FROM onboarding_application WHERE uid = '0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e72'`)
		m.up(48)
		m.down(47)
		m.up(48)
		application("0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e73")
		m.answers(map[string]string{
			"SELECT count(*) FROM onboarding_application": "3",
			"SELECT count(*) FROM onboarding_application_status_change c JOIN onboarding_application a ON a.id = c.application_id": "2",
			"SELECT max(id) FROM onboarding_application": "4",
		})
		m.exec("UPDATE onboarding_application SET status = 'PROCESSED'") // without an agent
	})
}
