package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// withLimits runs a test on a server with limits; whoever finds it busy waits.
func withLimits(t *testing.T, l admission.Limits, f func(t *testing.T, w *apptest.World)) {
	t.Helper()
	l.Queue, l.Wait = 1000, 10*time.Minute
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		f(t, apptest.New(t, s, apptest.Options{Limits: l, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}))
	})
}

const (
	agentsPath = "/agency-management/{tenant}/agents"
	typename   = `{"query":"{ __typename }"}`
)

// A client has a rate of its own on both doors together, and its tenant one for
// all of its clients.
func TestRates(t *testing.T) {
	withLimits(t, admission.Limits{ClientRate: 60, TenantRate: 90}, func(t *testing.T, w *apptest.World) {
		first := w.WithToken(apptest.Acme, w.As(apptest.Acme).Token(t))
		second := w.WithToken(apptest.Acme, w.As(apptest.Acme, "read:agents").Token(t))
		for i := range 10 { // 60 in a minute are 10 at once
			r := first.Send(t, http.MethodGet, agentsPath, nil, nil)
			if i%2 == 1 {
				r = first.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(typename))
				i++
			}
			left, ofClient := strings.CutPrefix(r.Header().Get("RateLimit"), `"client";r=`)
			if r.Code != http.StatusOK || r.Header().Get("RateLimit-Policy") != `"client";q=10;w=10` || !ofClient {
				t.Fatalf("request %d: %d %v", i, r.Code, r.Header())
			}
			if strings.HasPrefix(left, "0;") {
				break
			}
		}
		r := first.Send(t, http.MethodGet, agentsPath, nil, nil)
		wantRefused(t, r, http.StatusTooManyRequests, "RATE_LIMITED")
		if h := r.Header(); h.Get("Retry-After") != "1" || h.Get("RateLimit") != `"client";r=0;t=10` {
			t.Errorf("refused with %v", h)
		}
		for _, accept := range []string{"application/json", "application/graphql-response+json"} {
			r := first.Send(t, http.MethodPost, apptest.GraphQLPath, http.Header{"Accept": {accept}}, []byte(typename))
			wantRefused(t, r, http.StatusTooManyRequests, "RATE_LIMITED")
			if got := r.Header().Get("Content-Type"); !strings.HasPrefix(got, accept) {
				t.Errorf("answered %s to %s", got, accept)
			}
		}
		for i := range 5 { // of the tenant's 15
			if r := second.Send(t, http.MethodGet, agentsPath, nil, nil); r.Code != http.StatusOK || !strings.HasPrefix(r.Header().Get("RateLimit"), fmt.Sprintf(`"tenant";r=%d;t=`, 4-i)) || r.Header().Get("RateLimit-Policy") != `"tenant";q=15;w=10` {
				t.Fatalf("another client: %d %v", r.Code, r.Header())
			}
		}
		wantRefused(t, second.Send(t, http.MethodGet, agentsPath, nil, nil), http.StatusTooManyRequests, "RATE_LIMITED")
		if r := w.As(apptest.Umbra).Send(t, http.MethodGet, agentsPath, nil, nil); r.Code != http.StatusOK {
			t.Errorf("another tenant: %d", r.Code)
		}
		w.Clock.Move(time.Second)
		if r := first.Send(t, http.MethodGet, agentsPath, nil, nil); r.Code != http.StatusOK {
			t.Errorf("after the time of Retry-After: %d", r.Code)
		}
		if shown := w.Metrics(); !strings.Contains(shown, `upline_refused_total{reason="client_rate"} 3`) || !strings.Contains(shown, `upline_refused_total{reason="tenant_rate"} 1`) {
			t.Error("the metrics do not count what was refused")
		}
		if n := strings.Count(w.Logged(), "requests refused"); n != 2 {
			t.Errorf("%d lines for two reasons", n)
		}
	})
}

