package migrations_test

import "testing"

// Entries outlive the table that takes those of assistants, and stay as they are.
func TestEntriesOutliveTheirTable(t *testing.T) {
	migrating(t, func(t *testing.T, m migrator) {
		m.down(79)
		const insert = `INSERT INTO audit_entry (tenant_id, seq, at, kind, operation, surface, trace_id, initiator, subject, client_id, entity_type, changes, hash, entity_keys, keys_of, keys_digest)
			VALUES (1, $1, '2026-01-01 00:00:00+00:00', 'REVEAL', 'agents', $2, 'trace', 'initiator', 'subject', 'client', 'Agent', '[1]', 'hash', '["A1"]', 7, 'digest')`
		m.exec(insert, 1, "REST")
		m.up(80)
		m.exec(insert, 2, "MCP")
		var same int
		const text = `operation || trace_id || initiator || subject || client_id || entity_type || changes || CAST(hash AS text) || entity_keys || keys_of || keys_digest || CAST(at AS text)`
		if err := m.db.QueryRowContext(t.Context(), "SELECT count(DISTINCT "+text+") * 10 + count(*) FROM audit_entry").Scan(&same); err != nil || same != 12 {
			t.Errorf("of two entries that are the same: %d, %v", same, err)
		}
		for _, change := range []string{"UPDATE audit_entry SET changes = ''", "DELETE FROM audit_entry"} {
			if _, err := m.db.ExecContext(t.Context(), change); err == nil {
				t.Errorf("the trail takes: %s", change)
			}
		}
	})
}
