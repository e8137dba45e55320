package doors_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The door asks for a token of the tenant, and counts each request as the others do.
func TestAssistantsAreAuthorizedAndCounted(t *testing.T) {
	const (
		ping  = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		agent = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"agents","arguments":{}}}`
	)
	head := http.Header{"Accept": {"application/json, text/event-stream"}}
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		if _, err := connect(t, w, w.As(apptest.Umbra), ""); err == nil {
			t.Error("a token of another tenant is let in")
		}
		for name, test := range map[string]struct {
			caller *apptest.Caller
			body   string
			status int
			text   string
		}{
			"a good one":         {c, ping, 200, `"result"`},
			"no token":           {w.WithToken(apptest.Acme, "none"), ping, 401, "UNAUTHENTICATED"},
			"a wrong one":        {w.WithToken(apptest.Acme, "wrong"), ping, 401, "UNAUTHENTICATED"},
			"of another tenant":  {w.As(apptest.Umbra).In(apptest.Acme), agent, 403, "FORBIDDEN"},
			"no such tenant":     {c.In("nowhere"), ping, 403, "FORBIDDEN"},
			"several in one":     {c, " \n[" + ping + "," + agent + "]", 400, "batches"},
			"more than it reads": {c, `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "larger"},
			"nothing":            {c, "", 400, ""},
		} {
			r := test.caller.Send(t, http.MethodPost, "/mcp/{tenant}", head.Clone(), []byte(test.body))
			if r.Code != test.status || !strings.Contains(r.Body.String(), test.text) || r.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %s; want %d %s", name, r.Code, r.Body, test.status, test.text)
			}
			leads := strings.Contains(r.Header().Get("WWW-Authenticate"), `, resource_metadata="`+apptest.Issuer+`/.well-known/oauth-protected-resource/mcp/acme"`)
			if leads != (test.status == 401) {
				t.Errorf("%s: the challenge is %s", name, r.Header().Get("WWW-Authenticate"))
			}
		}
		if r := c.Send(t, http.MethodGet, "/mcp/{tenant}", head.Clone(), nil); r.Code != http.StatusMethodNotAllowed {
			t.Errorf("a stream: %d", r.Code)
		}
		newAssistant(t, w, "read:agents").must(t, "agents", nil)
		if !strings.Contains(w.Logged(), `"method":"POST","door":"mcp","operation":"Agents","tenant":"acme"`) {
			t.Error("the log has no line of the operation")
		}
	})
	underLimits(t, admission.Limits{ClientCost: 6000}, func(t *testing.T, w *apptest.World) {
		a := newAssistant(t, w, "read:agents")
		answer, refused := "", false
		for range 100 {
			if answer, refused = a.call(t, "agents", object{"pageSize": 100}); refused {
				break
			}
		}
		if !refused || apptest.At(decoded(t, []byte(answer)), "code") != "RATE_LIMITED" {
			t.Errorf("without budget the answer is %s", answer)
		}
		a.refused(t, "graphql", object{"query": "{ agents(first: 100) { nodes { agentCode downline(first: 10) { nodes { agentCode } } } } }"}, "errors.0.extensions.code", "RATE_LIMITED", "")
	})
	underLimits(t, admission.Limits{ClientRate: 1}, func(t *testing.T, w *apptest.World) {
		c := w.WithToken(apptest.Acme, w.As(apptest.Acme).Token(t))
		for range 12 {
			if r := c.Send(t, http.MethodPost, "/mcp/{tenant}", head.Clone(), []byte(ping)); r.Code != http.StatusOK {
				if r.Code != http.StatusTooManyRequests || !strings.Contains(r.Body.String(), "RATE_LIMITED") || r.Header().Get("Retry-After") == "" {
					t.Errorf("it is refused with %d %v %s", r.Code, r.Header(), r.Body)
				}
				return
			}
		}
		t.Error("no request is refused")
	})
}

func underLimits(t *testing.T, l admission.Limits, f func(t *testing.T, w *apptest.World)) {
	t.Helper()
	l.Queue, l.Wait = 1000, 10*time.Minute
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{Limits: l})) })
}
