package app_test

import (
	"os"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// TestMain makes the test binary the server, or the import, that tests kill, when
// the environment says so.
func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		if file := os.Getenv(childImport); file != "" {
			runChildImport(url, file)
		}
		serveChild(url)
	}
	dbtest.Main(m)
}

// onEach runs a test on an assembled server on every database.
func onEach(t *testing.T, f func(t *testing.T, w *apptest.World)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{})) })
}
