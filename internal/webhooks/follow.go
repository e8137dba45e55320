package webhooks

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/tenant"
)

// recorded is the signal that this process has recorded deliveries of a tenant.
const recorded = "webhook deliveries"

// places are the numbers of the last deliveries that were read, by subscription.
type places map[int64]int64

// readToFollow limits the deliveries of one subscription that are read at a time.
const readToFollow = 100

func newDeliveries(st *store.Store, log *slog.Logger, subscriptions *registry) *deliveries {
	s := &deliveries{store: st, subscriptions: subscriptions}
	s.followers = tail.New(tail.Source[*Delivery, places]{
		Name: "webhook deliveries", Head: s.recordedOf, Next: s.recordedBehind,
		IsBehind: func(d *Delivery, p places) bool { return d.number > p[d.subscriptionID] },
	}, log)
	st.Listen(recorded, s.followers.Wake)
	return s
}

// Follow returns the deliveries of the context's tenant as they are recorded from now on,
// by whichever process: those of one subscription, in their order, or of all if uid is
// nil.
func (s *deliveries) Follow(ctx context.Context, uid *string) (*tail.Subscription[*Delivery], error) {
	if uid == nil {
		return s.followers.Subscribe(ctx, func(*Delivery) bool { return true })
	}
	sub, err := s.subscriptions.Subscription(ctx, *uid)
	if err != nil {
		return nil, err
	}
	if sub == nil {
		return nil, unknownSubscription("subscriptionId")
	}
	return s.followers.Subscribe(ctx, func(d *Delivery) bool { return d.subscriptionID == sub.ID })
}

// Followers counts the followers in this process.
func (s *deliveries) Followers() int { return s.followers.Subscribers() }

// EndFollowing ends every Follow.
func (s *deliveries) EndFollowing() { s.followers.Close() }

// recordedOf returns how many deliveries each subscription of the context's
// tenant has had.
func (s *deliveries) recordedOf(ctx context.Context) (places, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	all := places{}
	_, err = store.Collect(ctx, s.store, func(row store.Scanner) (none struct{}, err error) {
		var id, n int64
		err = row.Scan(&id, &n)
		all[id] = n
		return none, err
	}, "SELECT s.id, s.deliveries FROM webhook_subscription s WHERE s.tenant_id = $1", tenantID)
	return all, err
}

// recordedBehind reads the new deliveries of some subscriptions.
func (s *deliveries) recordedBehind(ctx context.Context, from places) (rows []*Delivery, to places, more bool, err error) {
	if to, err = s.recordedOf(ctx); err != nil {
		return nil, nil, false, err
	}
	t := tenant.From(ctx)
	for id, n := range to {
		if n <= from[id] {
			continue
		}
		found, err := store.Collect(ctx, s.store, scanDelivery(t), "SELECT "+deliveryColumns+deliveryTables+
			" WHERE d.tenant_id = $1 AND d.subscription_id = $2 AND d.number > $3 AND d.number <= $4 ORDER BY d.number LIMIT "+strconv.Itoa(readToFollow), t.ID, id, from[id], n)
		if err != nil {
			return nil, nil, false, err
		}
		if len(found) == readToFollow {
			to[id], more = found[len(found)-1].number, true
		}
		rows = append(rows, found...)
	}
	return rows, to, more, nil
}
