package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"entgo.io/ent/entc/gen"
)

// described are the entities that are in the ent schema only so that their tables are
// known: nobody reads or writes them with the client, so nothing else is generated for
// them. TestEveryClientIsUsed says which belong here.
var described = []string{
	"Address", "AgentLevel", "Alias", "AppConfiguration", "Application", "ApplicationStatusChange", "BackgroundQuestion", "Certification", "CertificationPeriod", "CertificationType",
	"ContractCovenant", "ContractVersion", "DirectDeposit", "Jurisdiction", "LevelPeriod", "PayStatus", "PayStatusPeriod", "Phone", "ProviderCompany", "Tag", "TagAssignment",
	"UplinePeriod", "W9", "W9Period", "WebhookDelivery",
}

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
		g.Nodes = slices.DeleteFunc(g.Nodes, func(t *gen.Type) bool { return slices.Contains(described, t.Name) })
		return errors.Join(next.Generate(g), os.Remove(filepath.Join(g.Target, "migrate", "migrate.go")), os.RemoveAll(filepath.Join(g.Target, "enttest")))
	})
}
