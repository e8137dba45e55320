package version_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
)

var at = time.Date(2026, time.March, 2, 15, 0, 0, 1000, time.UTC)

// RFC 9110 §13.1.1: the change is carried out when one of the versions is that
// of the record, or, for *, when there is a record.
func TestExpectation(t *testing.T) {
	other := version.Of(at.Add(time.Microsecond))
	for name, c := range map[string]struct {
		versions []string
		want     bool
	}{
		"the same": {[]string{version.Of(at)}, true}, "one of several": {[]string{other, version.Of(at)}, true},
		"another": {[]string{other}, false}, "none that can match": {nil, false}, "empty": {[]string{""}, false},
	} {
		err := version.Check(version.Expect(t.Context(), c.versions), at)
		if (err == nil) != c.want || err != nil && !problem.Has(err, problem.PreconditionFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := version.Check(version.ExpectAny(t.Context()), at); err != nil {
		t.Errorf("*: %v", err)
	}
	if err := errors.Join(version.Check(t.Context(), at), version.CheckNew(t.Context()), version.CheckNew(version.Expect(t.Context(), nil))); err != nil {
		t.Errorf("a request that demands nothing, or nothing of a new record: %v", err)
	}
	if err := version.CheckNew(version.Expect(t.Context(), []string{version.Of(at)})); !problem.Has(err, problem.PreconditionFailed) {
		t.Errorf("a version of a new record: %v", err)
	}
}

// A precondition that nothing evaluated is not silently ignored.
func TestUncheckedExpectationIsAFault(t *testing.T) {
	ctx := version.ExpectAny(t.Context())
	if err := version.Checked(ctx); !errors.Is(err, version.ErrUnchecked) {
		t.Errorf("unchecked: %v", err)
	}
	if err := errors.Join(version.Check(ctx, at), version.Checked(ctx), version.Checked(t.Context())); err != nil {
		t.Errorf("checked, or nothing demanded: %v", err)
	}
}

// Versions of instants one microsecond apart differ, and have no dash, which
// ends them in an ETag.
func TestVersionsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		v := version.Of(at.Add(time.Duration(i) * time.Microsecond))
		if seen[v] || strings.Contains(v, "-") || v == "" {
			t.Fatalf("the version %q repeats or has a dash", v)
		}
		seen[v] = true
	}
	if v := version.Of(time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)); strings.Contains(v, "-") {
		t.Errorf("the version %q of an instant before 1970 has a dash", v)
	}
}

// A version is never given twice, whatever the clock says.
func TestNext(t *testing.T) {
	for _, now := range []time.Time{at.Add(-time.Hour), at, at.Add(time.Microsecond), at.Add(time.Hour)} {
		if next := version.Next(at, now); !next.After(at) || next.Before(now) {
			t.Errorf("after %s, at %s: %s", at, now, next)
		}
	}
}
