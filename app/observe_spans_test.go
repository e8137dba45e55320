package app

import (
	"context"
	"errors"
	"testing"

	"github.com/riverqueue/river"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// The trace of a job that goes on later tells of no failure.
func TestSpansOfJobs(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	a := &observer{spans: trace.NewTracerProvider(trace.WithSpanProcessor(recorder))}
	for i, c := range []struct {
		err  error
		want codes.Code
	}{{nil, codes.Unset}, {river.JobSnooze(0), codes.Unset}, {errors.New("lost"), codes.Error}} {
		if err := a.aroundJob(t.Context(), "sweep", func(context.Context) error { return c.err }); err != c.err {
			t.Errorf("%v became %v", c.err, err)
		}
		if got := recorder.Ended()[i].Status().Code; got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