// wantRefused checks the form of a refusal at either door.
func wantRefused(t *testing.T, r *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var answer struct {
		Code   string
		Status int
		Errors []struct {
			Extensions map[string]any
		}
	}
	if err := json.Unmarshal(r.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
	if strings.HasPrefix(r.Header().Get("Content-Type"), "application/problem+json") {
		if answer.Status != status {
			t.Errorf("the problem says %d", answer.Status)
		}
	} else if len(answer.Errors) == 1 {
		answer.Code, _ = answer.Errors[0].Extensions["code"].(string)
	}
	if r.Code != status || answer.Code != code {
		t.Errorf("answered %d %s, want %d %s", r.Code, r.Body, status, code)
	}
	if after, err := strconv.Atoi(r.Header().Get("Retry-After")); err != nil || after < 1 {
		t.Errorf("Retry-After is %q", r.Header().Get("Retry-After"))
	}
}

// sendFrom sends a request from an address.
func sendFrom(t *testing.T, w *apptest.World, from, forwarded, method, path, token string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader("grant_type=client_credentials&client_id=x&client_secret=y"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.RemoteAddr = from
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer
}

// Who fails to authenticate is held back by address. Good tokens are served from
// there all the same, since an address may be that of many.
func TestRateOfAddresses(t *testing.T) {
	withLimits(t, admission.Limits{AddressRate: 60}, func(t *testing.T, w *apptest.World) {
		good := w.As(apptest.Acme).Token(t) // from 192.0.2.1
		const agents, attacker = "/agency-management/acme/agents", "203.0.113.9:5000"
		for i := range 10 {
			path := []string{agents, "/graphql/acme"}[i%2]
			if r := sendFrom(t, w, attacker, "", http.MethodGet, path, "wrong"); r.Code != http.StatusUnauthorized {
				t.Fatalf("attempt %d: %d", i, r.Code)
			}
		}
		wantRefused(t, sendFrom(t, w, attacker, "", http.MethodGet, agents, "wrong"), http.StatusTooManyRequests, "RATE_LIMITED")
		wantRefused(t, sendFrom(t, w, attacker, "", http.MethodGet, "/graphql/acme", "wrong"), http.StatusTooManyRequests, "RATE_LIMITED")
		if r := sendFrom(t, w, attacker, "", http.MethodGet, agents, good); r.Code != http.StatusOK {
			t.Errorf("a good token from there: %d", r.Code)
		}
		if r := sendFrom(t, w, "203.0.113.10:5000", "", http.MethodGet, agents, "wrong"); r.Code != http.StatusUnauthorized {
			t.Errorf("another address: %d", r.Code)
		}
		r := sendFrom(t, w, attacker, "", http.MethodPost, oauth.TokenPath, "")
		if r.Code != http.StatusTooManyRequests || !strings.Contains(r.Body.String(), `"error":"temporarily_unavailable"`) || r.Header().Get("Retry-After") != "1" {
			t.Errorf("the token endpoint: %d %s", r.Code, r.Body)
		}
		// What proxies forward counts for whom it comes from; what anybody else says
		// is not believed.
		const proxy = "10.1.2.3:80"
		if r := sendFrom(t, w, proxy, "203.0.113.9", http.MethodGet, agents, "wrong"); r.Code != http.StatusTooManyRequests {
			t.Errorf("through a proxy: %d", r.Code)
		}
		if r := sendFrom(t, w, proxy, "198.51.100.7", http.MethodGet, agents, "wrong"); r.Code != http.StatusUnauthorized {
			t.Errorf("somebody else through a proxy: %d", r.Code)
		}
		if r := sendFrom(t, w, attacker, "198.51.100.8", http.MethodGet, agents, "wrong"); r.Code != http.StatusTooManyRequests {
			t.Errorf("with a made-up address: %d", r.Code)
		}
	})
}

// The cost of operations is taken from the client's budget, through both doors.
func TestCostBudget(t *testing.T) {
	withLimits(t, admission.Limits{ClientCost: 6000}, func(t *testing.T, w *apptest.World) {
		c := w.WithToken(apptest.Acme, w.As(apptest.Acme).Token(t))
		const query = `{ agents(first: 100) { nodes { upline { agentCode } downline(first: 10) { nodes { agentCode } } } } }`
		charged := 0
		for {
			r, head := askForCost(t, c, query)
			cost, _ := r.Extensions["cost"].(map[string]any)
			requested, remaining := number(cost["requested"]), number(cost["remaining"])
			if head.Get("Operation-Cost") != strconv.Itoa(requested) {
				t.Errorf("Operation-Cost: %s; %d requested", head.Get("Operation-Cost"), requested)
			}
			if requested < 1000 || number(cost["limit"]) != 6000 || number(cost["restoreRate"]) != 100 {
				t.Fatalf("extensions.cost = %v, errors %v", cost, r.Errors)
			}
			if len(r.Errors) > 0 {
				if r.Errors[0].Code() != "RATE_LIMITED" || number(cost["actual"]) != 0 || remaining >= requested {
					t.Errorf("refused with %v, %v", r.Errors, cost)
				}
				break
			}
			if charged += requested; remaining != 6000-charged {
				t.Fatalf("after %d points %d remain", charged, remaining)
			}
		}
		body, _ := json.Marshal(map[string]string{"query": query})
		r := c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, body)
		wantRefused(t, r, http.StatusTooManyRequests, "RATE_LIMITED")
		for range 6000 {
			if r = c.Send(t, http.MethodGet, agentsPath+"?pageSize=100", nil, nil); r.Code != http.StatusOK {
				break
			}
		}
		wantRefused(t, r, http.StatusTooManyRequests, "RATE_LIMITED")
		after, _ := strconv.Atoi(r.Header().Get("Retry-After"))
		w.Clock.Move(time.Duration(after) * time.Second)
		if r := c.Send(t, http.MethodGet, agentsPath+"?pageSize=100", nil, nil); r.Code != http.StatusOK {
			t.Errorf("after the time of Retry-After: %d %s", r.Code, r.Body)
		}
	})
}

// askForCost sends a query whose cost is to be in the answer.
func askForCost(t *testing.T, c *apptest.Caller, query string) (answer apptest.Response, head http.Header) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "extensions": map[string]any{"cost": true}})
	if err != nil {
		t.Fatal(err)
	}
	r := c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, body)
	decode := json.NewDecoder(r.Body)
	decode.UseNumber()
	if err := decode.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer, r.Header()
}

