package plan

import (
	"errors"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
)

// Failure is why a value could not be shown.
type Failure struct {
	Err error
	// reversed leads from the value to the field of the plan.
	reversed ast.Path
}

// NewFailure returns a failure at a path below the field of a plan.
func NewFailure(err error, path ast.Path) Failure {
	f := Failure{Err: err, reversed: path}
	f.reversed = f.Path()
	return f
}

// Path leads from the field of the plan to the value.
func (f Failure) Path() ast.Path {
	path := make(ast.Path, len(f.reversed))
	for i, step := range f.reversed {
		path[len(path)-1-i] = step
	}
	return path
}

// ErrNull says that a value is missing where the schema allows no null. The text is that
// of the executor.
var ErrNull = errors.New("must not be null")

// IsRefusal reports whether an error is about what the request asks for, and so about a
// field alone. That there is no connection is not: whatever is read next would wait for one
// in vain.
func IsRefusal(err error) bool { return problem.From(err) != nil && !dberror.IsRefused(err) }

// Fail writes null for a value that cannot be shown. Where the schema allows no null, the
// next object around it that can be null is null (GraphQL, 6.4.4 "Handling Execution
// Errors").
func (r *Run) Fail(b []byte, err error) []byte {
	r.failures, r.null = append(r.failures, Failure{Err: err}), true
	return Null(b)
}

// Insert writes what was written of a value elsewhere.
func (r *Run) Insert(b []byte, w Written) []byte {
	for _, f := range w.Failures {
		f.reversed = slices.Clip(f.reversed) // steps are added in each place that it is in
		r.failures = append(r.failures, f)
	}
	r.null = w.IsNull
	return append(b, w.JSON...)
}

// Failures are why values could not be shown, once they are written.
func (r *Run) Failures() []Failure { return r.failures }

// Refused is why the rows of a place were not read; nil if they were.
func (r *Run) Refused(rows *Place) error { return r.found[rows.set.n].refused }

// Unless compiles a field that fails if one of some places was refused.
func Unless(write Write, places ...*Place) Write {
	if write == nil {
		return nil
	}
	return func(b []byte, r *Run, row int) []byte {
		for _, p := range places {
			if err := r.Refused(p); err != nil {
				return r.Fail(b, err)
			}
		}
		return write(b, r, row)
	}
}

// passed adds a step to the paths of failures from one on.
func (r *Run) passed(from int, step ast.PathElement) {
	for i := range r.failures[from:] {
		failure := &r.failures[from+i]
		failure.reversed = append(failure.reversed, step)
	}
}
