package agency_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// kept is what every record of reference data has, whatever its kind.
type kept struct {
	id           int64
	key          any
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
	list   func(ctx context.Context) (int, error)
	field  string // of the name
	key    string // field of the key
}

func keptType(r *reference.CertificationType) kept {
	if r == nil {
		return kept{}
	}
	return kept{r.ID, r.Code, r.Name, r.CreatedBy, r.LastModified, r.LastModifiedBy}
}

func keptJurisdiction(r *reference.Jurisdiction) kept {
	if r == nil {
		return kept{}
	}
	return kept{r.ID, r.Code, r.Name, r.CreatedBy, r.LastModified, r.LastModifiedBy}
}

func keptLevel(r *reference.AgentLevel) kept {
	if r == nil {
		return kept{}
	}
	return kept{r.ID, r.Value, r.Name, r.CreatedBy, r.LastModified, r.LastModifiedBy}
}

func keptPayStatus(r *reference.PayStatus) kept {
	if r == nil {
		return kept{}
	}
	k := kept{r.ID, r.Name, "", r.CreatedBy, r.LastModified, r.LastModifiedBy}
	if r.Description != nil {
		k.name = *r.Description
	}
	return k
}

func keptTag(r *reference.Tag) kept {
	if r == nil {
		return kept{}
	}
	k := kept{r.ID, r.Name, "", r.CreatedBy, r.LastModified, r.LastModifiedBy}
	if r.Description != nil {
		k.name = *r.Description
	}
	return k
}

