package app

import (
	"context"
	"errors"

	"github.com/riverqueue/river"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// tracer makes the spans of requests, operations, jobs and deliveries; the store adds
// those of statements. The log and errors name the trace ids, and a caller's traceparent
// is continued.
func (o *observer) tracer() trace.Tracer { return o.spans.Tracer("github.com/uplinehq/upline") }

// beginOperation notes an operation for the request's line in the log, and begins its
// span.
func (o *observer) beginOperation(ctx context.Context, name string) (context.Context, func()) {
	visitOf(ctx).operation.CompareAndSwap(nil, &name)
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func() {}
	}
	ctx, span := o.tracer().Start(ctx, name)
	return ctx, func() { span.End() }
}

// aroundJob makes a trace of each job. A job that goes on later has not failed.
func (o *observer) aroundJob(ctx context.Context, kind string, work func(context.Context) error) error {
	ctx, span := o.tracer().Start(ctx, "job "+kind, trace.WithSpanKind(trace.SpanKindConsumer))
	defer span.End()
	err := work(ctx)
	if later := new(river.JobSnoozeError); err != nil && !errors.As(err, &later) {
		span.SetStatus(codes.Error, "the job failed")
	}
	return err
}

// aroundAttempt makes a trace of each attempt of a delivery. It holds no address.
func (o *observer) aroundAttempt(ctx context.Context, send func(context.Context)) {
	ctx, span := o.tracer().Start(ctx, "webhook attempt", trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	send(ctx)
}
