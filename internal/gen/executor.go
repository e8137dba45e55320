package main

import (
	"bytes"
	"errors"
	"os"
	"regexp"
)

// executor is what gqlgen writes the executor to.
const executor = "graph/generated/root_.generated.go"

// unmarshalers is a map of the functions that read inputs. gqlgen makes it anew for each
// request, a twentieth of a point read, for resolvers that read inputs themselves with
// graphql.UnmarshalInputFromContext. There are none.
var unmarshalers = regexp.MustCompile(`(?ms)^\tinputUnmarshalMap := graphql\.BuildUnmarshalerMap\(.*?^\t\)\n|^\t+ctx = graphql\.WithUnmarshalerMap\(ctx, inputUnmarshalMap\)\n`)

// slimExecutor takes the map out of a file.
func slimExecutor(path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	slim := unmarshalers.ReplaceAll(source, nil)
	if bytes.Contains(slim, []byte("BuildUnmarshalerMap")) || bytes.Contains(slim, []byte("inputUnmarshalMap")) {
		return errors.New("gqlgen writes the map of unmarshalers in another way: see unmarshalers")
	}
	return os.WriteFile(path, slim, 0o644)
}
