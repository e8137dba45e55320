package recipe

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Input is everything that a caller writes of a recipe.
type Input struct {
	Name        string
	Description *string
	Dataset     string
	Definition  map[string]any
}

// Lengths, in characters.
const (
	maxName        = 100
	maxDescription = 1000
)

const recipeEntity = "ReportRecipe"

// check normalises an input and returns it with the text of its definition. Everything
// wrong is reported together.
func (r *Service) check(ctx context.Context, in Input) (Input, []byte, error) {
	var refused check.Problems
	in.Name = refused.Name(in.Name, maxName, "name")
	in.Description = refused.Optional(in.Description, maxDescription, "description")
	text, found, err := r.checkDefinition(ctx, in.Dataset, in.Definition)
	refused.Add(found...)
	if err == nil {
		err = refused.Err()
	}
	return in, text, err
}

func (r *Service) checkDefinition(ctx context.Context, dataset string, definition map[string]any) ([]byte, problem.List, error) {
	decoded, text, err := normal(definition)
	if err != nil {
		return nil, nil, err
	}
	if len(text) > maxDefinition {
		return nil, problem.List{problem.Invalid(problem.TooLong, "must not be larger than 64 KiB", "definition").With("max", maxDefinition)}, nil
	}
	if dataset == savedQuery {
		q, refused := parseQuery(decoded)
		if len(refused) == 0 {
			refused, err = r.Queries.CheckQuery(ctx, q)
		}
		return text, refused, err
	}
	d := datasetOf(dataset)
	if d == nil {
		return text, problem.List{unknownDataset()}, nil
	}
	_, refused := parse(d, decoded)
	return text, refused, nil
}

func unknownDataset() *problem.Error {
	names := append(datasetNames(), savedQuery)
	return problem.Invalid(problem.InvalidFormat, "must be one of "+strings.Join(names, ", "), "dataset").With("allowed", names)
}

// write runs a change of a shelf. Its audit entry is in the trail of the caller's tenant;
// for a shared recipe, it is in the platform's, too.
func (r *Service) write(ctx context.Context, s *Shelf, f func(ctx context.Context, w *change.Writing) (uid string, fields []string, err error)) error {
	t := tenant.From(ctx)
	if t == nil || s.own && t == tenant.Platform {
		return tenant.ErrNone
	}
	if !s.own {
		if err := r.vault.Prepare(ctx, tenant.Platform.ID); err != nil {
			return err
		}
	}
	caller, _ := tenant.CallerFrom(ctx)
	return r.writer.Write(ctx, caller.Subject, func(ctx context.Context, w *change.Writing) error {
		uid, fields, err := f(ctx, w)
		if err != nil || uid == "" {
			return err
		}
		w.Changed(recipeEntity, uid, fields...)
		if !s.own && t != tenant.Platform {
			w.ChangedToo(tenant.Platform)
		}
		return nil
	})
}

// writer is the tenant of the author; nil for the platform.
func writer(w *change.Writing) *int64 {
	if w.Tenant == tenant.Platform {
		return nil
	}
	return &w.Tenant.ID
}

// Create adds a recipe to a shelf.
func (r *Service) Create(ctx context.Context, s *Shelf, in Input) (made *Recipe, err error) {
	in, definition, err := r.check(ctx, in)
	if err != nil {
		return nil, err
	}
	err = r.write(ctx, s, func(ctx context.Context, w *change.Writing) (string, []string, error) {
		uid := uuid.Must(uuid.NewV7()).String()
		if err := s.nameTaken(s.insert(ctx, w, uid, in, definition)); err != nil {
			return "", nil, err
		}
		made, err = s.read(ctx, w, uid, "")
		return uid, []string{"dataset", "definition", "description", "name"}, err
	})
	return made, err
}

// nameKey is the form in which names are unique: recipes of a shelf differ by more than
// the case of letters.
func nameKey(name string) string { return strings.ToLower(name) }

// Replace replaces a recipe: "a PUT replaces the whole resource: every property is
// applied and an omitted property counts as null" (Partial updates, 2). changed is false
// if it was the same; then nothing is written.
func (r *Service) Replace(ctx context.Context, s *Shelf, uid string, in Input) (recipe *Recipe, changed bool, err error) {
	in, definition, err := r.check(ctx, in)
	if err != nil {
		return nil, false, err
	}
	err = r.write(ctx, s, func(ctx context.Context, w *change.Writing) (string, []string, error) {
		if recipe, err = s.lock(ctx, w, uid, w.ForUpdate()); err != nil {
			return "", nil, err
		}
		uid := recipe.UID // as the audit trail has it
		fields := recipe.differs(in, definition)
		if changed = len(fields) > 0; !changed {
			recipe.seenBy(ctx)
			return "", nil, nil
		}
		if err := s.nameTaken(s.update(ctx, w, recipe.ID, in, definition)); err != nil {
			return "", nil, err
		}
		recipe, err = s.read(ctx, w, uid, "")
		if err == nil {
			recipe.seenBy(ctx)
		}
		return uid, fields, err
	})
	return recipe, changed, err
}

// differs returns the names of the fields in which an input differs.
func (r *Recipe) differs(in Input, definition []byte) (fields []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"dataset", in.Dataset == r.Dataset},
		{"definition", slices.Equal(definition, r.Definition)},
		{"description", (in.Description == nil) == (r.Description == nil) && (in.Description == nil || *in.Description == *r.Description)},
		{"name", in.Name == r.Name},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// Delete removes a recipe.
func (r *Service) Delete(ctx context.Context, s *Shelf, uid string) error {
	return r.write(ctx, s, func(ctx context.Context, w *change.Writing) (string, []string, error) {
		recipe, err := s.lock(ctx, w, uid, w.ForDelete())
		if err != nil {
			return "", nil, err
		}
		return recipe.UID, nil, s.remove(ctx, w, recipe.ID)
	})
}

// lock reads and locks a recipe that is about to change.
func (s *Shelf) lock(ctx context.Context, w *change.Writing, uid, lock string) (*Recipe, error) {
	recipe, err := s.read(ctx, w, uid, lock)
	if err == nil && recipe == nil {
		err = problem.Missing(problem.NotFoundCode, "No report recipe has this id", "id")
	}
	if err != nil {
		return nil, err
	}
	return recipe, w.CheckVersion(ctx, recipe.LastModified)
}
