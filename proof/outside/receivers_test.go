package outside_test

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The receivers of docs/webhooks.md run as they stand there: they take what is really
// delivered to them, keep it, do it once though it comes twice, and refuse what is forged.
func TestReceivers(t *testing.T) {
	needGuides(t)
	t.Parallel()
	code := codeOf(t, "webhooks.md")
	for _, language := range []string{"ts", "python", "go"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			command := program(t, language, strings.Join(code[language], "\n"))
			w := apptest.New(t, dbtest.SQLite(t), apptest.Options{Now: time.Now(), Development: true})
			c := w.As(apptest.Acme, allScopes...)
			address := dbtest.FreeAddress(t)
			data := c.Query(t, `mutation($url: String!) { done: webhookSubscriptionCreate(input: {url: $url, events: ["AgentCreated"]}) {
				secret webhookSubscription { id } userErrors { message } } }`, object{"url": "http://" + address + "/"})
			secret, ok := apptest.At(data, "done.secret").(string)
			if !ok {
				t.Fatal(data)
			}
			subscription := object{"id": apptest.At(data, "done.webhookSubscription.id")}
			const made = "query($id: ID!) { webhookDeliveries(subscriptionId: $id) { nodes { id isSuccessful } } }"
			folder := t.TempDir()
			said := receive(t, command, folder, address, secret)
			apptest.Register(t, c, "A1", nil)
			w.DeliverNow(t, apptest.Acme)
			if line := <-said; line != "AgentCreated A1" {
				t.Errorf("it says %q", line)
			}
			first := apptest.At(c.Query(t, made, subscription), "webhookDeliveries.nodes.0.id")
			c.Query(t, "mutation($id: ID!) { webhookDeliveryRetry(input: {id: $id}) { applied } }", object{"id": first})
			apptest.Register(t, c, "A2", nil)
			w.DeliverNow(t, apptest.Acme)
			if line := <-said; line != "AgentCreated A2" {
				t.Errorf("after the same again it says %q", line)
			}
			deliveries := c.Query(t, made, subscription)
			if all := apptest.Each(deliveries, "webhookDeliveries.nodes", "isSuccessful"); len(all) != 3 || all[0] != true || all[1] != true || all[2] != true {
				t.Errorf("the deliveries: %v", deliveries)
			}
			forged, err := http.Post("http://"+address, "application/json", strings.NewReader(`{"type":"x","data":{}}`))
			if err != nil {
				t.Fatal(err)
			}
			if forged.Body.Close(); forged.StatusCode != http.StatusUnauthorized {
				t.Errorf("what is forged gets %d", forged.StatusCode)
			}
			kept, err := os.ReadFile(filepath.Join(folder, "events.jsonl"))
			if lines := strings.Split(strings.TrimSpace(string(kept)), "\n"); err != nil || len(lines) != 3 || !strings.Contains(lines[0], "AgentCreated") {
				t.Errorf("it keeps %s, %v", kept, err)
			}
		})
	}
}

// receive starts a receiver in a folder, waits until it listens, and returns the lines that it prints.
func receive(t *testing.T, command []string, folder, address, secret string) <-chan string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	receiver := exec.CommandContext(t.Context(), command[0], command[1:]...)
	receiver.Dir = folder
	receiver.Env, receiver.Stderr = append(os.Environ(), "PORT="+port, "SECRET="+secret), os.Stderr
	out, err := receiver.StdoutPipe()
	if err == nil {
		err = receiver.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 10)
	t.Cleanup(func() {
		_ = receiver.Process.Kill()
		for range said { // until it has ended
		}
		_ = receiver.Wait()
	})
	go func() {
		defer close(said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			said <- lines.Text()
		}
	}()
	for range 1200 {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return said
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the receiver does not listen")
	return nil
}
