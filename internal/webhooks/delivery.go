package webhooks

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Delivery is an attempt to deliver an event: "every attempt is recorded in the
// delivery history" (Events, 2).
type Delivery struct {
	// UID is the id, also sent as the header X-Webhook-Id.
	UID             string
	SubscriptionUID string
	// Sequence is the number of the event in the subscription; nil for a test.
	Sequence       *int64
	URL            string
	AttemptNumber  int
	AttemptedAt    time.Time
	IsSuccessful   bool
	HTTPStatusCode *int
	Response       *string
	ResponseTimeMs int
	ErrorMessage   *string
	// State is the state of the event for the subscription: PENDING, DELIVERED or
	// GIVEN_UP; nil for a test. NextAttemptAt is when it is attempted next.
	State         *string
	NextAttemptAt *time.Time
	Event         *events.Stored

	subscriptionID int64
	// number is the position among the subscription's deliveries, in the order in which
	// they were recorded.
	number int64
	tenant *tenant.Tenant
}

// Payload is the body that was sent.
func (d *Delivery) Payload() (json.RawMessage, error) { return d.Event.Body(d.tenant.Identifier) }

const deliveryColumns = `d.id, s.uid, d.subscription_id, COALESCE(d.number, 0), d.sequence, d.url, d.attempt_number, d.attempted_at, d.is_successful, d.http_status_code, d.response,
	d.response_time_ms, d.error_message, m.state, m.next_attempt_at, ` + events.Columns

const deliveryTables = ` FROM webhook_delivery d
	JOIN webhook_subscription s ON s.tenant_id = d.tenant_id AND s.id = d.subscription_id
	JOIN outbox_event e ON e.tenant_id = d.tenant_id AND e.id = d.event_id
	LEFT JOIN webhook_message m ON m.tenant_id = d.tenant_id AND m.subscription_id = d.subscription_id AND m.sequence = d.sequence`

func scanDelivery(t *tenant.Tenant) func(store.Scanner) (*Delivery, error) {
	return func(row store.Scanner) (d *Delivery, err error) {
		d = &Delivery{tenant: t}
		d.Event, err = events.Scan(store.After(row, &d.UID, &d.SubscriptionUID, &d.subscriptionID, &d.number, &d.Sequence, &d.URL, &d.AttemptNumber, &d.AttemptedAt,
			&d.IsSuccessful, &d.HTTPStatusCode, &d.Response, &d.ResponseTimeMs, &d.ErrorMessage, &d.State, &d.NextAttemptAt))
		return d, err
	}
}

// DeliveryFilter says which deliveries to list.
type DeliveryFilter struct {
	IsSuccessful *bool
	// EventTypes are names as subscriptions use them; all types when empty.
	EventTypes []string
	EventID    *string
}

// deliveries reads the deliveries, and follows them. It is safe for concurrent use.
type deliveries struct {
	store         *store.Store
	subscriptions *registry
	followers     *tail.Hub[*Delivery, places]
}

// Deliveries are the deliveries of a subscription, newest first.
type Deliveries struct {
	store        *store.Store
	subscription int64
	filter       DeliveryFilter
}

// Deliveries returns the deliveries of a subscription, to be read in pages.
func (s *deliveries) Deliveries(sub *Subscription, filter DeliveryFilter) Deliveries {
	return Deliveries{s.store, sub.ID, filter}
}

// Page reads a page.
func (l Deliveries) Page(ctx context.Context, args page.Args) (page.Page[*Delivery], error) {
	t := tenant.From(ctx)
	if t == nil {
		return page.Page[*Delivery]{}, tenant.ErrNone
	}
	plan, err := page.List{Name: "webhookDeliveries", TenantID: t.ID, Default: pageSize, Max: maxPageSize, Keys: []page.Key{
		{Name: "attemptedAt", SQL: "d.attempted_at", Kind: page.Time, Desc: true}, {Name: "id", SQL: "d.id", Kind: page.UUID, Desc: true},
	}}.Plan(ctx, args)
	if err != nil {
		return page.Page[*Delivery]{}, err
	}
	conditions, err := l.conditions()
	if err != nil {
		return page.Page[*Delivery]{}, err
	}
	return page.Reader[*Delivery]{Scan: scanDelivery(t),
		Reading: page.Reading{Columns: deliveryColumns, From: func(q *store.SQL) string {
			return deliveryTables + q.Piece(func(q *store.SQL) {
				q.Write(" WHERE d.tenant_id = ? AND d.subscription_id = ?", t.ID, l.subscription)
				conditions(q)
			})
		}},
		Place: func(d *Delivery) []any { return []any{d.AttemptedAt, d.UID} },
	}.Page(ctx, l.store, plan)
}

// conditions returns a function that writes the conditions of the filter.
func (l Deliveries) conditions() (func(q *store.SQL), error) {
	var event *string
	if l.filter.EventID != nil {
		id, err := uuid.Parse(*l.filter.EventID)
		if err != nil {
			return nil, problem.Invalid(problem.InvalidFormat, "must be the id of an event", "eventId")
		}
		text := id.String()
		event = &text
	}
	types, err := resolve(l.filter.EventTypes, "eventTypes")
	return func(q *store.SQL) {
		if l.filter.IsSuccessful != nil {
			q.Write(" AND d.is_successful = ?", *l.filter.IsSuccessful)
		}
		if event != nil {
			q.Write(" AND d.event_id = ?", *event)
		}
		if len(l.filter.EventTypes) > 0 {
			q.Write(" AND " + l.store.InTexts("e.type", q.Arg(l.store.Texts(types))))
		}
	}, err
}

// resolve returns the full names of event types.
func resolve(names []string, field string) ([]string, error) {
	types, unknown := events.Resolve(names)
	var refused problem.List
	for _, i := range unknown {
		refused.Add(problem.Invalid(problem.InvalidFormat, "There is no event type of this name", field, strconv.Itoa(i)))
	}
	return types, refused.Err()
}

// Delivery returns a delivery; nil when there is none.
func (s *deliveries) Delivery(ctx context.Context, uid string) (*Delivery, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	return findDelivery(ctx, s.store, t, uid)
}

func findDelivery(ctx context.Context, q store.Querier, t *tenant.Tenant, uid string) (*Delivery, error) {
	id, err := uuid.Parse(uid)
	if err != nil {
		return nil, nil
	}
	found, err := store.Collect(ctx, q, scanDelivery(t), "SELECT "+deliveryColumns+deliveryTables+" WHERE d.tenant_id = $1 AND d.id = $2", t.ID, id.String())
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}
