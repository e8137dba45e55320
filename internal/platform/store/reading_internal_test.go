package store

import "testing"

// What changes behind the mark the primary answers alone. A list that reads the mark with
// its total is no such statement, or no list would come from a replica.
func TestWhatTheReplicaMayAnswer(t *testing.T) {
	for query, counts := range map[string]bool{
		"SELECT code FROM agency_agent WHERE tenant_id = $1":                                true,
		"SELECT m.mark FROM (SELECT (" + Mark("$12") + ") % 9 AS mark) m, agency_agent a":   true,
		"SELECT seq, hash FROM audit_head WHERE tenant_id = $1":                             false,
		"SELECT m.mark FROM (SELECT (" + Mark("$2") + ") AS mark) m, audit_entry e":         false,
		"SELECT id FROM webhook_delivery WHERE tenant_id = $1":                              false,
		"SELECT c.id, (" + Mark("$1") + ") FROM agency_certification c, outbox_event WHERE": false,
	} {
		if MarkCounts(query) != counts {
			t.Errorf("%s: the mark counts its tables: %t, want %t", query, !counts, counts)
		}
	}
}
