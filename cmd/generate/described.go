package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"entgo.io/ent/entc/gen"

	"github.com/uplinehq/upline/ent/mixin"
)

// lean generates everything, and then the client without the described entities and
// without what creates tables: migrations do, and with that comes a parser of another
// language. Of the first the tables are left, which tests compare with the migrations; the
// tools for tests of a client that creates its tables go.
func lean(next gen.Generator) gen.Generator {
	return gen.GenerateFunc(func(g *gen.Graph) error {
		if err := next.Generate(g); err != nil {
			return err
		}
		storage := *g.Storage
		storage.SchemaMode &^= gen.Migrate
		g.Storage = &storage
		g.Nodes = slices.DeleteFunc(g.Nodes, func(t *gen.Type) bool { return t.Annotations[mixin.DescribedName] != nil })
		return errors.Join(next.Generate(g), os.Remove(filepath.Join(g.Target, "migrate", "migrate.go")), os.RemoveAll(filepath.Join(g.Target, "enttest")))
	})
}
