package apptest

import "fmt"

// Writes are the entries of writes of the trail that a caller reads, newest first: the type of
// what was changed, its keys and fields. None of them has a fingerprint.
func Writes(t T, c *Caller) (all []string) {
	t.Helper()
	data := c.Query(t, `{ auditLog(first: 100, filter: {kind: WRITE}) { nodes { entityType entityKeys changes { field fingerprint } } } }`, nil)
	for _, node := range At(data, "auditLog.nodes").([]any) {
		for _, fingerprint := range Each(node, "changes", "fingerprint") {
			if fingerprint != nil {
				t.Fatalf("an entry has a fingerprint: %v", node)
			}
		}
		all = append(all, fmt.Sprint(At(node, "entityType"), " ", At(node, "entityKeys"), " ", Each(node, "changes", "field")))
	}
	return all
}
