package model

import (
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/webhooks"
)

// WebhookSubscription is an endpoint that events are delivered to.
type WebhookSubscription struct{ *webhooks.Subscription }

// ID is the id that clients use.
func (s *WebhookSubscription) ID() string { return s.UID }

// Headers are the custom headers; their values are not shown.
func (s *WebhookSubscription) Headers() ([]WebhookHeader, error) {
	if s.Unreadable != nil {
		return nil, s.Unreadable
	}
	headers := make([]WebhookHeader, len(s.HeaderNames))
	for i, name := range s.HeaderNames {
		headers[i] = WebhookHeader{Name: name, Value: webhooks.Mask}
	}
	return headers, nil
}

// ConsecutiveFailures are the failed attempts since the last success.
func (s *WebhookSubscription) ConsecutiveFailures() int { return s.Failures }

// WebhookHeader is a custom header.
type WebhookHeader struct{ Name, Value string }

// WebhookDelivery is an attempt to deliver an event.
type WebhookDelivery struct{ *webhooks.Delivery }

// ID is the id that clients use.
func (d *WebhookDelivery) ID() string { return d.UID }

// SubscriptionID is the id of the subscription.
func (d *WebhookDelivery) SubscriptionID() string { return d.SubscriptionUID }

// EventID is the id of the event.
func (d *WebhookDelivery) EventID() string { return d.Event.ID }

// EventType is the full name of the event's type.
func (d *WebhookDelivery) EventType() string { return d.Event.Type }

// State is the present state of the event.
func (d *WebhookDelivery) State() *WebhookMessageState {
	return (*WebhookMessageState)(d.Delivery.State)
}

// WebhookEventType is a type of event.
type WebhookEventType struct{ *events.Type }

// Area is the area of the service that the event comes from.
func (t *WebhookEventType) Area() string { return string(t.Type.Area) }
