package export_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// A run that has lost its claim to another one of the same process writes nothing
// more, while that one writes.
func TestTwoRunsOfOneProcess(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 20_000
		e := w.create(t, sheet.JSONL)
		var at30, at29 atomic.Int32
		reached, firstEnded, secondEnded := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		w.fail = func(page int) error {
			switch {
			case page == 30 && at30.Add(1) == 1: // the first run stops for so long that its claim ends
				w.clock.Move(time.Minute)
				go func() {
					_, err := w.WorkNext(t.Context())
					secondEnded <- err
				}()
				select {
				case <-reached:
				case err := <-secondEnded:
					secondEnded <- err
				}
			case page == 29 && at29.Add(1) == 2:
				close(reached)
				<-firstEnded
			}
			return nil
		}
		_, err := w.WorkNext(t.Context())
		running := w.state(t, e.ID)
		close(firstEnded)
		if second := <-secondEnded; err != nil || second != nil {
			t.Fatalf("the runs ended with %v and %v", err, second)
		}
		if running.Status != export.Running {
			t.Errorf("after the first run the export is %s", running.Status)
		}
		w.fail = nil
		if got, want := w.download(t, w.state(t, e.ID)), w.expected(t, sheet.JSONL); got != want {
			t.Errorf("two runs wrote %d bytes, want %d", len(got), len(want))
		}
	})
}

// An export of a tenant that cannot be read holds up none of others, and fails in
// the end.
func TestUnreadableTenant(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 10
		v, err := vault.New([]byte(strings.Repeat("\x07", vault.KeySize)), directory.NewKeysets(w.store))
		if err != nil {
			t.Fatal(err)
		}
		acme := w.tenant
		umbra, err := directory.Create(t.Context(), w.store, v, w.clock, directory.NewTenant{Identifier: "umbra", Name: "umbra", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		config := w.Config
		config.Find = func(_ context.Context, id int64) (*tenant.Tenant, error) {
			if id == umbra.ID {
				return nil, errors.New("its settings are broken")
			}
			return acme, nil
		}
		s := export.New(config)
		s.Read(w.source)
		w.tenant = umbra
		broken := w.create(t, sheet.CSV)
		w.tenant = acme
		e := w.create(t, sheet.CSV)
		w.work(t, s)
		if e := w.state(t, e.ID); e.Status != export.Completed {
			t.Errorf("the export of the other tenant is %s", e.Status)
		}
		for range 2 {
			w.clock.Move(time.Minute)
			w.work(t, s)
		}
		w.tenant = umbra
		if e := w.state(t, broken.ID); e.Status != export.Failed {
			t.Errorf("after three attempts it is %s", e.Status)
		}
	})
}
