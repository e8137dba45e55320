package main

import (
	"context"
	"fmt"
	"os"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/graph/manifest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/store"
)

type clientDocumentsCommand struct {
	recorded
	ID       string `arg:"" help:"The client's id."`
	Manifest string `arg:"" help:"File of the tool that builds the client: an object of texts by their ids (graphql-codegen, Relay), or Apollo's persisted query manifest." type:"existingfile"`
}

// Run implements the command.
func (c *clientDocumentsCommand) Run(ctx context.Context) error {
	text, err := os.ReadFile(c.Manifest)
	if err != nil {
		return err
	}
	all, err := manifest.Parse(text, graph.Schema())
	if err != nil {
		return err
	}
	return c.withClients(ctx, func(s *store.Store, clients *identity.Operator) error {
		record, err := c.recordClient(ctx, s, "client documents", c.ID)
		if err != nil {
			return err
		}
		added, err := clients.AddClientDocuments(ctx, c.ID, all, system.Now(), record)
		if err == nil {
			fmt.Printf("%d documents, %d of them new\n", len(all), added)
		}
		return err
	})
}
