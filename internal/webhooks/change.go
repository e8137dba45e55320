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

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/vault"
)

// Create adds a subscription and returns it with its secret, which is shown
// once.
func (s *Service) Create(ctx context.Context, in Input) (*Subscription, vault.Secret, error) {
	if err := s.check(&in); err != nil {
		return nil, "", err
	}
	if err := mayHear(ctx, *in.Events.Or(&[]string{}), nil); err != nil {
		return nil, "", err
	}
	if err := s.FanOut(ctx); err != nil { // what happened until now is not for it
		return nil, "", err
	}
	secret := newSecret()
	var sub *Subscription
	err := s.write(ctx, func(ctx context.Context, w *writing) error {
		sub = &Subscription{UID: uuid.Must(uuid.NewV7()).String(), IsActive: true, MaxRetries: defaultRetries, RetryDelayMinutes: defaultDelay, CreatedAt: w.now}
		_, err := store.One(ctx, w, []any{&sub.ID}, `INSERT INTO webhook_subscription (tenant_id, uid, url, events, max_retries, retry_delay_minutes,
			is_ordered, is_active, secret, created_at, created_by, last_modified, last_modified_by)
			VALUES ($1, $2, '', '[]', 0, 0, $3, $3, $4, $5, $6, $5, $6) RETURNING id`, w.tenantID, sub.UID, false, []byte{}, w.now, w.initiator)
		if err != nil {
			return err
		}
		if sub.sealed.secret, err = s.Vault.Encrypt(ctx, field(w.tenantID, sub.ID, "secret"), secret.Reveal()); err != nil {
			return err
		}
		w.changed(sub.UID, append(in.sent(), "secret")...)
		return s.apply(ctx, w, sub, in)
	})
	if err != nil {
		return nil, "", err
	}
	return sub, secret, nil
}

// newSecret returns "32 random bytes, base64-encoded" (Webhook subscription).
func newSecret() vault.Secret {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	return vault.Secret(base64.StdEncoding.EncodeToString(random))
}

func (s *Service) check(in *Input) error {
	c := check{development: s.Development}
	c.input(in)
	return c.Err()
}

// Update changes "only the properties sent" (Endpoints). Events that were
// raised until now go by the subscription as it was. "A request that changes
// nothing writes nothing" (docs/divergences.md).
func (s *Service) Update(ctx context.Context, uid string, in Input) (*Subscription, error) {
	if err := s.check(&in); err != nil {
		return nil, err
	}
	return s.change(ctx, uid, func(ctx context.Context, w *writing, sub *Subscription) error {
		fields, err := s.differing(ctx, w.tenantID, sub, in)
		if err != nil {
			return err
		}
		if len(fields) == 0 {
			return s.nameHeaders(ctx, w.tenantID, sub)
		}
		if err := mayChange(ctx, sub, in, fields); err != nil {
			return err
		}
		w.changed(uid, fields...)
		return s.apply(ctx, w, sub, in)
	})
}

// differing names the fields that an input changes.
func (s *Service) differing(ctx context.Context, tenantID int64, sub *Subscription, in Input) (names []string, err error) {
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

// RotateSecret gives a subscription a new secret. Both sign for a day.
func (s *Service) RotateSecret(ctx context.Context, uid string) (*Subscription, vault.Secret, error) {
	secret := newSecret()
	sub, err := s.change(ctx, uid, func(ctx context.Context, w *writing, sub *Subscription) (err error) {
		w.changed(uid, "secret")
		until := w.now.Add(overlap)
		sub.sealed.previous, sub.PreviousSecretUntil = sub.sealed.secret, &until
		if sub.sealed.secret, err = s.Vault.Encrypt(ctx, field(w.tenantID, sub.ID, "secret"), secret.Reveal()); err != nil {
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

// change locks a subscription, has f change it, and wakes it.
func (s *Service) change(ctx context.Context, uid string, f func(ctx context.Context, w *writing, sub *Subscription) error) (sub *Subscription, err error) {
	if err := s.FanOut(ctx); err != nil {
		return nil, err
	}
	var tenantID int64
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		tenantID = w.tenantID
		if sub, err = find(ctx, w, w.tenantID, uid, w.ForUpdate()); err != nil {
			return err
		}
		if sub == nil {
			return unknownSubscription("id")
		}
		return f(ctx, w, sub)
	})
	if err != nil {
		return nil, err
	}
	s.wake(tenantID, sub.ID)
	return sub, nil
}

// apply writes a subscription with what was sent. null gives what has a default
// its default.
func (s *Service) apply(ctx context.Context, w *writing, sub *Subscription, in Input) error {
	wasOrdered := sub.IsOrdered
	sub.URL, sub.Events = *in.URL.Or(&sub.URL), *in.Events.Or(&sub.Events)
	sub.Description = in.Description.Or(sub.Description)
	sub.IsOrdered, sub.IsActive = *in.IsOrdered.Or(&sub.IsOrdered), *in.IsActive.Or(&sub.IsActive)
	sub.MaxRetries = orDefault(in.MaxRetries.Or(&sub.MaxRetries), defaultRetries)
	sub.RetryDelayMinutes = orDefault(in.RetryDelayMinutes.Or(&sub.RetryDelayMinutes), defaultDelay)
	if in.Headers.Sent {
		if err := s.applyHeaders(ctx, w.tenantID, sub, in.Headers.Value); err != nil {
			return err
		}
	}
	if sub.IsOrdered != wasOrdered {
		if err := w.reorder(ctx, sub); err != nil {
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
		sub.sealed.secret, sub.sealed.previous, sub.PreviousSecretUntil, w.now, w.initiator, w.tenantID, sub.ID)
	if err != nil {
		return err
	}
	return s.nameHeaders(ctx, w.tenantID, sub)
}

func orDefault(n *int, usual int) int {
	if n == nil {
		return usual
	}
	return *n
}

// applyHeaders replaces the custom headers.
func (s *Service) applyHeaders(ctx context.Context, tenantID int64, sub *Subscription, sent *[]Header) error {
	_, headers, err := s.newHeaders(ctx, tenantID, sub, sent)
	if err == nil {
		sub.sealed.headers, err = s.sealHeaders(ctx, tenantID, sub.ID, headers)
	}
	return err
}

// newHeaders returns the custom headers that are stored and those that were
// sent. A masked value, as reads show it, stands for the one that is stored.
func (s *Service) newHeaders(ctx context.Context, tenantID int64, sub *Subscription, sent *[]Header) (stored, headers map[string]string, err error) {
	if stored, err = s.openHeaders(ctx, tenantID, sub); err != nil {
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
func (s *Service) Delete(ctx context.Context, uid string) error {
	return s.write(ctx, func(ctx context.Context, w *writing) error {
		sub, err := find(ctx, w, w.tenantID, uid, w.ForDelete())
		if err != nil {
			return err
		}
		if sub == nil {
			return unknownSubscription("id")
		}
		w.changed(uid)
		_, err = w.Exec(ctx, "DELETE FROM webhook_subscription WHERE tenant_id = $1 AND id = $2", w.tenantID, sub.ID)
		return err
	})
}
