package migrations_test

import "testing"

// Going back before entries shared their keys gives each its own again, as the
// binary of that time reads and checks them.
func TestSharedKeysComeBack(t *testing.T) {
	migrating(t, func(t *testing.T, m migrator) {
		for seq, entry := range [][2]any{{`["A1","A2"]`, nil}, {"[]", 1}, {`["A3"]`, nil}} {
			m.exec(`INSERT INTO audit_entry (tenant_id, seq, at, kind, operation, surface, trace_id, initiator, subject, client_id, entity_type, changes, hash, entity_keys, keys_of)
				VALUES (1, $1, '2026-01-01 00:00:00+00:00', 'REVEAL', 'agents', 'REST', '', '', '', '', 'Agent', '[]', '', $2, $3)`, seq+1, entry[0], entry[1])
		}
		m.exec("INSERT INTO audit_entry_key (tenant_id, seq, entity_type, entity_key) VALUES (1, 1, 'Agent', 'A1'), (1, 1, 'Agent', 'A2'), (1, 3, 'Agent', 'A3')")
		m.down(54)
		var keys, rows string
		for query, value := range map[string]*string{"SELECT entity_keys FROM audit_entry WHERE seq = 2": &keys,
			"SELECT min(entity_key) || max(entity_key) FROM audit_entry_key WHERE seq = 2": &rows} {
			if err := m.db.QueryRowContext(t.Context(), query).Scan(value); err != nil {
				t.Fatal(err)
			}
		}
		if keys != `["A1","A2"]` || rows != "A1A2" {
			t.Errorf("the entry has the keys %s, and the rows %s", keys, rows)
		}
		if _, err := m.db.ExecContext(t.Context(), "UPDATE audit_entry SET entity_keys = ''"); err == nil {
			t.Error("entries can be changed")
		}
	})
}
