package webhooks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/webhooks"
)

// "A delivery carries the header X-Webhook-Id equal to the delivery id, plus
// the subscription's custom headers … every attempt is recorded in the delivery
// history" (Events, 1 and 2).
func TestDelivery(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, func(w http.ResponseWriter, _ int) {
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, "thanks")
		})
		sub := w.subscribe(r.URL+"/in?key=1", func(in *webhooks.Input) {
			in.Headers = patch.Set([]webhooks.Header{{Name: "X-Api-Key", Value: "s3cret-value"}})
		})
		w.raise("A1001")
		if next := w.deliver(sub); next != nil {
			t.Errorf("there is more to do at %v", next)
		}
		all, history := r.received(), w.deliveries(sub)
		if len(all) != 1 || len(history) != 1 {
			t.Fatalf("%d requests, %d deliveries", len(all), len(history))
		}
		d, h := history[0], all[0].header
		for name, want := range map[string]string{
			"X-Webhook-Id": d.UID, "X-Webhook-Event-Type": events.AgentUpdated, "X-Webhook-Attempt": "1", "X-Webhook-Sequence": "1",
			"Webhook-Id": d.Event.ID, "X-Api-Key": "s3cret-value", "Content-Type": "application/json",
		} {
			if h.Get(name) != want {
				t.Errorf("%s is %q, not %q", name, h.Get(name), want)
			}
		}
		payload, err := d.Payload()
		if err != nil || string(payload) != string(all[0].body) {
			t.Errorf("the payload recorded is %s (%v), the body sent %s", payload, err, all[0].body)
		}
		var body struct {
			ID, Type, TenantIdentifier string
			Data                       struct{ AgentCode string }
		}
		if err := json.Unmarshal(all[0].body, &body); err != nil || body.ID != d.Event.ID || body.TenantIdentifier != "acme" || body.Data.AgentCode != "A1001" {
			t.Errorf("the body is %s (%v)", all[0].body, err)
		}
		if d.URL != r.URL+"/in?key=1" || d.AttemptNumber != 1 || !d.IsSuccessful || *d.HTTPStatusCode != 202 || *d.Response != "thanks" ||
			d.ErrorMessage != nil || !d.AttemptedAt.Equal(start) || *d.State != "DELIVERED" || *d.Sequence != 1 {
			t.Errorf("the delivery is %+v", d)
		}
		if strings.Contains(w.log.String(), "s3cret") {
			t.Error("the log holds a header value")
		}
	})
}

// A verifier of Standard Webhooks accepts every delivery with the secret as it
// was returned, and refuses a changed one. After a rotation both secrets verify
// for 24 hours.
func TestStandardWebhooksVerifierAccepts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		sub, secret := w.subscribeWithSecret(r.URL)
		w.raise("A1")
		w.deliver(sub)
		_, rotated, err := w.RotateSecret(w.ctx, sub.UID, false)
		if err != nil {
			t.Fatal(err)
		}
		w.raise("A1")
		w.deliver(sub)
		w.clock.Move(24*time.Hour + time.Second)
		w.raise("A1")
		w.deliver(sub)
		accepted := func(secret string, g got) bool {
			verifier, err := standardwebhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			return verifier.VerifyIgnoringTimestamp(g.body, g.header) == nil
		}
		for i, want := range []struct{ old, new bool }{{true, false}, {true, true}, {false, true}} {
			g := r.received()[i]
			if got := accepted(secret, g); got != want.old {
				t.Errorf("delivery %d: accepted with the first secret: %t", i+1, got)
			}
			if got := accepted(rotated.Reveal(), g); got != want.new {
				t.Errorf("delivery %d: accepted with the second secret: %t", i+1, got)
			}
			changed := got{g.header, append([]byte(" "), g.body...)}
			if accepted(secret, changed) || accepted(rotated.Reveal(), changed) {
				t.Errorf("delivery %d: accepted though the body was changed", i+1)
			}
			stamped := got{g.header.Clone(), g.body}
			stamped.header.Set("webhook-timestamp", strconv.FormatInt(start.Unix()+1, 10))
			if accepted(secret, stamped) || accepted(rotated.Reveal(), stamped) {
				t.Errorf("delivery %d: accepted though the timestamp was changed", i+1)
			}
		}
	})
}

// "delivery response text: cut to 10,000 characters" (Limits): characters, not
// bytes, and text that a database takes.
func TestResponseIsCut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		answers := []string{strings.Repeat("é", 12_000), "a\x00b\xffc", strings.Repeat("x", 1<<20)}
		r := receive(t, func(w http.ResponseWriter, n int) { fmt.Fprint(w, answers[n-1]) })
		sub := w.subscribe(r.URL)
		for range answers {
			w.raise("A1")
			w.deliver(sub)
		}
		history := w.deliveries(sub)
		if n := utf8.RuneCountInString(*history[0].Response); n != 10_000 {
			t.Errorf("%d characters are kept", n)
		}
		if *history[1].Response != "a\uFFFDb\uFFFDc" {
			t.Errorf("%q is kept", *history[1].Response)
		}
		if len(*history[2].Response) != 10_000 || !history[2].IsSuccessful {
			t.Errorf("%d bytes of a long answer are kept; successful: %t", len(*history[2].Response), history[2].IsSuccessful)
		}
	})
}

