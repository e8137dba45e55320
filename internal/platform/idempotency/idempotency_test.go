package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// world has the two tenants acme and umbra.
type world struct {
	*testing.T
	*idempotency.Service
	store   *store.Store
	clock   *clock.Fixed
	tenants map[string]*tenant.Tenant
}

func onEach(t *testing.T, f func(w *world)) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := &world{T: t, store: s, clock: clock.At(time.Date(2026, time.March, 2, 15, 0, 0, 0, time.UTC)), tenants: map[string]*tenant.Tenant{}}
		v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s))
		w.must(err)
		for _, name := range []string{"acme", "umbra"} {
			w.tenants[name], err = directory.Create(t.Context(), s, v, w.clock, directory.NewTenant{
				Identifier: name, Name: name, TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
			w.must(err)
		}
		w.Service = idempotency.New(s, w.clock, v)
		f(w)
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) as(tenantName, subject string) context.Context {
	ctx := tenant.With(w.Context(), w.tenants[tenantName])
	return tenant.WithCaller(ctx, tenant.Caller{Subject: subject})
}

// begin starts a request that must not have been there.
func (w *world) begin(ctx context.Context, key, request string) *idempotency.Attempt {
	w.Helper()
	attempt, answer, err := w.Begin(ctx, key, request)
	if err != nil || answer != nil {
		w.Fatalf("%s %s: answer %v, error %v", key, request, answer, err)
	}
	return attempt
}

// change makes the change of an attempt.
func (w *world) change(ctx context.Context, a *idempotency.Attempt) error {
	return w.store.InTx(idempotency.With(ctx, a), idempotency.Record)
}

func (w *world) rows() (n int) {
	w.Helper()
	_, err := store.One(w.Context(), dbtest.Owner(w, w.store), []any{&n}, "SELECT count(*) FROM idempotent_request")
	w.must(err)
	return n
}

// wants demands what a request with a key begins with.
func (w *world) wants(ctx context.Context, key, request string, want error) {
	w.Helper()
	if _, answer, err := w.Begin(ctx, key, request); !errors.Is(err, want) || answer != nil {
		w.Errorf("%s %s: answer %v, error %v, not %v", key, request, answer, err, want)
	}
}

var answered = idempotency.Answer{Status: 201, Response: []byte(`{"governmentIdentifier":"900-12-3456"}`)}

func (w *world) answer(ctx context.Context, key, request string) {
	w.Helper()
	a := w.begin(ctx, key, request)
	w.must(w.change(ctx, a))
	w.must(w.Finish(ctx, a, answered))
}

// The first answer comes back, to the same subject of the same tenant only.
func TestAnswersAreReplayed(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr app")
		w.answer(ctx, "k1", "POST /agents {}")
		_, answer, err := w.Begin(ctx, "k1", "POST /agents {}")
		w.must(err)
		if answer == nil || answer.Status != 201 || !bytes.Equal(answer.Response, answered.Response) {
			w.Fatalf("the answer is %v", answer)
		}
		w.wants(ctx, "k1", "POST /agents {} ", idempotency.ErrReused)
		w.answer(w.as("acme", "payroll"), "k1", "POST /agents {}")
		w.answer(w.as("umbra", "hr app"), "k1", "POST /agents {}")
		w.answer(ctx, "k2", "POST /agents {}")
		// A client that was created later under the name of one that is gone.
		w.clock.Move(time.Hour)
		w.answer(tenant.WithCaller(ctx, tenant.Caller{Subject: "hr app", Since: w.clock.Now()}), "k1", "POST /agents {}")
	})
}

// Neither the request nor the answer can be read in the table.
func TestAnswersAreEncrypted(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		w.answer(ctx, "k1", "POST 900-12-3456")
		w.answer(ctx, "k2", "POST 900-12-3456")
		var fingerprint, response []byte
		read := func(key string) {
			_, err := store.One(ctx, w.store, []any{&fingerprint, &response}, "SELECT fingerprint, response FROM idempotent_request WHERE key = $1", key)
			w.must(err)
		}
		read("k1")
		for _, column := range [][]byte{fingerprint, response} {
			if bytes.Contains(column, []byte("3456")) || len(column) == 0 {
				w.Errorf("the stored value is readable: %q", column)
			}
		}
		// An answer that is moved to another key does not open there.
		w.must(w.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE idempotent_request SET response = $1 WHERE key = 'k2'", response)
			return err
		}))
		w.wants(ctx, "k1", "another", idempotency.ErrReused)
		if _, _, err := w.Begin(ctx, "k2", "POST 900-12-3456"); !errors.Is(err, vault.ErrDecrypt) {
			w.Errorf("a moved answer: %v", err)
		}
	})
}

// A process that dies before the commit leaves nothing: the request can be
// repeated. One that dies after it has made the change, whose answer is lost.
func TestDeathBeforeAndAfterTheCommit(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		died := errors.New("died")
		a := w.begin(ctx, "k1", "r")
		err := w.store.InTx(idempotency.With(ctx, a), func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(idempotency.Record(ctx, tx), died)
		})
		if !errors.Is(err, died) || w.rows() != 0 {
			w.Fatalf("rolled back: %v, %d rows", err, w.rows())
		}
		w.must(w.change(ctx, w.begin(ctx, "k1", "r")))
		w.wants(ctx, "k1", "r", idempotency.ErrInProgress)
		w.clock.Move(30 * time.Second)
		w.wants(ctx, "k1", "r", idempotency.ErrInProgress)
		w.wants(ctx, "k1", "other", idempotency.ErrReused)
		w.clock.Move(time.Second)
		w.wants(ctx, "k1", "r", idempotency.ErrAnswerLost)
	})
}

