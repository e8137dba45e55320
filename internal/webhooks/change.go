package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Create adds a subscription and returns it with its secret, which is shown once. It
// begins at its position in the feed.
func (s *registry) Create(ctx context.Context, in Input) (*Subscription, vault.Secret, error) {
	if err := s.check(&in); err != nil {
		return nil, "", err
	}
	if err := mayHear(ctx, *in.Events.Or(&[]string{}), nil); err != nil {
		return nil, "", err
	}
	secret := newSecret()
	var sub *Subscription
	err := s.placed(ctx, func(ctx context.Context, w *change.Writing) (err error) {
		if err := roomForOne(ctx, w); err != nil {
			return err
		}
		// Its values are encrypted for its row, so the row is inserted first.
		sub = &Subscription{UID: uuid.Must(uuid.NewV7()).String(), MaxRetries: defaultRetries, RetryDelayMinutes: defaultDelay, IsActive: true, CreatedAt: w.Now}
		sub.ID, err = w.Insert(ctx, "webhook_subscription", []string{"tenant_id", "uid", "url", "events", "max_retries", "retry_delay_minutes",
			"is_ordered", "is_active", "secret", "created_at", "created_by", "last_modified", "last_modified_by"},
			w.Tenant.ID, sub.UID, "", "[]", sub.MaxRetries, sub.RetryDelayMinutes, false, false, []byte{}, w.Now, w.Initiator, w.Now, w.Initiator)
		if err != nil {
			return err
		}
		if sub.sealed.secret, err = s.vault.Encrypt(ctx, field(w.Tenant.ID, sub.ID, "secret"), secret.Reveal()); err != nil {
			return err
		}
		changed(w, sub.UID, append(in.sent(), "secret")...)
		return s.apply(ctx, w, sub, in)
	})
	if err != nil {
		return nil, "", err
	}
	return sub, secret, nil
}

// maxSubscriptions is the maximum number of subscriptions of a tenant, active or not.
const maxSubscriptions = 100

// roomForOne refuses a subscription above the maximum of a tenant. They are created one
// after the other, since placed locks the tenant's fan-out.
func roomForOne(ctx context.Context, w *change.Writing) error {
	var n int
	_, err := store.One(ctx, w, []any{&n}, "SELECT count(*) FROM webhook_subscription WHERE tenant_id = $1", w.Tenant.ID)
	if err == nil && n >= maxSubscriptions {
		err = problem.Clash(problem.OutOfRange, "A tenant has at most 100 webhook subscriptions").With("max", maxSubscriptions)
	}
	return err
}

// newSecret returns "32 random bytes, base64-encoded" (Webhook subscription).
func newSecret() vault.Secret {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	return vault.Secret(base64.StdEncoding.EncodeToString(random))
}

func (s *registry) check(in *Input) error {
	c := inputCheck{development: s.development}
	c.input(in)
	return c.Err()
}

// Update changes "only the properties sent" (Endpoints), and reports whether any
// differs: "A request that changes nothing writes nothing" (docs/divergences.md).
func (s *registry) Update(ctx context.Context, uid string, in Input) (sub *Subscription, applied bool, err error) {
	if err := s.check(&in); err != nil {
		return nil, false, err
	}
	sub, err = s.change(ctx, uid, func(ctx context.Context, w *change.Writing, sub *Subscription) error {
		fields, err := s.differing(ctx, w.Tenant.ID, sub, in)
		if err != nil {
			return err
		}
		if applied = len(fields) > 0; !applied {
			return s.show(ctx, w.Tenant.ID, sub)
		}
		if err := mayChange(ctx, w, sub, in, fields); err != nil {
			return err
		}
		changed(w, uid, fields...)
		return s.apply(ctx, w, sub, in)
	})
	return sub, applied && err == nil, err
}

