package resolve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/follow"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/webhooks"
)

func (r queryResolver) WebhookSubscription(ctx context.Context, id string) (*model.WebhookSubscription, error) {
	sub, err := r.Webhooks.Subscription(ctx, id)
	return found(sub, err, webhookSubscriptionView)
}

func (r queryResolver) WebhookSubscriptions(ctx context.Context, includeInactive bool, first *int, after *string, last *int, before *string, offset *int) (*model.WebhookSubscriptionConnection, error) {
	p, err := r.Webhooks.Subscriptions(ctx, includeInactive, paging(ctx))
	if err != nil {
		return nil, err
	}
	c := model.Connect(p, webhookSubscriptionView)
	return &c, nil
}

func (r queryResolver) WebhookDeliveries(ctx context.Context, subscriptionID string, filter *webhooks.DeliveryFilter, first *int, after *string, last *int, before *string, offset *int) (*model.WebhookDeliveryConnection, error) {
	sub, err := r.Webhooks.Subscription(ctx, subscriptionID)
	if err != nil {
		return nil, err
	}
	if sub == nil {
		return nil, problem.Missing(problem.NotFoundCode, "There is no such webhook subscription", "subscriptionId")
	}
	return r.webhookDeliveries(ctx, sub, filter, first, after, last, before, offset)
}

func (r *Resolver) webhookDeliveries(ctx context.Context, sub *webhooks.Subscription, filter *webhooks.DeliveryFilter, first *int, after *string, last *int, before *string, offset *int) (*model.WebhookDeliveryConnection, error) {
	p, err := r.Webhooks.Deliveries(sub, convert.Given(filter)).Page(ctx, paging(ctx))
	if err != nil {
		return nil, err
	}
	c := model.Connect(p, webhookDeliveryView)
	return &c, nil
}

func (r queryResolver) WebhookDelivery(ctx context.Context, id string) (*model.WebhookDelivery, error) {
	d, err := r.Webhooks.Delivery(ctx, id)
	return found(d, err, webhookDeliveryView)
}

func (r queryResolver) WebhookEventTypes(context.Context) ([]*model.WebhookEventType, error) {
	types := events.Catalogue()
	shown := make([]*model.WebhookEventType, len(types))
	for i := range types {
		shown[i] = &model.WebhookEventType{Type: &types[i]}
	}
	return shown, nil
}

func (r webhookSubscriptionResolver) Deliveries(ctx context.Context, obj *model.WebhookSubscription, filter *webhooks.DeliveryFilter, first *int, after *string, last *int, before *string, offset *int) (*model.WebhookDeliveryConnection, error) {
	return r.webhookDeliveries(ctx, obj.Subscription, filter, first, after, last, before, offset)
}

func (r mutationResolver) WebhookSubscriptionCreate(ctx context.Context, input model.WebhookSubscriptionCreateInput) (*model.WebhookSubscriptionPayload, error) {
	sub, secret, err := r.Webhooks.Create(ctx, webhooks.Input{
		URL: patch.Set(input.URL), Events: patch.Set(input.Events), Description: convert.Field(input.Description), Headers: webhookHeaders(input.Headers),
		MaxRetries: convert.Field(input.MaxRetries), RetryDelayMinutes: convert.Field(input.RetryDelayMinutes), IsOrdered: patch.Set(input.IsOrdered)})
	return webhookSubscriptionPayload(sub, secret, true, err)
}

func (r mutationResolver) WebhookSubscriptionUpdate(ctx context.Context, input model.WebhookSubscriptionUpdateInput) (*model.WebhookSubscriptionPayload, error) {
	in := webhooks.Input{URL: convert.Field(input.URL), IsActive: convert.Field(input.IsActive), Description: convert.Field(input.Description), Headers: webhookHeaders(input.Headers),
		MaxRetries: convert.Field(input.MaxRetries), RetryDelayMinutes: convert.Field(input.RetryDelayMinutes), IsOrdered: convert.Field(input.IsOrdered)}
	if input.Events.IsSet() {
		in.Events.Sent = true
		if names := input.Events.Value(); names != nil {
			in.Events.Value = &names
		}
	}
	sub, applied, err := r.Webhooks.Update(ctx, input.ID, in)
	return webhookSubscriptionPayload(sub, "", applied, err)
}

