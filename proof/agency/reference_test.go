package agency_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// kept is what every record of reference data has, whatever its kind.
type kept struct {
	id           int64
	key          string
	name         string
	createdBy    string
	lastModified time.Time
	modifiedBy   string
}

// kind does to one kind of reference data what can be done to every kind. Name
// stands for one property besides the key.
type kind struct {
	name   string
	create func(ctx context.Context, name, initiator string) (kept, error)
	update func(ctx context.Context, name patch.Field[string], initiator string) (kept, bool, error)
	delete func(ctx context.Context, initiator string) (int64, error)
	table  string
	field  string // of the name
	key    string // field of the key
}

// kept reads a record by its id; none for id 0. name is the column that stands for its
// properties.
func (w *licenceWorld) kept(table, key, name string, id int64) (k kept) {
	w.t.Helper()
	found, err := store.One(w.ctx, w.store, []any{&k.id, &k.key, &k.name, &k.createdBy, &k.lastModified, &k.modifiedBy},
		"SELECT id, CAST("+key+" AS TEXT), coalesce("+name+", ''), created_by, last_modified, last_modified_by FROM "+table+" WHERE id = $1", id)
	w.must(found, err)
	return k
}

func (w *licenceWorld) kinds() []kind {
	return []kind{{
		name: "certification type", table: "agency_certification_type", field: "name", key: "code",
		create: func(ctx context.Context, name, by string) (kept, error) {
			id, err := w.CreateCertificationType(ctx, reference.CertificationTypeInput{Code: patch.Set("NEW"), Name: patch.Set(name), Initiator: by})
			return w.kept("agency_certification_type", "code", "name", id), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			id, changed, err := w.UpdateCertificationType(ctx, "NEW", reference.CertificationTypeInput{Name: name, Initiator: by})
			return w.kept("agency_certification_type", "code", "name", id), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeleteCertificationType(ctx, "NEW", by) },
	}, {
		name: "jurisdiction", table: "agency_jurisdiction", field: "name", key: "code",
		create: func(ctx context.Context, name, by string) (kept, error) {
			id, err := w.CreateJurisdiction(ctx, reference.JurisdictionInput{Code: patch.Set("US-AK"), Name: patch.Set(name), Initiator: by})
			return w.kept("agency_jurisdiction", "code", "name", id), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			id, changed, err := w.UpdateJurisdiction(ctx, "US-AK", reference.JurisdictionInput{Name: name, Initiator: by})
			return w.kept("agency_jurisdiction", "code", "name", id), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeleteJurisdiction(ctx, "US-AK", by) },
	}, {
		name: "agent level", table: "agency_agent_level", field: "name", key: "value",
		create: func(ctx context.Context, name, by string) (kept, error) {
			id, err := w.CreateAgentLevel(ctx, w.teamOf(ctx), reference.AgentLevelInput{Value: patch.Set(10), Name: patch.Set(name), Initiator: by})
			return w.kept("agency_agent_level", "value", "name", id), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			id, changed, err := w.UpdateAgentLevel(ctx, w.teamOf(ctx), 10, reference.AgentLevelInput{Name: name, Initiator: by})
			return w.kept("agency_agent_level", "value", "name", id), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) {
			return w.DeleteAgentLevel(ctx, w.teamOf(ctx), 10, by)
		},
	}, {
		name: "pay status", table: "agency_pay_status", field: "description", key: "name",
		create: func(ctx context.Context, name, by string) (kept, error) {
			id, err := w.CreatePayStatus(ctx, reference.PayStatusInput{Name: patch.Set("On Leave"), Description: patch.Set(name), IsActive: patch.Set(true), Initiator: by})
			return w.kept("agency_pay_status", "name", "description", id), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			id, changed, err := w.UpdatePayStatus(ctx, "On Leave", reference.PayStatusInput{Description: name, Initiator: by})
			return w.kept("agency_pay_status", "name", "description", id), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeletePayStatus(ctx, "On Leave", by) },
	}, {
		name: "product", table: "agency_product", field: "name", key: "code",
		create: func(ctx context.Context, name, by string) (kept, error) {
			id, err := w.CreateProduct(ctx, reference.ProductInput{Code: patch.Set("TERM"), Name: patch.Set(name), Initiator: by})
			return w.kept("agency_product", "code", "name", id), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			id, changed, err := w.UpdateProduct(ctx, "TERM", reference.ProductInput{Name: name, Initiator: by})
			return w.kept("agency_product", "code", "name", id), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeleteProduct(ctx, "TERM", by) },
	}, {
		name: "tag", table: "agency_tag", field: "description", key: "name",
		create: func(ctx context.Context, name, by string) (kept, error) {
			id, err := w.CreateTag(ctx, reference.TagInput{Name: patch.Set("Top Producer"), Description: patch.Set(name), Initiator: by})
			return w.kept("agency_tag", "name", "description", id), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			id, changed, err := w.UpdateTag(ctx, "Top Producer", reference.TagInput{Description: name, Initiator: by})
			return w.kept("agency_tag", "name", "description", id), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeleteTag(ctx, "Top Producer", by) },
	}}
}

