package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/graph/breaking"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest"
)

type schemaCommand struct {
	Print schemaPrintCommand `cmd:"" default:"withargs" help:"Print the GraphQL schema or the OpenAPI document."`
	Check schemaCheckCommand `cmd:"" help:"Say which changes of the GraphQL schema break clients."`
}

type schemaPrintCommand struct {
	OpenAPI bool   `name:"openapi" help:"Print the OpenAPI document of the REST paths instead of the GraphQL schema."`
	Output  string `help:"File to write to; standard output by default." type:"path"`
}

// Run implements the command.
func (c *schemaPrintCommand) Run() error {
	text, err := c.text()
	if err != nil {
		return err
	}
	if c.Output != "" {
		return os.WriteFile(c.Output, text, 0o644)
	}
	_, err = os.Stdout.Write(text)
	return err
}

func (c *schemaPrintCommand) text() ([]byte, error) {
	if !c.OpenAPI {
		return []byte(graph.SDL()), nil
	}
	document, err := rest.OpenAPI(graph.Schema(), "")
	return append(document, '\n'), err
}

type schemaCheckCommand struct {
	database
	Before string `arg:"" name:"old" help:"File with the schema before." type:"existingfile"`
	After  string `arg:"" name:"new" optional:"" help:"File with the schema after; that of this binary by default." type:"existingfile"`
	Used   bool   `help:"Say which clients used what breaks since yesterday, as the database has counted."`
}

// errBreaking makes the command fail.
var errBreaking = errors.New("the new schema breaks clients of the old one")

// Run implements the command.
func (c *schemaCheckCommand) Run(ctx context.Context) error {
	before, err := schemaOf(c.Before)
	if err != nil {
		return err
	}
	after := graph.Schema()
	if c.After != "" {
		if after, err = schemaOf(c.After); err != nil {
			return err
		}
	}
	changes := breaking.Changes(before, after)
	used := func(string) string { return "" }
	if c.Used && len(changes) > 0 {
		if used, err = c.usedBy(ctx); err != nil {
			return err
		}
	}
	for _, change := range changes {
		fmt.Printf("%s: %s%s\n", change.Coordinate, change.Message, used(change.Coordinate))
	}
	if len(changes) > 0 {
		return errBreaking
	}
	fmt.Println("nothing breaks")
	return nil
}

func schemaOf(path string) (*ast.Schema, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: path, Input: string(text)})
	if err != nil {
		return nil, err
	}
	return schema, nil
}

// usedBy returns a function that tells which clients of which tenants used a coordinate
// yesterday or today.
func (c *schemaCheckCommand) usedBy(ctx context.Context) (func(coordinate string) string, error) {
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	by := map[string][]string{}
	uses := identity.New(identity.Config{Store: s, Clock: system})
	yesterday := date.In(system.Now(), time.UTC).AddDays(-1)
	tenants, err := directory.New(s, system).List(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		all, err := uses.UsesSince(tenant.With(ctx, t), yesterday)
		if err != nil {
			return nil, err
		}
		for _, u := range all {
			by[u.Coordinate] = append(by[u.Coordinate], fmt.Sprintf("%s of %s (%d requests)", u.ClientID, t.Identifier, u.Requests))
		}
	}
	return func(coordinate string) string {
		if len(by[coordinate]) == 0 {
			return ""
		}
		return "; used since yesterday by " + strings.Join(by[coordinate], ", ")
	}, nil
}
