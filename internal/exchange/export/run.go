package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

const (
	// lease is how long a claim lasts unless it is renewed.
	lease = 30 * time.Second
	// latestLease is how far ahead a claim may end. One that ends later was made by a
	// wrong clock, and counts as ended.
	latestLease = 2 * lease
	// reportEvery is how often a run stores its progress and renews its claim.
	reportEvery = time.Second
	// mostAttempts bounds how often an export is begun again after its process was
	// killed, or failed.
	mostAttempts = 3
)

var (
	// errLost ends a run that has lost its claim.
	errLost = errors.New("export: another run writes it")
	// errStopping ends a run when its process stops.
	errStopping = errors.New("export: the process stops")
)

// run is an export that this process writes.
type run struct {
	*Service
	tenant *tenant.Tenant
	export *Export
	// holder names the run in the claim. Even a later run of this process, which took the
	// export over when the claim had ended, has another one.
	holder string
	// stored counts the bytes of the chunks that are stored, or about to be.
	stored atomic.Int64

	mu       sync.Mutex
	progress Progress
}

// write writes a claimed export, and stores how it ended.
func (r *run) write(ctx context.Context) error {
	ctx = tenant.With(ctx, r.tenant)
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limited, stop := context.WithTimeoutCause(working, r.Time, tooMuch(fmt.Sprintf("it was not done after %s, the longest that this server takes", r.Time)))
	defer stop()
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		r.report(working, cancel)
	}()
	err := r.attempt(limited)
	if cause := context.Cause(limited); err != nil && cause != nil {
		err = cause
	}
	cancel(nil)
	<-reported
	// The outcome is stored even if the context that ended the run is done.
	ending, stopEnding := context.WithTimeout(context.WithoutCancel(ctx), lease)
	defer stopEnding()
	return r.ended(ending, err)
}

// attempt writes the file with the rights of whoever asked for it, and finishes it.
func (r *run) attempt(ctx context.Context) error {
	if r.export.attempts > mostAttempts {
		return problem.Invalid(problem.UnavailableCode, fmt.Sprintf("The server was interrupted %d times while it wrote the file", mostAttempts))
	}
	ctx, q, err := r.asAsked(ctx)
	if err != nil {
		return err
	}
	caller, _ := tenant.CallerFrom(ctx)
	plan, err := r.planFor(ctx, q, caller)
	if err != nil {
		return err
	}
	f := &file{ctx: ctx, run: r, buffer: make([]byte, 0, chunkSize)}
	done, err := r.writeTable(ctx, plan, r.export.Format, f, r.tell)
	if err != nil {
		return err
	}
	return r.finish(ctx, f, done, caller)
}

// asAsked returns a context with whoever asked as the caller, with the rights that caller
// has now.
func (r *run) asAsked(ctx context.Context) (context.Context, Query, error) {
	asked, err := r.requestOf(ctx, r.tenant.ID, r.export)
	if err != nil {
		return ctx, Query{}, err
	}
	caller, err := r.Caller(ctx, asked.asked)
	if err != nil {
		return ctx, Query{}, err
	}
	variables, err := value.Object(asked.Variables)
	ctx = audit.WithOrigin(tenant.WithCaller(ctx, caller), audit.Origin{Operation: "exportCreate", Surface: audit.GraphQL, TraceID: asked.TraceID})
	return ctx, Query{Document: asked.Query, Variables: variables, Path: r.export.ConnectionPath, Heads: asked.Heads, OnDate: r.export.OnDate}, err
}

// tell notes the progress, for the next report.
func (r *run) tell(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = p
}

func (r *run) told() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.progress
}

// report stores the progress and renews the claim until ctx ends. It ends a run whose
// claim is lost or whose process stops.
func (r *run) report(ctx context.Context, end context.CancelCauseFunc) {
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.stopped:
			end(errStopping)
			return
		case <-ticker.C:
		}
		err := r.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error { return r.hold(ctx, tx) })
		if errors.Is(err, errLost) {
			end(err)
			return
		}
		if err != nil && ctx.Err() == nil { // the next report may get through
			r.Log.WarnContext(ctx, "report an export", slog.Any("error", err))
		}
	}
}

// hold stores the progress and renews the claim. It fails unless the run still holds the
// claim.
func (r *run) hold(ctx context.Context, tx *store.Tx) error {
	p := r.told()
	tx.Signal(changed, r.tenant.ID)
	return r.update(ctx, tx, "held_until = $4, row_count = $5, row_total = $6, size = $7", r.Clock.Now().Add(lease), p.Rows, p.Total, r.stored.Load())
}

// update changes the row of the run, if the run still holds the claim.
func (r *run) update(ctx context.Context, tx *store.Tx, set string, args ...any) error {
	n, err := tx.Exec(ctx, "UPDATE export SET version = version + 1, "+set+" WHERE tenant_id = $1 AND id = $2 AND holder = $3 AND status = 'RUNNING'",
		append([]any{r.tenant.ID, r.export.ID, r.holder}, args...)...)
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// finish stores the last chunk and, in the same transaction, that the file is complete.
func (r *run) finish(ctx context.Context, f *file, done Progress, caller tenant.Caller) error {
	sealed, err := f.seal()
	if err != nil {
		return err
	}
	return r.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if len(f.buffer) > 0 {
			if err := f.insert(ctx, tx, sealed); err != nil {
				return err
			}
		}
		now := r.Clock.Now()
		tx.Signal(changed, r.tenant.ID)
		err := r.update(ctx, tx, `status = 'COMPLETED', holder = NULL, held_until = NULL, request = NULL, row_count = $4, row_total = $4, size = $5, reveals = $6,
			limit_agent_id = $7, finished_at = $8, expires_at = $9, error = $10`, done.Rows, f.size, done.Reveals, caller.Within, now, now.Add(r.Keep), done.Warning())
		if err != nil {
			return err
		}
		return r.fits(ctx, tx)
	})
}

// ended stores how a run ended that did not finish. A process that stops gives the export
// back. After a fault that the caller cannot mend, the export is begun again.
func (r *run) ended(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errLost) {
		return nil
	}
	if errors.Is(err, errStopping) {
		return r.settle(ctx, "status = 'QUEUED', holder = NULL, held_until = NULL, row_count = NULL, row_total = NULL, attempts = attempts - 1")
	}
	message, ok := said(err)
	if !ok {
		r.Log.ErrorContext(ctx, "an export failed", slog.String("tenant", r.tenant.Identifier), slog.String("export", r.export.UID), slog.Any("error", err))
		if r.export.attempts < mostAttempts { // who looks next begins it again
			return r.settle(ctx, "held_until = $4", r.Clock.Now().Add(lease))
		}
		message = "The server could not write the file."
	}
	return r.settle(ctx, "status = 'FAILED', holder = NULL, held_until = NULL, request = NULL, error = $4, finished_at = $5", message, r.Clock.Now())
}

// settle stores the end of a run and deletes the chunks that it wrote.
func (r *run) settle(ctx context.Context, set string, args ...any) error {
	err := r.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		tx.Signal(changed, r.tenant.ID)
		if err := r.update(ctx, tx, "size = NULL, "+set, args...); err != nil {
			return err
		}
		return deleteChunks(ctx, tx, r.tenant.ID, r.export.ID)
	})
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

func deleteChunks(ctx context.Context, tx *store.Tx, tenantID, id int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM export_chunk WHERE tenant_id = $1 AND export_id = $2", tenantID, id)
	return err
}