func number(v any) int {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return int(i)
}

// Heads that no client needs are refused before anything is done with them.
func TestHeads(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		long := strings.Repeat("a", 20_000)
		many := http.Header{"X-Many": make([]string, 101)}
		nobody := w.WithToken(apptest.Acme, "none")
		for _, path := range []string{agentsPath, apptest.GraphQLPath} {
			if r := nobody.Send(t, http.MethodGet, path+"?lastName="+long, nil, nil); r.Code != http.StatusRequestURITooLong || !json.Valid(r.Body.Bytes()) {
				t.Errorf("%s: a long URL: %d %s", path, r.Code, r.Body)
			}
			if r := nobody.Send(t, http.MethodGet, path, many, nil); r.Code != http.StatusRequestHeaderFieldsTooLarge || !json.Valid(r.Body.Bytes()) {
				t.Errorf("%s: many fields: %d %s", path, r.Code, r.Body)
			}
		}
	})
}

// A resource server that asks about one token after the other is not taken for
// somebody who guesses: only requests for tokens count for their address.
func TestIntrospectionDoesNotCountForTheAddress(t *testing.T) {
	withLimits(t, admission.Limits{AddressRate: 6}, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, "read:tokens")
		token := c.Token(t)
		for i := range 20 {
			if status, body := askIssuer(t, w, c, oauth.IntrospectionPath, token); status != http.StatusOK {
				t.Fatalf("%d: %d %v", i, status, body)
			}
		}
	})
}
