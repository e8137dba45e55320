package known_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/known"
)

type key int

// Each fact is found under its key, the latest first, and what the context knew before as
// well; the context still ends with the one that it was made from.
func TestFacts(t *testing.T) {
	before, cancel := context.WithCancel(context.WithValue(t.Context(), key(0), "zero"))
	ctx := known.With(known.With(before, known.Is(key(1), "old"), known.Is(key(2), nil)), known.Is(key(1), "one"), known.Is(key(3), "three"), known.Is(key(4), "four"), known.Is(key(5), "five"), known.Is(key(6), "six"))
	for k, want := range map[key]any{0: "zero", 1: "one", 2: nil, 3: "three", 4: "four", 5: "five", 6: "six", 7: nil} {
		if got := ctx.Value(k); got != want {
			t.Errorf("%d: %v, want %v", k, got, want)
		}
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	cancel()
	if <-within.Done(); ctx.Err() == nil {
		t.Error("the context goes on")
	}
}

// A few facts are one allocation.
func TestFactsAreOne(t *testing.T) {
	ctx, value := context.Context(nil), new(int)
	if n := testing.AllocsPerRun(100, func() {
		ctx = known.With(t.Context(), known.Is(key(1), value), known.Is(key(2), value), known.Is(key(3), value))
	}); n != 1 || ctx.Value(key(3)) != any(value) {
		t.Errorf("%v allocations, %v", n, ctx)
	}
}
