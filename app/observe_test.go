package app_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
)

// Each request is one line at INFO, with what it was for and what it cost; probes are
// none.
func TestRequestLine(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 5)
		c := w.As(apptest.Acme)
		c.Query(t, "query Everybody { agents(first: 5) { nodes { agentCode } } }", nil)
		c.Query(t, "{ agents(first: 5) { nodes { agentCode } } }", nil)
		c.REST(t, http.MethodGet, "/agents", nil)
		c.Send(t, http.MethodGet, "/readyz", nil, nil)
		client, _ := c.Credentials(t)
		lines := map[string]map[string]any{}
		for line := range strings.SplitSeq(strings.TrimSpace(w.Logged()), "\n") {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatal(err)
			}
			if fields["msg"] == "request" && fields["level"] == slog.LevelInfo.String() {
				operation, _ := fields["operation"].(string)
				lines[operation] = fields
				if fields["door"] == "readyz" {
					t.Error("a probe is a line at INFO")
				}
			}
		}
		for _, operation := range []string{"Everybody", "query agents", "Agents"} {
			fields := lines[operation]
			took, isNumber := fields["durationMs"].(float64)
			if rows, _ := fields["rows"].(float64); rows < 5 || !isNumber || took < 0 || fields["tenant"] != apptest.Acme || fields["client"] != client || fields["status"] != 200.0 {
				t.Errorf("the line of %s is %v, of %v", operation, fields, slices.Collect(maps.Keys(lines)))
			}
			if cost, _ := fields["cost"].(float64); cost < 1 {
				t.Errorf("%s cost %v", operation, fields["cost"])
			}
		}
	})
}

// A trace that is recorded has a span for the request, its operation and each of its
// statements, and holds no value of the request.
func TestSpans(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 5)
		recorder := tracetest.NewSpanRecorder()
		c := w.Config
		c.Tracer = trace.NewTracerProvider(trace.WithSpanProcessor(recorder))
		a, err := app.New(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		token := w.As(apptest.Acme).Token(t)
		w.Served(a).WithToken(apptest.Acme, token).Query(t, `query Sought($code: String!) { agent(agentCode: $code) { firstName } agents(filter: {email: "hush-hush"}) { totalCount } }`,
			map[string]any{"code": "A1001"})
		names := map[string]int{}
		for _, span := range recorder.Ended() {
			names[span.Name()]++
			for _, a := range span.Attributes() {
				if a.Value.Type() == attribute.STRING && (strings.Contains(a.Value.AsString(), "hush") || strings.Contains(a.Value.AsString(), "A1001")) {
					t.Errorf("the span %s holds a value: %s", span.Name(), a.Value.AsString())
				}
			}
		}
		if names["POST graphql"] != 1 || names["Sought"] != 1 || names["SELECT"]+names["WITH"] < 2 {
			t.Errorf("the spans are %v", names)
		}
	})
}

// The address for those who run the server has metrics and profiles; that of clients
// has only the probes.
func TestAdmin(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		for path, status := range map[string]int{"/metrics": 200, "/debug/pprof/": 200, "/debug/pprof/heap": 200, "/healthz": 204, "/readyz": 204, "/openapi.json": 404} {
			answer := httptest.NewRecorder()
			w.Admin().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.Code != status {
				t.Errorf("%s of the admin address: %d; want %d", path, answer.Code, status)
			}
		}
		for path, status := range map[string]int{"/metrics": 404, "/debug/pprof/": 404, "/healthz": 204, "/readyz": 204} {
			if answer := w.WithToken("", "none").Send(t, http.MethodGet, path, nil, nil); answer.Code != status {
				t.Errorf("%s of the public address: %d; want %d", path, answer.Code, status)
			}
		}
	})
}
