package store

import "testing"

// What changes behind the mark the primary answers alone. A list that reads the mark with
// its total is no such statement, or no list would come from a replica.
func TestWhatTheReplicaMayAnswer(t *testing.T) {
	for query, own := range map[string]bool{
		"SELECT code FROM agency_agent WHERE tenant_id = $1":                                false,
		"SELECT m.mark FROM (SELECT (" + Mark("$12") + ") % 9 AS mark) m, agency_agent a":   false,
		"SELECT seq, hash FROM audit_head WHERE tenant_id = $1":                             true,
		"SELECT m.mark FROM (SELECT (" + Mark("$2") + ") AS mark) m, audit_entry e":         true,
		"SELECT id FROM webhook_delivery WHERE tenant_id = $1":                              true,
		"SELECT c.id, (" + Mark("$1") + ") FROM agency_certification c, outbox_event WHERE": true,
	} {
		if isOwnWay(query) != own {
			t.Errorf("%s: the primary's alone: %t, want %t", query, !own, own)
		}
	}
}
