package recipe_test

import (
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type object = map[string]any

func onEachWorld(t *testing.T, f func(t *testing.T, w *apptest.World)) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{})) })
}
