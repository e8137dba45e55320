package bulkimport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// things is an entity of the test: a code, a value that must not be bad, and the
// code of another thing, which may come later in the file.
type things struct {
	// fail is called before rows are applied, and again before they are on the second pass.
	fail     func(rows []bulk.Row) error
	finished int
	// trail has an entry of rows that are applied.
	trail *audit.Trail
}

func (*things) Columns() []bulk.Column {
	return []bulk.Column{{Name: "code", Required: true}, {Name: "value"}, {Name: "other"}}
}

func (e *things) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	if e.fail != nil {
		if err := e.fail(rows); err != nil {
			return nil, err
		}
	}
	id, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	results := make([]bulk.Result, len(rows))
	for i, row := range rows {
		results[i] = bulk.Result{Number: row.Number, Key: row.Values[0], Outcome: bulk.Unchanged}
		if row.Values[1] == "bad" {
			results[i].Outcome, results[i].Problems = bulk.Rejected, []*problem.Error{problem.Invalid(problem.OutOfRange, "must not be bad", "value").With("max", 3)}
			continue
		}
		var stored string
		found, err := store.One(ctx, tx, []any{&stored}, "SELECT value FROM thing WHERE tenant_id = $1 AND code = $2", id, row.Values[0])
		switch {
		case err != nil:
			return nil, err
		case !found:
			results[i].Outcome = bulk.Created
			_, err = tx.Exec(ctx, "INSERT INTO thing (tenant_id, code, value, other, initiator) VALUES ($1, $2, $3, '', $4)", id, row.Values[0], row.Values[1], initiator)
		case stored != row.Values[1]:
			results[i].Outcome = bulk.Updated
			_, err = tx.Exec(ctx, "UPDATE thing SET value = $1 WHERE tenant_id = $2 AND code = $3", row.Values[1], id, row.Values[0])
		}
		if err != nil {
			return nil, err
		}
	}
	return results, e.trail.Write(ctx, tx, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), audit.Entry{EntityType: "Thing", EntityKeys: []string{rows[0].Values[0]}, Initiator: initiator})
}

func (e *things) Second(ctx context.Context, tx *store.Tx, rows []bulk.Row, _ string) ([]bulk.Result, error) {
	if e.fail != nil {
		if err := e.fail(rows); err != nil {
			return nil, err
		}
	}
	id, _ := tenant.ID(ctx)
	results := make([]bulk.Result, len(rows))
	for i, row := range rows {
		results[i] = bulk.Result{Number: row.Number, Key: row.Values[0], Outcome: bulk.Unchanged}
		if !row.Given[2] {
			continue
		}
		n, err := tx.Exec(ctx, "UPDATE thing SET other = $1 WHERE tenant_id = $2 AND code = $3 AND EXISTS (SELECT 1 FROM thing o WHERE o.tenant_id = $2 AND o.code = $1)", row.Values[2], id, row.Values[0])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			results[i].Outcome, results[i].Problems = bulk.Rejected, []*problem.Error{problem.Invalid(problem.UnknownUpline, "there is none", "other")}
		}
	}
	return results, nil
}

func (*things) Wrote(ctx context.Context, tx *store.Tx) error {
	var team int64
	if _, err := store.One(ctx, tx, []any{&team}, "SELECT id FROM agency_team"); err != nil {
		return err
	}
	return hierarchy.ChangedSome(ctx, tx, team, time.Unix(0, 0))
}

func (e *things) Finish(context.Context, *store.Tx) error {
	e.finished++
	return nil
}

// noWords is a lexicon without a word.
type noWords struct{}

func (noWords) Warnings(context.Context, *store.Tx, []string, date.Date, func(string, bulk.Warning)) error {
	return nil
}

func (noWords) Words(context.Context) (map[string][]bulk.Meaning, error) { return nil, nil }

func (noWords) NewCodes(context.Context, int, string, bool) ([]string, error) { return nil, nil }

func (noWords) Introduce(context.Context, map[bulk.KeyBy]bool, func(bulk.Reference, string)) error {
	return nil
}

// noPast keeps no values.
type noPast struct{}

func (noPast) Differences(_ context.Context, _ *store.Tx, changes []*audit.Changed) ([][]past.Difference, error) {
	return make([][]past.Difference, len(changes)), nil
}

// world is a tenant to import into.
type world struct {
	*bulkimport.Service
	store *store.Store
	vault *vault.Vault
	ctx   context.Context
	*things
}

func onEach(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		now := clock.At(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
		v, err := vault.New(make([]byte, 32), directory.NewKeysets(s))
		if err != nil {
			t.Fatal(err)
		}
		acme, err := directory.Create(t.Context(), s, v, now, directory.NewTenant{Identifier: "acme", Name: "Acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		ctx := tenant.With(t.Context(), acme)
		if err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "CREATE TABLE thing (tenant_id bigint, code text, value text, other text, initiator text, PRIMARY KEY (tenant_id, code))")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		e := &things{trail: audit.New(s, now, v)}
		f(t, &world{Service: bulkimport.New(s, now, v, noWords{}, noPast{}, map[string]bulkimport.Entity{"TAG": e}), store: s, vault: v, ctx: ctx, things: e})
	})
}

func (w *world) texts(t *testing.T, query string) []string {
	t.Helper()
	if err := w.things.trail.Link(w.ctx); err != nil {
		t.Fatal(err)
	}
	all, err := store.Collect(w.ctx, w.store, store.ScanOne[string], query)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// stored is everything that was imported.
func (w *world) stored(t *testing.T) string {
	t.Helper()
	return strings.Join(w.texts(t, "SELECT code || '=' || value || '>' || other FROM thing ORDER BY code"), " ")
}

func told(r *bulkimport.Report) string {
	text := fmt.Sprintf("accepted %d created %d updated %d unchanged %d rejected %d applied %t repeated %t resumed %t",
		r.Accepted, r.Created, r.Updated, r.Unchanged, r.Rejected, r.Applied, r.Repeated, r.Resumed)
	for _, row := range r.Rejections {
		text += fmt.Sprintf(" | %d %s %v", row.Number, row.Key, row.Problems)
	}
	return text
}

func (w *world) bring(t *testing.T, file string, policy bulkimport.Policy, dryRun bool) (*bulkimport.Report, string) {
	t.Helper()
	r, err := w.Run(w.ctx, bulkimport.Import{Entity: "TAG", File: strings.NewReader(file), Policy: policy, Initiator: "test", DryRun: dryRun})
	if err != nil {
		t.Fatal(err)
	}
	return r, told(r)
}
