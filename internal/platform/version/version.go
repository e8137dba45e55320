// Package version carries the version that a request demands of the record it changes
// (If-Match, RFC 9110 §13.1.1) from the door to where it can be checked: inside the
// transaction of the change, once the row is locked.
//
// The version of a record is its lastModified, which never repeats.
package version

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/uplinehq/upline/internal/problem"
)

// Of returns the version of a record, as compact text without a dash.
func Of(lastModified time.Time) string {
	return strconv.FormatUint(uint64(lastModified.UnixMicro()), 36)
}

// Next returns the time of a change that is made now to a record that was last changed at
// an instant: later than that, even if it came from a process whose clock is ahead.
func Next(lastModified, now time.Time) time.Time {
	if now.After(lastModified) {
		return now
	}
	return lastModified.Add(time.Microsecond)
}

// expectation is the version that a request demands.
type expectation struct {
	versions []string
	any      bool
	checked  atomic.Bool
}

type key struct{}

// Expect returns a context whose change is refused unless the record has one of the
// versions; without any version it is always refused.
func Expect(ctx context.Context, versions []string) context.Context {
	return context.WithValue(ctx, key{}, &expectation{versions: versions})
}

// ExpectAny returns a context whose change demands that the record exists.
func ExpectAny(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, &expectation{any: true})
}

// Check refuses a change of a record whose version is not the one that the request
// demands. It is called for the record that the request names, with its row locked.
func Check(ctx context.Context, lastModified time.Time) error {
	e, _ := ctx.Value(key{}).(*expectation)
	if e == nil {
		return nil
	}
	e.checked.Store(true)
	if e.any || slices.Contains(e.versions, Of(lastModified)) {
		return nil
	}
	return failed()
}

// CheckNew is Check for a record that does not exist yet: a change of it may demand no
// version.
func CheckNew(ctx context.Context) error {
	e, _ := ctx.Value(key{}).(*expectation)
	if e == nil {
		return nil
	}
	e.checked.Store(true)
	if !e.any && len(e.versions) == 0 {
		return nil
	}
	return failed()
}

func failed() error {
	return &problem.Error{
		Category: problem.Precondition, Code: problem.PreconditionFailed,
		Message: "The record was changed since it was read; read it again",
	}
}

// ErrUnchecked is returned by Checked.
var ErrUnchecked = errors.New("version: the change did not check the version that the request demands")

// Checked is called at the end of a change. It returns ErrUnchecked if a demanded version
// was never checked: a precondition must not be silently ignored.
func Checked(ctx context.Context) error {
	if e, _ := ctx.Value(key{}).(*expectation); e != nil && !e.checked.Load() {
		return ErrUnchecked
	}
	return nil
}
