package telemetry_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/uplinehq/upline/internal/platform/telemetry"
)

// collector takes what is sent, by path.
func collector(t *testing.T) (*httptest.Server, func(path string) string) {
	t.Helper()
	var mu sync.Mutex
	got := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path] += string(body)
	}))
	t.Cleanup(server.Close)
	return server, func(path string) string {
		mu.Lock()
		defer mu.Unlock()
		return got[path]
	}
}

// The standard variables switch the sending on, name what sends, and switch it off.
func TestStandardVariables(t *testing.T) {
	server, got := collector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_SERVICE_NAME", "upline-of-acme")
	provider, stop, err := telemetry.Traces(t.Context(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	_, span := provider.Tracer("test").Start(t.Context(), "an operation")
	span.End()
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"an operation", "upline-of-acme", "1.2.3"} {
		if !strings.Contains(got("/v1/traces"), want) {
			t.Errorf("the traces do not hold %q", want)
		}
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "upline_test_total"}))
	if stop, err = telemetry.Metrics(t.Context(), "1.2.3", registry); err != nil {
		t.Fatal(err)
	}
	if err := stop(t.Context()); err != nil || !strings.Contains(got("/v1/metrics"), "upline_test") {
		t.Errorf("the metrics are not there: %v", err)
	}
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			silent(t)
		})
	}
	for name, value := range map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_TRACES_EXPORTER": "zipkin"} {
		t.Run(name+"="+value, func(t *testing.T) {
			t.Setenv(name, value)
			if _, _, err := telemetry.Traces(t.Context(), ""); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%v; want an error that names the variable", err)
			}
		})
	}
}

// Without a collector spans have ids, and are not recorded.
func TestSilent(t *testing.T) { silent(t) }

func silent(t *testing.T) {
	t.Helper()
	provider, stop, err := telemetry.Traces(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := provider.Tracer("test").Start(t.Context(), "x")
	if span.IsRecording() || !trace.SpanContextFromContext(ctx).HasTraceID() {
		t.Errorf("the span is recorded: %t, or has no id", span.IsRecording())
	}
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
}