func (w *licenceWorld) teamOf(ctx context.Context) int64 {
	w.t.Helper()
	id, err := w.Team(ctx, record.DefaultTeam)
	w.must(id, err)
	return id
}

// TestReferenceLife follows a record of every kind from its creation to its
// deletion.
func TestReferenceLife(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for _, k := range w.kinds() {
			t.Run(k.name, func(t *testing.T) {
				before := w.count("SELECT count(*) FROM " + k.table + " WHERE tenant_id = 1")
				row, err := k.create(w.ctx, " First ", "hr")
				w.must(row, err)
				equal(t, "created", []any{row.name, row.createdBy, row.modifiedBy, row.lastModified.Equal(w.clock.Now())}, []any{"First", "hr", "hr", true})
				equal(t, "stored", w.count("SELECT count(*) FROM "+k.table+" WHERE tenant_id = 1"), before+1)

				_, err = k.create(w.ctx, "Second", "hr")
				equal(t, "the same key again", problems(err), []string{"DUPLICATE_KEY " + k.key})
				equal(t, "a conflict", problem.From(err)[0].Category, problem.Conflict)

				created := w.clock.Now()
				w.clock.Move(time.Minute)
				same, changed, err := k.update(w.ctx, patch.Set("First"), "desk")
				w.must(same, err)
				equal(t, "nothing changed", []any{changed, same.modifiedBy, same.lastModified.Equal(created)}, []any{false, "hr", true})
				next, changed, err := k.update(w.ctx, patch.Set("Second"), "desk")
				w.must(next, err)
				equal(t, "changed", []any{changed, next.id, next.key, next.name, next.createdBy, next.modifiedBy, next.lastModified.Equal(w.clock.Now())},
					[]any{true, row.id, row.key, "Second", "hr", "desk", true})
				again, changed, err := k.update(w.ctx, patch.Field[string]{}, "desk")
				w.must(again, err)
				equal(t, "as stored", []any{changed, again.name, again.modifiedBy, again.lastModified.Equal(w.clock.Now())}, []any{false, "Second", "desk", true})

				id, err := k.delete(w.ctx, "desk")
				w.must(id, err)
				equal(t, "deleted", id, row.id)
				equal(t, "gone", w.count("SELECT count(*) FROM "+k.table+" WHERE tenant_id = 1"), before)
				_, err = k.delete(w.ctx, "desk")
				equal(t, "a second deletion", problems(err), []string{"NOT_FOUND"})
				equal(t, "message", strings.HasPrefix(problem.From(err)[0].Message, "No "+k.name+" has this"), true)
				_, _, err = k.update(w.ctx, patch.Set("Third"), "desk")
				equal(t, "a change of what is gone", problems(err), []string{"NOT_FOUND"})
			})
		}
	})
}

func TestReferenceRefusals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for _, k := range w.kinds() {
			t.Run(k.name, func(t *testing.T) {
				_, err := k.create(w.ctx, "First", " ")
				equal(t, "creation without initiator", problems(err), []string{"REQUIRED initiator"})
				w.must(k.create(w.ctx, "First", "hr"))
				_, _, err = k.update(w.ctx, patch.Set("Second"), "")
				equal(t, "change without initiator", problems(err), []string{"REQUIRED initiator"})
				_, err = k.delete(w.ctx, "")
				equal(t, "deletion without initiator", problems(err), []string{"REQUIRED initiator"})
				if k.field == "name" {
					_, _, err = k.update(w.ctx, patch.Null[string](), "desk")
					equal(t, "null on a required field", problems(err), []string{"NULL_NOT_ALLOWED name"})
				}

				// Another tenant has its own, and cannot reach this one.
				_, _, err = k.update(w.other, patch.Set("Second"), "spy")
				equal(t, "change by another tenant", problems(err), []string{"NOT_FOUND"})
				_, err = k.delete(w.other, "spy")
				equal(t, "deletion by another tenant", problems(err), []string{"NOT_FOUND"})
				theirs, err := k.create(w.other, "Theirs", "them")
				w.must(theirs, err)
				mine, _, err := k.update(w.ctx, patch.Field[string]{}, "desk")
				w.must(mine, err)
				equal(t, "untouched", []any{mine.name, mine.id != theirs.id}, []any{"First", true})
			})
		}
	})
}

// The key decides in the database, so two at once cannot both create it.
func TestReferenceCreateConcurrent(t *testing.T) {
	const goroutines = 8
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for _, k := range w.kinds() {
			var (
				all  sync.WaitGroup
				errs [goroutines]error
			)
			for i := range goroutines {
				all.Go(func() { _, errs[i] = k.create(w.ctx, "First", "hr") })
			}
			all.Wait()
			created := 0
			for _, err := range errs {
				if err == nil {
					created++
				} else if !problem.Has(err, problem.DuplicateKey) {
					t.Errorf("%s: %v", k.name, err)
				}
			}
			equal(t, k.name, created, 1)
		}
	})
}
