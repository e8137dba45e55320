package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Subscription is an endpoint that events are delivered to.
type Subscription struct {
	ID int64
	// UID is the id that clients use.
	UID         string
	URL         string
	Events      []string
	Description *string
	HeaderNames []string
	// Unreadable is the reason why HeaderNames could not be read; nil if they could.
	Unreadable                    error
	MaxRetries, RetryDelayMinutes int
	IsOrdered, IsActive           bool
	// Failures are the failed attempts since the last success.
	Failures     int
	LastSequence int64
	// LastModified is when somebody last changed it; deliveries do not.
	CreatedAt, LastModified time.Time
	// PreviousSecretUntil is when the previous secret stops signing; nil if there is
	// none.
	PreviousSecretUntil *time.Time

	sealed sealed
	// circuit is only read for deliveries.
	circuit circuit
}

// sealed are the encrypted columns.
type sealed struct{ headers, secret, previous []byte }

// Header is a custom header of a subscription.
type Header struct {
	Name  string
	Value vault.Secret
}

// Mask stands for the value of a custom header, which is never shown. Sent back in an
// update, it keeps the stored value.
const Mask = "****"

const table = "webhook_subscription"

const subscriptionColumns = `s.id, s.uid, s.url, s.events, s.description, s.headers, s.max_retries, s.retry_delay_minutes, s.is_ordered, s.is_active,
	s.failures, s.last_sequence, s.created_at, s.last_modified, s.secret, s.previous_secret, s.previous_secret_until`

func scanSubscription(row store.Scanner) (*Subscription, error) {
	var (
		s     Subscription
		names string
	)
	err := row.Scan(&s.ID, &s.UID, &s.URL, &names, &s.Description, &s.sealed.headers, &s.MaxRetries, &s.RetryDelayMinutes, &s.IsOrdered, &s.IsActive,
		&s.Failures, &s.LastSequence, &s.CreatedAt, &s.LastModified, &s.sealed.secret, &s.sealed.previous, &s.PreviousSecretUntil)
	if err != nil {
		return nil, err
	}
	return &s, json.Unmarshal([]byte(names), &s.Events)
}

// registry keeps the subscriptions. It is safe for concurrent use.
type registry struct {
	*fanning
	store       *store.Store
	clock       clock.Clock
	vault       *vault.Vault
	development bool
}

// Subscription returns a subscription, active or not; nil when there is none.
func (s *registry) Subscription(ctx context.Context, uid string) (*Subscription, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	sub, err := find(ctx, s.store, tenantID, uid, "")
	if sub == nil || err != nil {
		return nil, err
	}
	return sub, s.show(ctx, tenantID, sub)
}

func find(ctx context.Context, q store.Querier, tenantID int64, uid, lock string) (*Subscription, error) {
	id, err := uuid.Parse(uid)
	if err != nil {
		return nil, nil
	}
	found, err := store.Collect(ctx, q, scanSubscription,
		"SELECT "+subscriptionColumns+" FROM webhook_subscription s WHERE s.tenant_id = $1 AND s.uid = $2"+lock, tenantID, id.String())
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// The page sizes of the area (api "Paging limits").
const (
	pageSize    = 50
	maxPageSize = 100
)

// Subscriptions reads a page of the subscriptions, oldest first: "active
// subscriptions" (Endpoints), unless the inactive ones are wanted, too.
func (s *registry) Subscriptions(ctx context.Context, inactive bool, args page.Args) (page.Page[*Subscription], error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return page.Page[*Subscription]{}, err
	}
	plan, err := page.List{Name: "webhookSubscriptions", TenantID: tenantID, Default: pageSize, Max: maxPageSize, Keys: []page.Key{
		{Name: "createdAt", SQL: "s.created_at", Kind: page.Time}, {Name: "id", SQL: "s.id", Kind: page.Int},
	}}.Plan(ctx, args)
	if err != nil {
		return page.Page[*Subscription]{}, err
	}
	p, err := page.Reader[*Subscription]{Scan: scanSubscription,
		Reading: page.Reading{Columns: subscriptionColumns, From: func(q *store.SQL) string { return fromSubscriptions(q, tenantID, inactive) }},
		Place:   func(s *Subscription) []any { return []any{s.CreatedAt, s.ID} },
	}.Page(ctx, s.store, plan)
	for _, row := range p.Items {
		err = errors.Join(err, s.show(ctx, tenantID, row))
	}
	if err != nil {
		return page.Page[*Subscription]{}, err
	}
	return p, nil
}

func fromSubscriptions(q *store.SQL, tenantID int64, inactive bool) string {
	from := " FROM webhook_subscription s WHERE s.tenant_id = " + q.Arg(tenantID)
	if !inactive {
		from += " AND s.is_active = " + q.Arg(true)
	}
	return from
}

// show fills in HeaderNames, and removes what has expired.
func (s *registry) show(ctx context.Context, tenantID int64, sub *Subscription) error {
	if !s.previousSigns(sub) {
		sub.PreviousSecretUntil = nil
	}
	headers, err := s.openHeaders(ctx, tenantID, sub)
	if vault.Unreadable(err) {
		sub.Unreadable, err = err, nil
	}
	sub.HeaderNames = slices.Sorted(maps.Keys(headers))
	return err
}

// openHeaders decrypts the custom headers.
func (s *registry) openHeaders(ctx context.Context, tenantID int64, sub *Subscription) (map[string]string, error) {
	if sub.sealed.headers == nil {
		return nil, nil
	}
	text, err := s.vault.Decrypt(ctx, field(tenantID, sub.ID, "headers"), sub.sealed.headers)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{}
	return headers, json.Unmarshal([]byte(text), &headers)
}

func (s *registry) sealHeaders(ctx context.Context, tenantID, id int64, headers map[string]string) ([]byte, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(headers)
	if err != nil {
		return nil, err
	}
	return s.vault.Encrypt(ctx, field(tenantID, id, "headers"), string(text))
}

// field names an encrypted value. The secret and the previous one share their name, so
// that a rotation can move the bytes.
func field(tenantID, id int64, column string) vault.Field {
	return vault.Field{TenantID: tenantID, Table: table, Column: column, RowID: id}
}

// previousSigns reports whether the previous secret still signs.
func (s *registry) previousSigns(sub *Subscription) bool {
	until := sub.PreviousSecretUntil
	return until != nil && s.clock.Now().Before(*until)
}
