package webhooks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/webhooks"
)

// "Bad input → 400 naming the field": all problems together, nothing stored,
// and no message repeats what was sent.
func TestInputIsChecked(t *testing.T) {
	header := func(name, value string) func(*webhooks.Input) {
		return func(in *webhooks.Input) {
			in.Headers = patch.Set([]webhooks.Header{{Name: name, Value: vault.Secret(value)}})
		}
	}
	cases := map[string]struct {
		change func(*webhooks.Input)
		want   []string
	}{
		"http":                 {func(in *webhooks.Input) { in.URL = patch.Set("http://hooks.example.com") }, []string{"url"}},
		"no URL":               {func(in *webhooks.Input) { in.URL = patch.Null[string]() }, []string{"url"}},
		"no events":            {func(in *webhooks.Input) { in.Events = patch.Set([]string{}) }, []string{"events"}},
		"null events":          {func(in *webhooks.Input) { in.Events = patch.Null[[]string]() }, []string{"events"}},
		"unknown events":       {func(in *webhooks.Input) { in.Events = patch.Set([]string{"AgentCreated", "nope", ""}) }, []string{"events.1", "events.2"}},
		"name of another case": {func(in *webhooks.Input) { in.Events = patch.Set([]string{"agentcreated"}) }, []string{"events.0"}},
		"a star alone":         {func(in *webhooks.Input) { in.Events = patch.Set([]string{"*"}) }, []string{"events.0"}},
		"numbers": {func(in *webhooks.Input) { in.MaxRetries, in.RetryDelayMinutes = patch.Set(101), patch.Set(-1) },
			[]string{"maxRetries", "retryDelayMinutes"}},
		"a bell":            {func(in *webhooks.Input) { in.Description = patch.Set("a\x07") }, []string{"description"}},
		"description":       {func(in *webhooks.Input) { in.Description = patch.Set(strings.Repeat("é", 1001)) }, []string{"description"}},
		"reserved header":   {header("hOsT", "x"), []string{"headers.0.name"}},
		"content header":    {header("Content-Language", "x"), []string{"headers.0.name"}},
		"webhook header":    {header("webhook-timestamp", "x"), []string{"headers.0.name"}},
		"x-webhook header":  {header("X-Webhook-Sequence", "x"), []string{"headers.0.name"}},
		"user agent":        {header("User-Agent", "x"), []string{"headers.0.name"}},
		"transfer encoding": {header("Transfer-Encoding", "chunked"), []string{"headers.0.name"}},
		"header injection":  {header("X-A: 1\r\nX-B", "x"), []string{"headers.0.name"}},
		"value injection":   {header("X-A", "sent-value\r\nX-B: 1"), []string{"headers.0.value"}},
		"long value":        {header("X-A", strings.Repeat("v", 4097)), []string{"headers.0.value"}},
		"same header twice": {func(in *webhooks.Input) {
			in.Headers = patch.Set([]webhooks.Header{{Name: "X-A", Value: "1"}, {Name: "x-a", Value: "2"}})
		}, []string{"headers.1.name"}},
		"all together": {func(in *webhooks.Input) {
			in.URL, in.MaxRetries = patch.Set("nope"), patch.Set(-1)
			in.Headers = patch.Set([]webhooks.Header{{Name: "Host"}})
		}, []string{"url", "headers.0.name", "maxRetries"}},
	}
	each(t, func(t *testing.T, w *world) {
		for name, c := range cases {
			in := input("https://hooks.example.com", "AgentCreated")
			c.change(&in)
			_, _, err := w.Create(w.ctx, in)
			var fields []string
			for _, p := range problem.From(err) {
				fields = append(fields, strings.Join(p.Field, "."))
				if strings.Contains(p.Message, "sent-value") || strings.Contains(p.Message, "nope") {
					t.Errorf("%s: the problem repeats what was sent: %s", name, p.Message)
				}
			}
			if !slices.Equal(fields, c.want) {
				t.Errorf("%s: refused are %v, want %v (%v)", name, fields, c.want, err)
			}
		}
		if p, err := w.Subscriptions(w.ctx, true, page.Args{}); err != nil || len(p.Items) != 0 {
			t.Errorf("%d subscriptions were stored (%v)", len(p.Items), err)
		}
	}, production)
}

// A subscription of another tenant does not exist: no operation finds it.
func TestOtherTenantsSeeNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		sub := w.subscribe(r.URL)
		w.raise("A1")
		w.deliver(sub)
		d := w.deliveries(sub)[0]
		other := w.otherTenant("umbra")
		found, err := w.Subscription(other, sub.UID)
		delivery, deliveryErr := w.Delivery(other, d.UID)
		if found != nil || delivery != nil || err != nil || deliveryErr != nil {
			t.Errorf("read: %v %v (%v, %v)", found, delivery, err, deliveryErr)
		}
		_, _, updateErr := w.Update(other, sub.UID, webhooks.Input{IsActive: patch.Set(false)})
		_, _, rotateErr := w.RotateSecret(other, sub.UID, false)
		_, testErr := w.Test(other, sub.UID)
		_, retryErr := w.Retry(other, d.UID)
		for what, err := range map[string]error{"update": updateErr, "rotate": rotateErr, "test": testErr, "retry": retryErr, "delete": w.Delete(other, sub.UID)} {
			if !problem.Has(err, problem.NotFoundCode) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := len(r.received()); n != 1 {
			t.Errorf("%d requests arrived", n)
		}
	})
}

// In development http leads to this machine and nowhere else.
func TestHTTPLeadsToThisMachineOnly(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for url, want := range map[string]bool{
			"http://127.0.0.1:9000/hook": true, "http://[::1]:9000": true, "http://localhost:9000": true, "https://hooks.example.com": true,
			"http://hooks.example.com": false, "http://10.0.0.1": false, "http://localhost.example.com": false, "http://127.0.0.1.example.com": false, "http://127.1": false,
		} {
			if _, _, err := w.Create(w.ctx, input(url, "AgentCreated")); (err == nil) != want {
				t.Errorf("%s: %v", url, err)
			}
		}
	})
}
