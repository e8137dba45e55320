package doors_test

import (
	"encoding/json"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// onEach runs a test on an assembled server on every database.
func onEach(t *testing.T, f func(t *testing.T, w *apptest.World)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{})) })
}

func quoted(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