func (w *licenceWorld) kinds() []kind {
	return []kind{{
		name: "certification type", field: "name", key: "code",
		create: func(ctx context.Context, name, by string) (kept, error) {
			r, err := w.CreateCertificationType(ctx, reference.CertificationTypeInput{Code: patch.Set("NEW"), Name: patch.Set(name), Initiator: by})
			return keptType(r), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			r, changed, err := w.UpdateCertificationType(ctx, "NEW", reference.CertificationTypeInput{Name: name, Initiator: by})
			return keptType(r), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeleteCertificationType(ctx, "NEW", by) },
		list: func(ctx context.Context) (int, error) {
			rows, err := w.CertificationTypes(ctx)
			return len(rows), err
		},
	}, {
		name: "jurisdiction", field: "name", key: "code",
		create: func(ctx context.Context, name, by string) (kept, error) {
			r, err := w.CreateJurisdiction(ctx, reference.JurisdictionInput{Code: patch.Set("US-AK"), Name: patch.Set(name), Initiator: by})
			return keptJurisdiction(r), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			r, changed, err := w.UpdateJurisdiction(ctx, "US-AK", reference.JurisdictionInput{Name: name, Initiator: by})
			return keptJurisdiction(r), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeleteJurisdiction(ctx, "US-AK", by) },
		list: func(ctx context.Context) (int, error) {
			rows, err := w.Jurisdictions(ctx)
			return len(rows), err
		},
	}, {
		name: "agent level", field: "name", key: "value",
		create: func(ctx context.Context, name, by string) (kept, error) {
			r, err := w.CreateAgentLevel(ctx, w.teamOf(ctx), reference.AgentLevelInput{Value: patch.Set(10), Name: patch.Set(name), Initiator: by})
			return keptLevel(r), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			r, changed, err := w.UpdateAgentLevel(ctx, w.teamOf(ctx), 10, reference.AgentLevelInput{Name: name, Initiator: by})
			return keptLevel(r), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) {
			return w.DeleteAgentLevel(ctx, w.teamOf(ctx), 10, by)
		},
		list: func(ctx context.Context) (int, error) {
			rows, err := w.AgentLevels(ctx, w.teamOf(ctx))
			return len(rows), err
		},
	}, {
		name: "pay status", field: "description", key: "name",
		create: func(ctx context.Context, name, by string) (kept, error) {
			r, err := w.CreatePayStatus(ctx, reference.PayStatusInput{Name: patch.Set("On Leave"), Description: patch.Set(name), IsActive: patch.Set(true), Initiator: by})
			return keptPayStatus(r), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			r, changed, err := w.UpdatePayStatus(ctx, "On Leave", reference.PayStatusInput{Description: name, Initiator: by})
			return keptPayStatus(r), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeletePayStatus(ctx, "On Leave", by) },
		list: func(ctx context.Context) (int, error) {
			rows, err := w.PayStatuses(ctx)
			return len(rows), err
		},
	}, {
		name: "tag", field: "description", key: "name",
		create: func(ctx context.Context, name, by string) (kept, error) {
			r, err := w.CreateTag(ctx, reference.TagInput{Name: patch.Set("Top Producer"), Description: patch.Set(name), Initiator: by})
			return keptTag(r), err
		},
		update: func(ctx context.Context, name patch.Field[string], by string) (kept, bool, error) {
			r, changed, err := w.UpdateTag(ctx, "Top Producer", reference.TagInput{Description: name, Initiator: by})
			return keptTag(r), changed, err
		},
		delete: func(ctx context.Context, by string) (int64, error) { return w.DeleteTag(ctx, "Top Producer", by) },
		list: func(ctx context.Context) (int, error) {
			rows, err := w.Tags(ctx)
			return len(rows), err
		},
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
				before, err := k.list(w.ctx)
				w.must(before, err)
				row, err := k.create(w.ctx, " First ", "hr")
				w.must(row, err)
				equal(t, "created", []any{row.name, row.createdBy, row.modifiedBy, row.lastModified.Equal(w.clock.Now())}, []any{"First", "hr", "hr", true})
				after, err := k.list(w.ctx)
				w.must(after, err)
				equal(t, "listed", after, before+1)

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
				gone, err := k.list(w.ctx)
				w.must(gone, err)
				equal(t, "no longer listed", gone, before)
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

func TestReferenceLists(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		types, err := w.CertificationTypes(w.ctx)
		w.must(types, err)
		jurisdictions, err := w.Jurisdictions(w.ctx)
		w.must(jurisdictions, err)
		companies, err := w.ProviderCompanies(w.ctx)
		w.must(companies, err)
		var codes []string
		for _, r := range types {
			codes = append(codes, r.Code)
		}
		for _, r := range jurisdictions {
			codes = append(codes, r.Code)
		}
		for _, r := range companies {
			codes = append(codes, r.Code)
		}
		equal(t, "by code", strings.Join(codes, " "), "AML APPT LIFE OLD CA-ON US-NY US-TX ZZ-ZZ BLH OFF QRY")

		for order, name := range []string{"Second", "b", "A", "First"} {
			w.must(w.CreatePayStatus(w.ctx, reference.PayStatusInput{Name: patch.Set(name), IsActive: patch.Set(false),
				SortOrder: patch.Set([]int{2, 3, 3, 1}[order]), Initiator: "hr"}))
		}
		statuses, err := w.PayStatuses(w.ctx)
		w.must(statuses, err)
		codes = nil
		for _, r := range statuses {
			codes = append(codes, r.Name)
		}
		equal(t, "in their order", strings.Join(codes, " "), "First Second A b")

		for _, name := range []string{"b", "B", "a"} {
			w.must(w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set(name), Initiator: "hr"}))
		}
		tags, err := w.Tags(w.ctx)
		w.must(tags, err)
		equal(t, "tags by name", []string{tags[0].Name, tags[1].Name, tags[2].Name}, []string{"B", "a", "b"})

		for _, value := range []int{100, 20, 9} {
			w.must(w.CreateAgentLevel(w.ctx, w.team, reference.AgentLevelInput{Value: patch.Set(value), Name: patch.Set("Level"), Initiator: "hr"}))
		}
		levels, err := w.AgentLevels(w.ctx, w.team)
		w.must(levels, err)
		equal(t, "lowest first", []int{levels[0].Value, levels[1].Value, levels[2].Value}, []int{9, 20, 100})
		none, err := w.AgentLevels(w.ctx, w.team+100)
		w.must(none, err)
		equal(t, "of another team", len(none), 0)
	})
}
