package insights

import (
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

// subscriptionURL is the URL of a subscription, only for callers who may read
// subscriptions, since URLs can hold tokens. For the same reason it cannot be sorted by.
func subscriptionURL(r *Run, v any) any {
	if !r.caller.HasScope("read:webhook-subscriptions") {
		return nil
	}
	return v
}

var webhookHealth = &Report{
	Slug: "webhook-health", Title: "Webhook health", MaxPageSize: 500, OfNow: DeliveriesOfNow,
	Description: "How the deliveries of each webhook subscription went lately, every attempt counted and tests left out; a subscription without any is listed, too. Deliveries are kept for as long as the operator says.",
	Parameters: []Parameter{{Name: "days", Type: value.Integer, Least: 1, Most: 366, Default: Constant(int64(7)),
		Description: "Deliveries of the last so many times 24 hours."}},
	Columns: []Column{
		{Key: "subscriptionId", Label: "Subscription", Type: value.Text, SQL: "q.subscription_id", Sort: "subscription_id"},
		{Key: "url", Label: "URL; null without read:webhook-subscriptions", Type: value.Text, SQL: "q.url", From: subscriptionURL},
		{Key: "deliveries", Label: "Deliveries", Type: value.Integer, Measure: true, SQL: "q.deliveries", Sort: "deliveries"},
		{Key: "successRate", Label: "Successful of 100", Type: value.Decimal, SQL: "q.success_rate", Sort: "success_rate"},
		{Key: "p95Ms", Label: "95 of 100 answered within, in milliseconds", Type: value.Integer, SQL: "q.p95_ms", Sort: "p95_ms"},
	},
	Order: []string{"created"},
	// The 95th percentile is the nearest rank: the least time that at least 95 of
	// 100 attempts did not take longer than.
	Core: func(r *Run, s *store.SQL) {
		s.Write(`SELECT w.id AS created, CAST(w.uid AS text) AS subscription_id, w.url, coalesce(n.deliveries, 0) AS deliveries, n.success_rate, n.p95_ms
			FROM webhook_subscription w LEFT JOIN (
				SELECT d.subscription_id, count(*) AS deliveries, (sum(d.successful) * 20000 + count(*)) / (2 * count(*)) AS success_rate,
					min(CASE WHEN d.place * 100 >= d.attempts * 95 THEN d.response_time_ms END) AS p95_ms
				FROM (SELECT d.subscription_id, d.response_time_ms, CASE WHEN d.is_successful THEN 1 ELSE 0 END AS successful,
						row_number() OVER (PARTITION BY d.subscription_id ORDER BY d.response_time_ms) AS place, count(*) OVER (PARTITION BY d.subscription_id) AS attempts
					FROM webhook_delivery d WHERE d.tenant_id = ? AND d.attempted_at >= ? AND d.sequence IS NOT NULL) d
				GROUP BY d.subscription_id
			) n ON n.subscription_id = w.id WHERE w.tenant_id = ?`, r.Tenant.ID, r.Now.Add(-time.Duration(r.Int("days"))*24*time.Hour), r.Tenant.ID)
	},
}
