package webhooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/webhooks"
)

// checked is a delivery for the verifier to check.
type checked struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
	changed string
}

// The verifiers of Standard Webhooks and of Svix for Node accept every delivery of a
// run, retries, tests and two signatures among them, and reject each that was
// changed (clients/verify.mjs).
func TestNpmVerifiersAccept(t *testing.T) {
	node := clientstest.Node(t, "", "svix")
	each(t, func(t *testing.T, w *world) {
		// The verifier looks at the machine's clock.
		w.Service = w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })
		r := receive(t, func(rw http.ResponseWriter, n int) { rw.WriteHeader([]int{204, 500, 302}[n%3]) })
		sub, secret := w.subscribeWithSecret(r.URL)
		for n := range 30 {
			w.raise(fmt.Sprintf("Ä%d <&> 🏃", n))
			w.deliver(sub)
		}
		if _, err := w.Test(w.ctx, sub.UID); err != nil {
			t.Fatal(err)
		}
		_, rotated, err := w.RotateSecret(w.ctx, sub.UID, false)
		if err != nil {
			t.Fatal(err)
		}
		once := len(r.received())
		w.raise("ROTATED")
		w.deliver(sub)
		var all []checked
		for i, g := range r.received() {
			all = append(all, changes(secret, g)...)
			if i >= once {
				all = append(all, changes(rotated.Reveal(), g)...)
			}
		}
		if len(all) < 31*5 {
			t.Fatalf("only %d to check", len(all))
		}
		for library, accepted := range verified(t, node, all) {
			for i, delivery := range all {
				if accepted[i] != (delivery.changed == "") {
					t.Errorf("%s: delivery %d, changed %q, is accepted: %t", library, i, delivery.changed, accepted[i])
				}
			}
		}
	})
}

// changes returns a delivery as it came, and with each of its parts changed.
func changes(secret string, g got) []checked {
	headers := func(name, value string) map[string]string {
		all := map[string]string{}
		for _, h := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			all[h] = g.header.Get(h)
		}
		if name != "" {
			all[name] = value
		}
		return all
	}
	at := g.header.Get("webhook-timestamp")
	later := at[:len(at)-1] + string('0'+(at[len(at)-1]-'0'+1)%10)
	other := "A" + secret[1:]
	if secret[0] == 'A' {
		other = "B" + secret[1:]
	}
	return []checked{
		{secret, headers("", ""), g.body, ""},
		{secret, headers("", ""), bytes.Replace(g.body, []byte(`"tenantIdentifier":"acme"`), []byte(`"tenantIdentifier":"acmf"`), 1), "body"},
		{secret, headers("webhook-id", g.id()+"0"), g.body, "id"},
		{secret, headers("webhook-timestamp", later), g.body, "timestamp"},
		{secret, headers("webhook-signature", "v1,"+secret), g.body, "signature"},
		{other, headers("", ""), g.body, "secret"},
	}
}

// verified returns what each library accepts.
func verified(t *testing.T, node string, all []checked) map[string][]bool {
	t.Helper()
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "deliveries.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var accepted map[string][]bool
	if err := json.Unmarshal(clientstest.Run(t, "", nil, node, "verify.mjs", file), &accepted); err != nil || len(accepted) != 2 {
		t.Fatalf("the verifiers did not run: %v, %v", err, accepted)
	}
	return accepted
}
