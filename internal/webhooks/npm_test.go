package webhooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/webhooks"
)

// The verifier for Node, as npm names it.
const npmVerifier = "standardwebhooks@1.1.1"

// checked is a delivery for the verifier to check.
type checked struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
	changed string
}

// The verifier of Standard Webhooks for Node accepts every delivery of a run,
// retries, tests and two signatures among them, and rejects each that was
// changed. It needs Node and the package, in the folder that
// UPLINE_TEST_STANDARD_WEBHOOKS names.
func TestNpmVerifierAccepts(t *testing.T) {
	node, err := exec.LookPath("node")
	folder := os.Getenv("UPLINE_TEST_STANDARD_WEBHOOKS")
	if err != nil || folder == "" {
		if slices.Contains(strings.Split(os.Getenv("UPLINE_TEST_REQUIRE"), ","), "node") {
			t.Fatal("Node, or UPLINE_TEST_STANDARD_WEBHOOKS, is missing")
		}
		t.Skip("the verifier " + npmVerifier + " was not run: Node, or UPLINE_TEST_STANDARD_WEBHOOKS, is missing")
	}
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
		for i, accepted := range verified(t, node, folder, all) {
			if accepted != (all[i].changed == "") {
				t.Errorf("delivery %d, changed %q, is accepted: %t", i, all[i].changed, accepted)
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

func verified(t *testing.T, node, folder string, all []checked) (accepted []bool) {
	t.Helper()
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/verify.mjs", folder)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &accepted)
	}
	if err != nil || len(accepted) != len(all) {
		t.Fatalf("the verifier did not run: %v", err)
	}
	return accepted
}
