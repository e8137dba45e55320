package webhooks_test

import (
	"os"
	"testing"

	"github.com/uplinehq/upline/internal/store/dbtest"
)

// TestMain makes the test binary the server that TestLedger kills, when the
// environment says so.
func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		serveChild(url)
	}
	dbtest.Main(m)
}