// Of many requests at once with one key, one changes something; the others are
// told that theirs was refused.
func TestConcurrentRequestsChangeOnce(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		var changes, taken atomic.Int32
		var all sync.WaitGroup
		attempts := make([]*idempotency.Attempt, 24)
		for i := range attempts {
			attempts[i] = w.begin(ctx, "k1", "r")
		}
		for _, a := range attempts {
			all.Go(func() {
				switch err := w.change(ctx, a); {
				case err == nil:
					changes.Add(1)
				case a.Taken():
					taken.Add(1)
				default:
					w.Errorf("refused: %v", err)
				}
			})
		}
		all.Wait()
		if changes.Load() != 1 || taken.Load() != 23 || w.rows() != 1 {
			w.Errorf("%d changes, %d taken, %d rows", changes.Load(), taken.Load(), w.rows())
		}
	})
}

// "Kept 24 hours": then the key is free, and old rows of the tenant go.
func TestKeysAreKeptForADay(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		w.answer(ctx, "k1", "r")
		w.answer(ctx, "k2", "r")
		w.answer(w.as("umbra", "hr"), "k1", "r")
		w.clock.Move(idempotency.Kept)
		if _, answer, err := w.Begin(ctx, "k1", "r"); err != nil || answer == nil {
			w.Errorf("after a day: %v, %v", answer, err)
		}
		w.clock.Move(time.Microsecond)
		w.answer(ctx, "k1", "another request")
		if w.rows() != 2 { // acme's k1 and umbra's
			w.Errorf("%d rows are left", w.rows())
		}
		w.wants(ctx, "k1", "r", idempotency.ErrReused)
		w.begin(ctx, "k2", "another request")
	})
}

// A request that changed nothing has no row to keep its answer in.
func TestAnswersWithoutAChangeAreNotKept(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		w.must(w.Finish(ctx, w.begin(ctx, "k1", "r"), answered))
		w.begin(ctx, "k1", "r")
		if err := w.store.InTx(ctx, idempotency.Record); err != nil || w.rows() != 0 {
			w.Errorf("a change without a key: %v, %d rows", err, w.rows())
		}
	})
}

// A key that was free is taken again while another request deletes what is too
// old: it stays.
func TestAKeyTakenAgainIsNotSwept(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		w.answer(ctx, "k1", "r")
		w.clock.Move(idempotency.Kept + time.Minute)
		again, other := w.begin(ctx, "k1", "r"), w.begin(ctx, "k2", "r")
		swept := make(chan error, 1)
		w.must(w.store.InTx(idempotency.With(ctx, again), func(ctx context.Context, tx *store.Tx) error {
			if err := idempotency.Record(ctx, tx); err != nil {
				return err
			}
			go func() { swept <- w.Finish(w.as("acme", "hr"), other, answered) }()
			select {
			case err := <-swept:
				swept <- err // SQLite in its turn, or it did not wait: the row tells
			case <-time.After(300 * time.Millisecond):
			}
			return nil
		}))
		w.must(<-swept)
		w.wants(ctx, "k1", "r", idempotency.ErrInProgress)
	})
}

// An answer goes with the agent it tells of, also one that comes after the
// deletion. The request is not carried out again.
func TestAnswersAboutADeletedAgentAreForgotten(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		about := func(key string, agent int64) *idempotency.Attempt {
			a := w.begin(ctx, key, "r")
			w.must(w.store.InTx(idempotency.With(ctx, a), func(ctx context.Context, tx *store.Tx) error {
				return errors.Join(idempotency.Record(ctx, tx), idempotency.About(ctx, tx, agent))
			}))
			return a
		}
		w.must(w.Finish(ctx, about("k1", 7), answered))
		w.must(w.Finish(ctx, about("k2", 8), answered))
		late := about("k3", 7)
		w.must(w.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return idempotency.Forget(ctx, tx, w.tenants["acme"].ID, 7)
		}))
		w.must(w.Finish(ctx, late, answered))
		w.wants(ctx, "k1", "r", idempotency.ErrAnswerLost)
		w.wants(ctx, "k3", "r", idempotency.ErrAnswerLost)
		if _, answer, err := w.Begin(ctx, "k2", "r"); err != nil || answer == nil {
			w.Errorf("of another agent: %v, %v", answer, err)
		}
		var kept int
		_, err := store.One(ctx, w.store, []any{&kept}, "SELECT count(*) FROM idempotent_request WHERE response IS NOT NULL")
		w.must(err)
		if kept != 1 || w.rows() != 3 {
			w.Errorf("%d answers in %d rows", kept, w.rows())
		}
		w.clock.Move(idempotency.Kept + time.Microsecond)
		w.must(w.change(ctx, w.begin(ctx, "k1", "r")))
		w.wants(ctx, "k1", "r", idempotency.ErrInProgress)
	})
}

// "Kept 24 hours": old rows of a tenant go, however many, without a new answer.
func TestSweep(t *testing.T) {
	onEach(t, func(w *world) {
		ctx := w.as("acme", "hr")
		for i := range 205 {
			w.must(w.change(ctx, w.begin(ctx, fmt.Sprint(i), "r")))
		}
		w.must(w.change(w.as("umbra", "hr"), w.begin(w.as("umbra", "hr"), "k1", "r")))
		w.clock.Move(idempotency.Kept + time.Microsecond)
		w.must(w.change(ctx, w.begin(ctx, "new", "r")))
		w.must(w.Sweep(ctx))
		if w.rows() != 2 {
			w.Errorf("%d rows are left", w.rows())
		}
	})
}
