package main

import (
	"os"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/rest"
)

type schemaCommand struct {
	OpenAPI bool   `name:"openapi" help:"Print the OpenAPI document of the REST paths instead of the GraphQL schema."`
	Output  string `help:"File to write to; standard output by default." type:"path"`
}

// Run implements the command.
func (c *schemaCommand) Run() error {
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

func (c *schemaCommand) text() ([]byte, error) {
	if !c.OpenAPI {
		return []byte(graph.SDL()), nil
	}
	document, err := rest.OpenAPI(graph.Schema(), "")
	return append(document, '\n'), err
}
