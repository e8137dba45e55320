package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/known"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/webhooks"
)

// traceID returns the trace id of a request's context, empty outside one.
func traceID(ctx context.Context) string {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		return v.trace
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		return span.TraceID().String()
	}
	return ""
}

type requestMetrics struct {
	seconds *prometheus.HistogramVec
}

func newRequestMetrics(registry *prometheus.Registry) *requestMetrics {
	m := &requestMetrics{seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "upline_http_request_duration_seconds",
		Help:    "Time to answer a request, by door, method and status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"door", "method", "status"})}
	registry.MustRegister(m.seconds, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// countSubscribers adds gauges for how many clients follow events, or deliveries, through
// this process.
func countSubscribers(registry *prometheus.Registry, live *events.Live, hooks *webhooks.Service, exports *export.Service) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "upline_event_subscribers", Help: "GraphQL subscriptions under way in this process.",
	}, func() float64 { return float64(live.Subscribers() + hooks.Followers() + exports.Followers()) }))
}

// observer gives what is done traces, lines in the log and metrics. It is safe for
// concurrent use.
type observer struct {
	clock    clock.Clock
	log      *slog.Logger
	spans    trace.TracerProvider
	requests *requestMetrics
}

// traced gives every request a visit, a trace, a line in the log and its metrics. Neither
// trace, log nor metrics hold a query string or a body: they may be sensitive.
func (o *observer) traced(next http.Handler) http.Handler {
	tracer := o.tracer()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		door, method, ctx := edge.Door(r.URL.Path), method(r.Method), r.Context()
		if r.Header["Traceparent"] != nil {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		ctx, span := tracer.Start(ctx, spanNames[method][door], ofServer...)
		defer span.End()
		v := newVisit(w, r, door)
		v.trace = span.SpanContext().TraceID().String()
		ctx = known.With(ctx, known.Is(visitKey{}, v), known.Is(events.TraceFact(&v.trace)), known.Is(store.RowsFact(&v.rows)))
		started := o.clock.Now()
		answer := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(answer, r.WithContext(ctx))
		status, took := max(answer.Status(), http.StatusOK), o.clock.Now().Sub(started)
		if status >= http.StatusInternalServerError && errors.Is(r.Context().Err(), context.Canceled) {
			status = statusClientLeft
		}
		o.requests.seconds.WithLabelValues(door, method, strconv.Itoa(status)).Observe(took.Seconds())
		if span.IsRecording() {
			span.SetAttributes(attribute.Int("http.response.status_code", status), attribute.String("upline.tenant", v.text(&v.tenant)))
		}
		level := slog.LevelInfo
		switch {
		case door == "healthz", door == "readyz": // they come every few seconds, whatever is answered
			level = slog.LevelDebug
		case status >= http.StatusInternalServerError && !v.refused.Load(): // refusals are logged now and then
			level = slog.LevelError
		}
		line := logLines.Get().(*[10]slog.Attr)
		*line = [...]slog.Attr{slog.String("method", method), slog.String("door", door),
			slog.String("operation", v.text(&v.operation)), slog.String("tenant", v.text(&v.tenant)), slog.String("client", v.text(&v.client)),
			slog.Int("status", status), slog.Float64("durationMs", float64(took.Microseconds())/1000),
			slog.Int64("rows", v.rows.Load()), slog.Int64("cost", v.cost.Load()), slog.String("traceId", v.trace)}
		o.log.LogAttrs(ctx, level, "request", slog.Attr{Value: slog.GroupValue(line[:]...)}) // without a name: as if each stood there
		logLines.Put(line)
	})
}

// logLines are kept for the next lines in the log.
var logLines = sync.Pool{New: func() any { return new([10]slog.Attr) }}

// ofServer are the options of the span of a request.
var ofServer = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}

// spanNames are the names of the spans of requests, by method and door.
var spanNames = func() map[string]map[string]string {
	names := map[string]map[string]string{}
	for _, m := range append(methods, edge.Other) {
		names[m] = map[string]string{}
		for _, d := range append(edge.Doors, edge.Other) {
			names[m][d] = m + " " + d
		}
	}
	return names
}()

// statusClientLeft is what log and metrics report for a request whose client left before
// the answer. HTTP has no such status; this is the one of nginx. No client receives it.
const statusClientLeft = 499

// method is the HTTP method as a metric label; all methods that a client makes up share
// one label.
func method(m string) string {
	if slices.Contains(methods, m) {
		return m
	}
	return edge.Other
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// panicked writes a panic into the log and counts it.
func (o *observer) panicked(ctx context.Context, value any) {
	o.log.ErrorContext(ctx, "panic", slog.Any("panic", value), slog.String("stack", string(debug.Stack())), slog.String("traceId", traceID(ctx)))
}

// recovered turns a panic into a 500 of its door.
func (o *observer) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			default:
				o.panicked(r.Context(), p)
				refuse(w, r, problem.Fault())
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// refusalOrFault returns what to tell a client about an error. It writes a fault of the
// server into the log.
func (o *observer) refusalOrFault(r *http.Request, err error) *problem.Error {
	if refused := refusalOf(err); refused != nil {
		return refused
	}
	o.noteFault(r, err)
	return problem.Fault()
}

// noteFault writes a fault of the server into the log. A client that has left is not a
// fault.
func (o *observer) noteFault(r *http.Request, err error) {
	if r.Context().Err() == nil {
		o.log.ErrorContext(r.Context(), "authorize", slog.String("traceId", traceID(r.Context())), slog.Any("error", err))
	}
}
