package export_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// A process that failed, or is gone, leaves an export that the next one begins
// anew, a few times; nothing of a half file is ever served.
func TestInterruptedExports(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 20_000
		broken := errors.New("the database is away, Q7secret")
		w.fail = func(page int) error {
			if page == 30 {
				return broken
			}
			return nil
		}
		e := w.create(t, sheet.JSONL)
		w.work(t, w.Service)
		if e := w.state(t, e.ID); e.Status != export.Running || w.chunks(t) != 0 {
			t.Errorf("after a failure it is %s with %d chunks", e.Status, w.chunks(t))
		}
		w.clock.Move(time.Minute)
		w.fail = nil
		w.work(t, w.Service)
		if got, want := w.download(t, w.state(t, e.ID)), w.expected(t, sheet.JSONL); got != want {
			t.Errorf("the second attempt wrote %d bytes, want %d", len(got), len(want))
		}

		w.fail = func(int) error { return broken }
		e = w.create(t, sheet.CSV)
		for range 3 {
			w.work(t, w.Service)
			w.clock.Move(time.Minute)
		}
		if e := w.state(t, e.ID); e.Status != export.Failed || textOf(e.Error) != "The server could not write the file." || !e.FinishedAt.Equal(w.clock.Now().Add(-time.Minute)) {
			t.Errorf("after three failures it is %s, %q", e.Status, textOf(e.Error))
		}
		w.mayNot, w.fail = true, nil
		e = w.create(t, sheet.CSV)
		w.work(t, w.Service)
		if e := w.state(t, e.ID); e.Status != export.Failed || textOf(e.Error) != "Who asked may not act" {
			t.Errorf("of somebody who may not act any more it is %s, %q", e.Status, textOf(e.Error))
		}
	})
}

// A process that lost its claim writes nothing more, and one that stops gives it
// back at once.
func TestClaims(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 20_000
		v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(w.store))
		if err != nil {
			t.Fatal(err)
		}
		other := w.another(v, export.Limits{})
		e := w.create(t, sheet.JSONL)
		w.fail = func(page int) error {
			if page == 30 { // the other process takes it over, and is done first
				w.fail = nil
				w.clock.Move(time.Minute)
				w.work(t, other)
			}
			return nil
		}
		w.work(t, w.Service)
		w.fail = nil
		if got, want := w.download(t, w.state(t, e.ID)), w.expected(t, sheet.JSONL); got != want {
			t.Errorf("two processes wrote %d bytes, want %d", len(got), len(want))
		}

		e = w.create(t, sheet.JSONL)
		w.fail = func(page int) error {
			if page == 30 {
				other.Stop()
				time.Sleep(3 * time.Second) // the next report finds it
			}
			return nil
		}
		if _, err := other.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e := w.state(t, e.ID); e.Status != export.Queued || e.RowCount != nil {
			t.Errorf("given back it is %s", e.Status)
		}
		w.fail = nil
		w.work(t, w.Service)
		if e := w.state(t, e.ID); e.Status != export.Completed {
			t.Errorf("taken again it is %s", e.Status)
		}
	})
}

// A claim of a clock that was ahead ends when one of a right clock would.
func TestClaimOfAClockThatWasAhead(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		e := w.create(t, sheet.JSONL)
		for _, lease := range []struct {
			ahead time.Duration
			want  string
		}{{45 * time.Second, export.Running}, {time.Hour, export.Completed}} {
			if err := w.store.InTx(w.ctx(t), func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, "UPDATE export SET status = 'RUNNING', holder = 'gone', held_until = $1 WHERE tenant_id = $2", w.clock.Now().Add(lease.ahead), w.tenant.ID)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			w.work(t, w.Service)
			if got := w.state(t, e.ID).Status; got != lease.want {
				t.Errorf("claimed for %v from now: %s, want %s", lease.ahead, got, lease.want)
			}
		}
	})
}

func TestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		limits  export.Limits
		message string
	}{
		"rows":  {export.Limits{Rows: 999}, "more than 999 rows"},
		"bytes": {export.Limits{Bytes: 10_000}, "more than 10000 bytes"},
		"time":  {export.Limits{Time: time.Nanosecond}, "not done after 1ns"},
	} {
		onEach(t, test.limits, func(t *testing.T, w *world) {
			w.rows = 1000
			e := w.create(t, sheet.CSV)
			w.work(t, w.Service)
			if e := w.state(t, e.ID); e.Status != export.Failed || !strings.Contains(textOf(e.Error), test.message) || w.chunks(t) != 0 {
				t.Errorf("%s: it is %s, %q, with %d chunks", name, e.Status, textOf(e.Error), w.chunks(t))
			}
		})
	}
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		for range 5 {
			w.create(t, sheet.CSV)
		}
		in := export.Input{Query: "{ agents { nodes { id } } }", Path: "agents", Format: sheet.CSV}
		if _, err := w.Create(w.ctx(t), in); !problem.Has(err, problem.UnavailableCode) {
			t.Errorf("a sixth export: %v", err)
		}
		if _, err := w.Create(w.as(t, tenant.Caller{Subject: "crm", ClientID: "other", Scopes: w.caller.Scopes}), in); err != nil {
			t.Errorf("of somebody else: %v", err)
		}
		if _, err := w.Create(w.as(t, tenant.Caller{Subject: "none", ClientID: "none"}), in); !problem.Has(err, problem.ForbiddenCode) {
			t.Errorf("without the scope: %v", err)
		}
		in.Query = strings.Repeat(" ", 64<<10+1)
		if _, err := w.Create(w.ctx(t), in); !problem.Has(err, problem.TooLong) {
			t.Errorf("a long query: %v", err)
		}
	})
}

// An export that is deleted while it is written is given up, and leaves nothing.
func TestDeletedWhileWritten(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 20_000
		e := w.create(t, sheet.JSONL)
		w.fail = func(page int) error {
			if page != 30 {
				return nil
			}
			deleted, err := w.Delete(w.ctx(t), e.ID)
			if !deleted && err == nil {
				err = errors.New("it was not deleted")
			}
			return err
		}
		w.work(t, w.Service)
		if e := w.state(t, e.ID); e.Status != export.Expired || e.FinishedAt == nil || w.chunks(t) != 0 {
			t.Errorf("deleted it is %s with %d chunks", e.Status, w.chunks(t))
		}
		if _, err := w.Delete(w.as(t, tenant.Caller{ClientID: "other"}), e.ID); !problem.Has(err, problem.NotFoundCode) {
			t.Errorf("of somebody else: %v", err)
		}
	})
}
