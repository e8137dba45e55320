package outside_test

import (
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type object = map[string]any

// allScopes are all scopes of what is tried.
var allScopes = bearer.TenantScopes()

// onEach runs a test on an assembled server on every database.
func onEach(t *testing.T, f func(t *testing.T, w *apptest.World)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{})) })
}
