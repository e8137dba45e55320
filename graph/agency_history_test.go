package graph_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
)

// The history is that of every kind of period of agents, what was replaced left out; a limited
// user's is that of their downline.
func TestAgencyHistory(t *testing.T) {
	const query = "{ agencyHistory { firstDate lastDate uplineChanges { key count } } }"
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		equal(t, "without agents", apptest.At(c.Query(t, query, nil), "agencyHistory"), any(object{"firstDate": nil, "lastDate": nil, "uplineChanges": []any{}}))
		// What the law required before the first agent began is no history of the agency.
		c.Query(t, `mutation { productCreate(input: {code: "TERM", name: "Term life"}) { applied }
			productRuleApply(input: {product: "TERM", rule: "Active", requiresActiveStatus: true, effectiveFrom: "2000-01-01"}) { applied } }`, nil)
		newAgent(t, c, "A1", "", "2024-05-20")
		newAgent(t, c, "A2", "A1", "2025-02-03")
		newAgent(t, c, "A3", "A2", "2025-02-28")
		for _, from := range []string{"2025-09-01", "2025-06-01"} { // the second replaces the first
			succeed(t, c, applyUpline, object{"input": object{"agentCode": "A3", "uplineAgentCode": "A1", "effectiveFrom": from, "initiator": "x"}})
		}
		succeed(t, c, `mutation($input: LevelPeriodApplyInput!) { result: levelPeriodApply(input: $input) { applied userErrors { message } } }`,
			object{"input": object{"agentCode": "A2", "level": 20, "effectiveFrom": "2031-01-01", "initiator": "x"}})
		count := func(month string, n string) any { return object{"key": month, "count": number(n)} }
		equal(t, "the history", apptest.At(c.Query(t, query, nil), "agencyHistory"), any(object{"firstDate": "2024-05-20", "lastDate": "2031-01-01",
			"uplineChanges": list(count("2024-05", "1"), count("2025-02", "2"), count("2025-06", "1"))}))
		user := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "two", "A2", "Agent"))
		equal(t, "of a limited user", apptest.At(user.Query(t, query, nil), "agencyHistory"), any(object{"firstDate": "2025-02-03", "lastDate": "2031-01-01",
			"uplineChanges": list(count("2025-02", "1"))}))
	})
}

// A check of the audit trail finds what was changed, and what was cut since an earlier one.
func TestAuditTrailCheck(t *testing.T) {
	const query = "query($head: String) { auditTrailCheck(head: $head) { isIntact entryCount head brokenAt reason } }"
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		newAgent(t, c, "A1", "", "2025-01-01")
		newAgent(t, c, "A2", "A1", "2025-01-01")
		check := func(head any) object {
			return apptest.At(c.Query(t, query, object{"head": head}), "auditTrailCheck").(object)
		}
		sound := check(nil)
		if sound["isIntact"] != true || sound["entryCount"] == number("0") || sound["brokenAt"] != nil || sound["reason"] != nil {
			t.Errorf("a sound trail: %v", sound)
		}
		equal(t, "held against its own head", any(check(sound["head"])), any(sound))
		if cut := check("999:00ff"); cut["isIntact"] != false || cut["reason"] == nil {
			t.Errorf("a trail that was once longer: %v", cut)
		}
		if _, errs := c.GraphQL(t, query, object{"head": "nonsense"}); len(errs) != 1 || errs[0].Code() != "BAD_USER_INPUT" || errs[0].Extensions["reason"] != "INVALID_FORMAT" {
			t.Errorf("a head that is none: %+v", errs)
		}
		if err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM audit_head WHERE tenant_id = $1", w.Tenants[apptest.Acme].ID)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		broken := check(nil)
		if broken["isIntact"] != false || broken["brokenAt"] != any(number("1")) {
			t.Errorf("a trail without its head: %v", broken)
		}
	})
}
