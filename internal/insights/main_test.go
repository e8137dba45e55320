package insights_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
