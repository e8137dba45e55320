// Package telemetry sends traces and metrics to a collector by OTLP over HTTP, if the
// standard variables OTEL_… name one. Otherwise nothing is sent and no span is recorded;
// a request has a trace id all the same.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Silent returns a provider whose spans have ids but are not recorded.
func Silent() trace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
}

// Stop sends what has not been sent yet.
type Stop func(ctx context.Context) error

// Traces returns the provider of spans. It sends them when OTEL_EXPORTER_OTLP_ENDPOINT
// or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, unless OTEL_SDK_DISABLED or
// OTEL_TRACES_EXPORTER says otherwise. The other variables mean what the
// specification of OpenTelemetry says.
func Traces(ctx context.Context, version string) (trace.TracerProvider, Stop, error) {
	if on, err := wanted("TRACES"); err != nil || !on {
		return Silent(), func(context.Context) error { return nil }, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("telemetry: %w", err)
	}
	about, err := describe(ctx, version)
	if err != nil {
		return nil, nil, err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return provider, provider.Shutdown, nil
}

// Metrics sends the metrics of a registry every OTEL_METRIC_EXPORT_INTERVAL, on the same
// conditions as Traces, with METRICS in the names of the variables.
func Metrics(ctx context.Context, version string, from prometheus.Gatherer) (Stop, error) {
	if on, err := wanted("METRICS"); err != nil || !on {
		return func(context.Context) error { return nil }, err
	}
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	about, err := describe(ctx, version)
	if err != nil {
		return nil, err
	}
	reader := metric.NewPeriodicReader(exporter, metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(from))))
	return metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(about)).Shutdown, nil
}

// wanted reads the variables that say whether a signal is sent.
func wanted(signal string) (bool, error) {
	switch exporter := os.Getenv("OTEL_" + signal + "_EXPORTER"); exporter {
	case "none":
		return false, nil
	case "", "otlp":
	default:
		return false, fmt.Errorf("OTEL_%s_EXPORTER is %s; known are otlp and none", signal, exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL"} {
		if protocol := os.Getenv(name); protocol != "" && protocol != "http/protobuf" {
			return false, fmt.Errorf("%s is %s; known is http/protobuf", name, protocol)
		}
	}
	disabled := strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true")
	named := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
	return named && !disabled, nil
}

// describe names the sender; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "upline"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if errors.Is(err, resource.ErrPartialResource) {
		err = nil
	}
	return about, err
}
