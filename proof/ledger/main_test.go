package ledger_test

import (
	"os"
	"testing"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
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

type object = map[string]any

// allScopes are all scopes of what is tried.
var allScopes = bearer.TenantScopes()

func openStore(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
