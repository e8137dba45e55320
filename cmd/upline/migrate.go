package main

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
)

type migrateCommand struct {
	database
	Citus bool `help:"Distribute the tables of tenants over the workers of Citus; the database must be its coordinator. See docs/operations.md."`
}

// Run implements the command.
func (c *migrateCommand) Run(ctx context.Context) error {
	s, err := store.Open(ctx, c.Database)
	if err != nil {
		return err
	}
	defer s.Close()
	applied := 0
	if err := migrate(ctx, s, func(m store.Migration) {
		applied++
		fmt.Printf("applied %s in %d ms\n", m.Name, m.Took.Milliseconds())
	}); err != nil {
		return err
	}
	placed := 0
	if c.Citus {
		if placed, err = s.Shard(ctx); err != nil {
			return err
		}
	}
	if applied == 0 && placed == 0 {
		fmt.Println("nothing to do: the database is at the version of this binary")
		return nil
	}
	fmt.Printf("%d migrations applied: the database is at the version of this binary\n", applied)
	if c.Citus {
		fmt.Printf("%d tables distributed over the workers\n", placed)
	}
	return nil
}

// migrate brings the tables, and then the tenants, to the version of this binary.
func migrate(ctx context.Context, s *store.Store, applied ...func(store.Migration)) error {
	if err := s.Migrate(ctx, applied...); err != nil {
		return err
	}
	return directory.Complete(ctx, s, system)
}
