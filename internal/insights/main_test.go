package insights_test

import (
	"flag"
	"log"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// TestMain has each query checked on fewer random agencies than is usual: each of
// them is planted, and asked about in a dozen ways. For more, say -rapid.checks=100.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "15"); err != nil {
		log.Fatal(err)
	}
	dbtest.MainAsRole(m)
}