// "2xx alone is success, redirects are not followed and count as failure" (api
// "Webhook deliveries"); what fails says why, without addresses.
func TestFailures(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		elsewhere := receive(t, nil)
		r := receive(t, func(w http.ResponseWriter, n int) {
			switch n {
			case 1:
				w.Header().Set("Location", elsewhere.URL)
				w.WriteHeader(http.StatusTemporaryRedirect)
			case 2:
				w.WriteHeader(http.StatusInternalServerError)
			case 3:
				panic(http.ErrAbortHandler)
			}
		})
		sub := w.subscribe(r.URL)
		for range 3 {
			w.raise("A1")
			w.deliver(sub)
		}
		r.Close()
		w.raise("A1")
		w.deliver(sub)
		if now, err := w.Subscription(w.ctx, sub.UID); err != nil || now.Failures != 4 || !now.LastModified.Equal(sub.LastModified) {
			t.Errorf("after failures it is %+v (%v); it was changed at %s", now, err, sub.LastModified)
		}
		if n := len(elsewhere.received()); n != 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
		for i, want := range []struct {
			status  int
			message string
		}{{307, "redirects"}, {500, "500"}, {0, "closed the connection"}, {0, "refused"}} {
			d := w.deliveries(sub)[i]
			if d.IsSuccessful || (d.HTTPStatusCode == nil) != (want.status == 0) || want.status != 0 && *d.HTTPStatusCode != want.status {
				t.Errorf("delivery %d: %+v", i+1, d)
			}
			if d.ErrorMessage == nil || !strings.Contains(*d.ErrorMessage, want.message) || strings.Contains(*d.ErrorMessage, "127.0.0.1") {
				t.Errorf("delivery %d: the error is %q", i+1, *d.ErrorMessage)
			}
			if *d.State != "PENDING" || d.NextAttemptAt == nil {
				t.Errorf("delivery %d is not tried again: %+v", i+1, d)
			}
		}
	})
}

// "A delivery is successful when the endpoint returns a 2xx status" (Events, 2):
// the status counts, and is recorded, also when the body breaks off.
func TestBrokenBody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for code, want := range map[int]string{http.StatusOK: "DELIVERED", http.StatusGone: "GIVEN_UP", http.StatusServiceUnavailable: "PENDING"} {
			r := receive(t, func(rw http.ResponseWriter, _ int) {
				rw.Header().Set("Retry-After", "7200")
				rw.Header().Set("Content-Length", "100")
				rw.WriteHeader(code)
				fmt.Fprint(rw, "half an ans")
			})
			sub := w.subscribe(r.URL)
			w.raise("A1")
			next := w.deliver(sub)
			d := w.deliveries(sub)[0]
			if d.HTTPStatusCode == nil || *d.HTTPStatusCode != code || *d.Response != "half an ans" || *d.State != want || d.IsSuccessful != (code == http.StatusOK) {
				t.Errorf("%d: the delivery is %+v", code, d)
			}
			if (d.ErrorMessage == nil) != d.IsSuccessful || d.ErrorMessage != nil && !strings.Contains(*d.ErrorMessage, strconv.Itoa(code)) {
				t.Errorf("%d: the error is %v", code, d.ErrorMessage)
			}
			if code == http.StatusServiceUnavailable && (next == nil || next.Before(start.Add(2*time.Hour))) {
				t.Errorf("Retry-After is not heeded: the next attempt is at %v", next)
			}
		}
	})
}

// The events that a subscription names reach it, and no others: by full name,
// by short name, by the name of an area, and HierarchyBuildCompleted with and
// without its prefix.
func TestEventsAreMatchedByName(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		build := events.Event{Type: events.HierarchyBuildCompleted, Data: map[string]any{"team": "default"}}
		created := events.AgentEvent(w.tenant, events.AgentCreated, events.AgentChange{AgentCode: "A1"})
		reference := events.ReferenceEvent("pay-statuses", "Active", "payStatusUpdate", "x")
		for _, c := range []struct {
			names []string
			want  int
		}{
			{[]string{events.AgentCreated}, 1}, {[]string{"AgentCreated"}, 1}, {[]string{"AgentDeleted"}, 0}, {[]string{"HierarchyBuildCompleted"}, 1},
			{[]string{events.HierarchyBuildCompleted, "AgentCreated", "AgentCreated"}, 2}, {[]string{"Platform.AgencyManagement.Events.*"}, 3},
			{[]string{"Platform.Webhooks.Events.*"}, 0},
		} {
			r := receive(t, nil)
			sub, _, err := w.Create(w.ctx, input(r.URL, c.names...))
			if err != nil {
				t.Fatal(err)
			}
			w.raiseAll(build, created, reference)
			w.deliver(sub)
			if n := len(r.received()); n != c.want {
				t.Errorf("%v: %d events arrived, not %d", c.names, n, c.want)
			}
			if err := w.Delete(w.ctx, sub.UID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A secret and header values are encrypted where they are stored.
func TestSecretsAreSealed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		sub, secret := w.subscribeWithSecret("https://example.com", func(in *webhooks.Input) {
			in.Headers = patch.Set([]webhooks.Header{{Name: "Authorization", Value: vault.Secret("Bearer hush-hush")}})
		})
		var stored []byte
		if _, err := storeOne(w, []any{&stored}, "SELECT secret || headers FROM webhook_subscription WHERE tenant_id = $1 AND id = $2", w.tenant.ID, sub.ID); err != nil {
			t.Fatal(err)
		}
		if text := string(stored); len(text) < 50 || strings.Contains(text, secret) || strings.Contains(text, "hush") || strings.Contains(text, "Authorization") {
			t.Errorf("stored: %q", text)
		}
	})
}
