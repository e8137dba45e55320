package doors_test

import (
	"testing"
	"testing/synctest"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A request whose database takes longer than the request may is answered that its time is
// over, or that the server failed, and leaves nothing; sent again, it succeeds. One of every
// mutation of the agency is sent through both doors, in virtual time.
func TestSlowStatements(t *testing.T) {
	for seed, surface := range []string{"GRAPHQL", "REST"} {
		t.Run(surface, func(t *testing.T) {
			path := dbtest.SQLiteURL(t)
			synctest.Test(t, func(t *testing.T) {
				w := apptest.New(t, nightStore(t, path), apptest.Options{})
				f := w.WithSlowness(t, uint64(seed))
				sendSamples(t, w, surface)
				if t.Logf("%d requests were slow, %d timed out", f.Tried, f.TimedOut); f.TimedOut < 40 {
					t.Error("too few requests timed out")
				}
			})
		})
	}
}