// differing names the fields that an input changes.
func (s *registry) differing(ctx context.Context, tenantID int64, sub *Subscription, in Input) (names []string, err error) {
	var headers bool
	if in.Headers.Sent {
		stored, sent, err := s.newHeaders(ctx, tenantID, sub, in.Headers.Value)
		if err != nil {
			return nil, err
		}
		headers = !maps.Equal(stored, sent)
	}
	for _, f := range []struct {
		name    string
		differs bool
	}{
		{"url", *in.URL.Or(&sub.URL) != sub.URL}, {"events", !slices.Equal(*in.Events.Or(&sub.Events), sub.Events)},
		{"description", !same(in.Description.Or(sub.Description), sub.Description)}, {"headers", headers},
		{"maxRetries", orDefault(in.MaxRetries.Or(&sub.MaxRetries), defaultRetries) != sub.MaxRetries},
		{"retryDelayMinutes", orDefault(in.RetryDelayMinutes.Or(&sub.RetryDelayMinutes), defaultDelay) != sub.RetryDelayMinutes},
		{"isOrdered", *in.IsOrdered.Or(&sub.IsOrdered) != sub.IsOrdered}, {"isActive", *in.IsActive.Or(&sub.IsActive) != sub.IsActive},
	} {
		if f.differs {
			names = append(names, f.name)
		}
	}
	return names, nil
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// RotateSecret gives a subscription a new secret, and returns it. The previous secret
// signs for another day. Only one previous secret can: until then another rotation is
// refused, since it would end the secret that the receiver most likely knows. With
// endPrevious only the new one signs from now on.
func (s *registry) RotateSecret(ctx context.Context, uid string, endPrevious bool) (*Subscription, vault.Secret, error) {
	secret := newSecret()
	sub, err := s.change(ctx, uid, func(ctx context.Context, w *change.Writing, sub *Subscription) (err error) {
		if s.previousSigns(sub) && !endPrevious {
			return problem.Clash(problem.PreviousSecretCounts, "Another secret before the current one counts still; wait until it does not, or end both")
		}
		changed(w, uid, "secret")
		sub.sealed.previous, sub.PreviousSecretUntil = nil, nil
		if !endPrevious {
			sub.sealed.previous, sub.PreviousSecretUntil = sub.sealed.secret, new(s.clock.Now().Add(overlap))
		}
		if sub.sealed.secret, err = s.vault.Encrypt(ctx, field(w.Tenant.ID, sub.ID, "secret"), secret.Reveal()); err != nil {
			return err
		}
		return s.apply(ctx, w, sub, Input{})
	})
	if err != nil {
		return nil, "", err
	}
	return sub, secret, nil
}

// overlap is how long both secrets sign after a rotation.
const overlap = 24 * time.Hour

// change locks a subscription, calls f to change it at one position in the feed, and
// wakes it.
func (s *registry) change(ctx context.Context, uid string, f func(ctx context.Context, w *change.Writing, sub *Subscription) error) (sub *Subscription, err error) {
	err = s.placed(ctx, func(ctx context.Context, w *change.Writing) error {
		if sub, err = named(ctx, w, uid, w.ForUpdate()); err != nil {
			return err
		}
		return f(ctx, w, sub)
	})
	if err != nil {
		return nil, err
	}
	if t := tenant.From(ctx); t != nil {
		s.wake(t.ID, sub.ID)
	}
	return sub, nil
}

// named reads and locks the subscription that a request names.
func named(ctx context.Context, w *change.Writing, uid, lock string) (*Subscription, error) {
	sub, err := find(ctx, w, w.Tenant.ID, uid, lock)
	if err != nil {
		return nil, err
	}
	if sub == nil {
		return nil, unknownSubscription("id")
	}
	return sub, w.CheckVersion(ctx, sub.LastModified)
}

// apply writes the properties that were sent. null sets a property to its default, if it
// has one.
func (s *registry) apply(ctx context.Context, w *change.Writing, sub *Subscription, in Input) error {
	wasOrdered := sub.IsOrdered
	sub.LastModified = w.Now
	sub.URL, sub.Events = *in.URL.Or(&sub.URL), *in.Events.Or(&sub.Events)
	sub.Description = in.Description.Or(sub.Description)
	sub.IsOrdered, sub.IsActive = *in.IsOrdered.Or(&sub.IsOrdered), *in.IsActive.Or(&sub.IsActive)
	sub.MaxRetries = orDefault(in.MaxRetries.Or(&sub.MaxRetries), defaultRetries)
	sub.RetryDelayMinutes = orDefault(in.RetryDelayMinutes.Or(&sub.RetryDelayMinutes), defaultDelay)
	if in.Headers.Sent {
		if err := s.applyHeaders(ctx, w.Tenant.ID, sub, in.Headers.Value); err != nil {
			return err
		}
	}
	if sub.IsOrdered != wasOrdered {
		if err := reorder(ctx, w, sub, s.clock.Now()); err != nil {
			return err
		}
	}
	names, err := json.Marshal(sub.Events)
	if err != nil {
		return err
	}
	_, err = w.Exec(ctx, `UPDATE webhook_subscription SET url = $1, events = $2, description = $3, headers = $4, max_retries = $5, retry_delay_minutes = $6,
			is_ordered = $7, is_active = $8, secret = $9, previous_secret = $10, previous_secret_until = $11, last_modified = $12, last_modified_by = $13,
			wakes = wakes + 1, failures = 0, probe_at = NULL
		WHERE tenant_id = $14 AND id = $15`,
		sub.URL, string(names), sub.Description, sub.sealed.headers, sub.MaxRetries, sub.RetryDelayMinutes, sub.IsOrdered, sub.IsActive,
		sub.sealed.secret, sub.sealed.previous, sub.PreviousSecretUntil, w.Now, w.Initiator, w.Tenant.ID, sub.ID)
	if err != nil {
		return err
	}
	return s.show(ctx, w.Tenant.ID, sub)
}

func orDefault(n *int, usual int) int {
	if n == nil {
		return usual
	}
	return *n
}

// applyHeaders replaces the custom headers.
func (s *registry) applyHeaders(ctx context.Context, tenantID int64, sub *Subscription, sent *[]Header) error {
	_, headers, err := s.newHeaders(ctx, tenantID, sub, sent)
	if err == nil {
		sub.sealed.headers, err = s.sealHeaders(ctx, tenantID, sub.ID, headers)
	}
	return err
}

// newHeaders returns the stored custom headers and those that were sent. A masked value,
// as reads show it, stands for the stored one; a header whose stored value can no longer
// be read has none.
func (s *registry) newHeaders(ctx context.Context, tenantID int64, sub *Subscription, sent *[]Header) (stored, headers map[string]string, err error) {
	if stored, err = s.openHeaders(ctx, tenantID, sub); err != nil && !vault.Unreadable(err) {
		return nil, nil, err
	}
	headers = map[string]string{}
	var refused problem.List
	if sent != nil {
		for i, h := range *sent {
			value := h.Value.Reveal()
			if value == Mask {
				var known bool
				if value, known = valueOf(stored, h.Name); !known {
					refused.Add(problem.Invalid(problem.InvalidFormat, "is the mask of a value, and there is none", "headers", strconv.Itoa(i), "value"))
				}
			}
			headers[h.Name] = value
		}
	}
	return stored, headers, refused.Err()
}

func valueOf(headers map[string]string, name string) (string, bool) {
	for stored, value := range headers {
		if strings.EqualFold(stored, name) {
			return value, true
		}
	}
	return "", false
}

// Delete removes a subscription with its messages and deliveries.
func (s *registry) Delete(ctx context.Context, uid string) error {
	return s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		sub, err := named(ctx, w, uid, w.ForDelete())
		if err != nil {
			return err
		}
		changed(w, uid)
		_, err = w.Exec(ctx, "DELETE FROM webhook_subscription WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, sub.ID)
		return err
	})
}
