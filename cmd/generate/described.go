package main

import (
	"os"
	"path/filepath"
	"slices"

	"entgo.io/ent/entc/gen"
)

// described are the entities that are in the ent schema only so that their tables are
// known: nobody reads or writes them with the client, so nothing else is generated for
// them. TestEveryClientIsUsed says which belong here.
var described = []string{
	"Address", "AppConfiguration", "Application", "ApplicationStatusChange", "BackgroundQuestion", "CertificationPeriod", "ContractCovenant", "ContractVersion",
	"DirectDeposit", "LevelPeriod", "PayStatusPeriod", "Phone", "UplinePeriod", "W9", "W9Period", "WebhookDelivery",
}

// withoutDescribed generates everything for the tables, and then the client without the
// described entities.
func withoutDescribed(next gen.Generator) gen.Generator {
	return gen.GenerateFunc(func(g *gen.Graph) error {
		if err := next.Generate(g); err != nil {
			return err
		}
		tables := filepath.Join(g.Target, "migrate", "schema.go")
		all, err := os.ReadFile(tables)
		if err != nil {
			return err
		}
		g.Nodes = slices.DeleteFunc(g.Nodes, func(t *gen.Type) bool { return slices.Contains(described, t.Name) })
		if err := next.Generate(g); err != nil {
			return err
		}
		return os.WriteFile(tables, all, 0o600)
	})
}