func (r mutationResolver) WebhookSubscriptionDelete(ctx context.Context, input model.WebhookSubscriptionDeleteInput) (*model.DeletePayload, error) {
	return convert.DeletedID(input.ID), r.Webhooks.Delete(ctx, input.ID)
}

func (r mutationResolver) WebhookSubscriptionRotateSecret(ctx context.Context, input model.WebhookSubscriptionRotateSecretInput) (*model.WebhookSubscriptionPayload, error) {
	sub, secret, err := r.Webhooks.RotateSecret(ctx, input.ID, input.EndPrevious)
	return webhookSubscriptionPayload(sub, secret, true, err)
}

func webhookSubscriptionPayload(sub *webhooks.Subscription, secret vault.Secret, applied bool, err error) (*model.WebhookSubscriptionPayload, error) {
	shown, err := found(sub, err, webhookSubscriptionView)
	return &model.WebhookSubscriptionPayload{WebhookSubscription: shown, Secret: shownOnce(secret), Outcome: model.Outcome{Applied: applied}}, err
}

func (r mutationResolver) WebhookTest(ctx context.Context, input model.WebhookTestInput) (*model.WebhookDeliveryPayload, error) {
	return webhookDeliveryPayload(r.Webhooks.Test(ctx, input.ID))
}

func (r mutationResolver) WebhookDeliveryRetry(ctx context.Context, input model.WebhookDeliveryRetryInput) (*model.WebhookDeliveryPayload, error) {
	return webhookDeliveryPayload(r.Webhooks.Retry(ctx, input.ID))
}

func webhookDeliveryPayload(d *webhooks.Delivery, err error) (*model.WebhookDeliveryPayload, error) {
	shown, err := found(d, err, webhookDeliveryView)
	return &model.WebhookDeliveryPayload{Delivery: shown, Outcome: model.Outcome{Applied: err == nil}}, err
}

func (r mutationResolver) WebhookReplay(ctx context.Context, input model.WebhookReplayInput) (*model.WebhookSubscriptionPayload, error) {
	sub, queued, err := r.Webhooks.Replay(ctx, input.ID, webhooks.Replay{From: input.From, Through: input.Through, EventTypes: input.EventTypes.Value()})
	shown, err := found(sub, err, webhookSubscriptionView)
	return &model.WebhookSubscriptionPayload{WebhookSubscription: shown, Queued: queued, Outcome: model.Outcome{Applied: queued > 0}}, err
}

func (r subscriptionResolver) WebhookDeliveryAdded(ctx context.Context, subscriptionID *string) (<-chan *model.WebhookDelivery, error) {
	return follow.Rows(ctx, r.Log, func(ctx context.Context) (*tail.Subscription[*webhooks.Delivery], error) {
		return r.Webhooks.Follow(ctx, subscriptionID)
	}, func(_ context.Context, d *webhooks.Delivery) (*model.WebhookDelivery, error) {
		return webhookDeliveryView(d), nil
	})
}

func webhookSubscriptionView(s *webhooks.Subscription) *model.WebhookSubscription {
	return &model.WebhookSubscription{Subscription: s}
}

func webhookDeliveryView(d *webhooks.Delivery) *model.WebhookDelivery {
	return &model.WebhookDelivery{Delivery: d}
}

func webhookHeaders(o graphql.Omittable[[]*model.WebhookHeaderInput]) patch.Field[[]webhooks.Header] {
	if !o.IsSet() || o.Value() == nil {
		return patch.Field[[]webhooks.Header]{Sent: o.IsSet()}
	}
	headers := make([]webhooks.Header, len(o.Value()))
	for i, h := range o.Value() {
		headers[i] = webhooks.Header{Name: h.Name, Value: vault.Secret(h.Value)}
	}
	return patch.Set(headers)
}

func (r webhookSubscriptionResolver) RetrySchedule(_ context.Context, obj *model.WebhookSubscription) ([]int, error) {
	pauses := r.Webhooks.Schedule(obj.Subscription)
	minutes := make([]int, len(pauses))
	for i, p := range pauses {
		minutes[i] = int(p.Minutes())
	}
	return minutes, nil
}
