package doors_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// send sends a request to a path of agency management with header fields: name,
// value, ….
func send(t *testing.T, c *apptest.Caller, method, path, body string, header ...string) (status int, h http.Header, answer string) {
	t.Helper()
	fields := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		fields.Set(header[i], header[i+1])
	}
	var data []byte
	if body != "" {
		data = []byte(body)
	}
	w := c.Send(t, method, "/agency-management/{tenant}"+path, fields, data)
	return w.Code, w.Header(), w.Body.String()
}

func etag(t *testing.T, c *apptest.Caller, path string) string {
	t.Helper()
	status, h, answer := send(t, c, "GET", path, "")
	if status != 200 || h.Get("ETag") == "" {
		t.Fatalf("%s: %d without an ETag: %s", path, status, answer)
	}
	return h.Get("ETag")
}

// withToken is a caller with one token, which goroutines can share.
func withToken(t *testing.T, w *apptest.World, scopes ...string) *apptest.Caller {
	t.Helper()
	return w.WithToken(apptest.Acme, w.As(apptest.Acme, scopes...).Token(t))
}

// changes are requests that change a record, each with the path that reads it.
var changes = []struct{ read, method, path, body string }{
	{"/agents/A1001", "PATCH", "/agents/A1001", `{"npn":"%d","initiator":"hr"}`},
	{"/agents/A1001", "PATCH", "/teams/default/members/A1001", `{"membership":{"level":%d0},"initiator":"hr"}`},
	{"/certifications/{id}", "PATCH", "/certifications/{id}", `{"note":"%d","initiator":"hr"}`},
	{"/pay-statuses/Gold", "PATCH", "/pay-statuses/Gold", `{"sortOrder":%d,"initiator":"hr"}`},
	{"/jurisdictions/US-TX", "PATCH", "/jurisdictions/US-TX", `{"name":"T%d","initiator":"hr"}`},
	{"/teams/default/agent-levels/10", "PATCH", "/teams/default/agent-levels/10", `{"name":"L%d","initiator":"hr"}`},
	{"/certifications/{id}", "DELETE", "/certifications/{id}", ``},
	{"/pay-statuses/Gold", "DELETE", "/pay-statuses/Gold", ``},
	{"/agents/A1009", "DELETE", "/agents/A1009", ``},
}

// "If-Match" on every kind of record: a version that is no longer the record's is
// 412 and changes nothing; the record's own lets the change through. The clock
// stands still: versions do not repeat within an instant either.
func TestIfMatch(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 12)
		c := withToken(t, w)
		certification := anyCertification(t, c)
		if status, _, answer := send(t, c, "POST", "/pay-statuses", `{"name":"Gold","isActive":true,"initiator":"hr"}`); status != 201 {
			t.Fatalf("%d %s", status, answer)
		}
		if status, _, answer := send(t, c, "POST", "/agents",
			`{"agentCode":"A1009x","firstName":"A","lastName":"B","status":"Active","teams":{"default":{"level":10}},"initiator":"hr"}`); status != 201 {
			t.Fatalf("%d %s", status, answer)
		}
		for _, x := range changes {
			read := strings.ReplaceAll(strings.ReplaceAll(x.read, "{id}", certification), "A1009", "A1009x")
			path := strings.ReplaceAll(strings.ReplaceAll(x.path, "{id}", certification), "A1009", "A1009x")
			body := func(n int) string {
				if x.body == "" {
					return ""
				}
				return fmt.Sprintf(x.body, n)
			}
			what := x.method + " " + x.path
			old := etag(t, c, read)
			if x.method == "PATCH" {
				status, h, answer := send(t, c, x.method, path, body(1), "If-Match", `"other", `+old)
				if status != 200 || h.Get("ETag") == old || h.Get("ETag") != etag(t, c, read) {
					t.Fatalf("%s with the record's ETag: %d %s, ETag %s after %s", what, status, answer, h.Get("ETag"), old)
				}
			}
			now := etag(t, c, read)
			stale := []string{`"other"`, `"` + strings.Repeat("z", 300) + `-x"`, "W/" + now}
			if old != now {
				stale = append(stale, old)
			}
			for _, tag := range stale {
				status, _, answer := send(t, c, x.method, path, body(2), "If-Match", tag)
				if status != http.StatusPreconditionFailed || !strings.Contains(answer, "PRECONDITION_FAILED") {
					t.Errorf("%s with %s: %d %s", what, tag, status, answer)
				}
			}
			if after := etag(t, c, read); after != now {
				t.Errorf("%s: a refused change made %s of %s", what, after, now)
			}
			if status, _, answer := send(t, c, x.method, path, body(3), "If-Match", "*"); status >= 300 {
				t.Errorf("%s with *: %d %s", what, status, answer)
			}
		}
	})
}

// What does not exist is 404, whatever the condition (RFC 9110 §13.2.1), and a dry
// run checks the version too.
func TestIfMatchOfNothingAndOfAPreview(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 3)
		c := withToken(t, w)
		for _, x := range changes {
			path := strings.NewReplacer("A100", "B100", "Gold", "Lead", "US-TX", "US-QQ", "levels/10", "levels/99", "{id}", "999").Replace(x.path)
			body := x.body
			if body != "" {
				body = fmt.Sprintf(body, 1)
			}
			if status, _, answer := send(t, c, x.method, path, body, "If-Match", "*"); status != 404 {
				t.Errorf("%s %s: %d %s", x.method, path, status, answer)
			}
		}
		const member, level = "/teams/default/members/A1001", `{"membership":{"level":20},"initiator":"hr"}`
		if status, _, _ := send(t, c, "PATCH", member+"?dryRun=true", level, "If-Match", `"other"`); status != 412 {
			t.Errorf("dry run with another version: %d", status)
		}
		if status, _, answer := send(t, c, "PATCH", member+"?dryRun=true", level, "If-Match", etag(t, c, "/agents/A1001")); status != 200 {
			t.Errorf("dry run with the version: %d %s", status, answer)
		}
	})
}

// Of changes at once that demand the same version, exactly one is made.
func TestOneOfConcurrentChangesWins(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 3)
		c := withToken(t, w)
		for round := range 3 {
			tag := etag(t, c, "/agents/A1001")
			var won, refused atomic.Int32
			var all sync.WaitGroup
			for i := range 12 {
				all.Go(func() {
					body := fmt.Sprintf(`{"commonName":"N%d-%d","initiator":"hr"}`, round, i)
					switch status, _, answer := send(t, c, "PATCH", "/agents/A1001", body, "If-Match", tag); status {
					case 200:
						won.Add(1)
					case 412:
						refused.Add(1)
					default:
						t.Errorf("%d %s", status, answer)
					}
				})
			}
			all.Wait()
			if won.Load() != 1 || refused.Load() != 11 {
				t.Errorf("%d were made, %d refused", won.Load(), refused.Load())
			}
		}
	})
}
