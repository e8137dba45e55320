// Package manifest reads the files in which the tools that build a client list its GraphQL
// documents.
package manifest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/problem"
)

// apollo is the manifest of Apollo's generate-persisted-query-manifest.
type apollo struct {
	Format     string
	Version    int
	Operations []struct{ ID, Body string }
}

const apolloFormat = "apollo-persisted-query-manifest"

// Parse returns the documents of a manifest, by their ids: of Apollo, or an object of texts
// by their ids, as graphql-codegen and Relay write it. Each must be valid for the schema; a
// problem names the document by its id.
func Parse(data []byte, schema *ast.Schema) ([]identity.Document, error) {
	texts, err := read(data)
	if err != nil {
		return nil, err
	}
	var wrong problem.List
	all := make([]identity.Document, 0, len(texts))
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		if message := fault(texts[id], schema); message != "" {
			wrong.Add(problem.Invalid(problem.InvalidFormat, message, "manifest", id))
		}
		all = append(all, identity.Document{ID: id, Body: texts[id]})
	}
	return all, wrong.Err()
}

func read(data []byte) (map[string]string, error) {
	var a apollo
	if json.Unmarshal(data, &a) == nil && a.Format == apolloFormat {
		texts := make(map[string]string, len(a.Operations))
		for _, o := range a.Operations {
			if before, twice := texts[o.ID]; twice && before != o.Body {
				return nil, problem.Invalid(problem.DuplicateKey, "has two documents with this id", "manifest", o.ID)
			}
			texts[o.ID] = o.Body
		}
		return texts, nil
	}
	var texts map[string]string
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&texts); err != nil || texts == nil {
		return nil, problem.Invalid(problem.InvalidFormat, "must be a manifest: an object of GraphQL texts by their ids (graphql-codegen, Relay), or one of the format "+apolloFormat, "manifest")
	}
	return texts, nil
}

// fault says what is wrong with a document; nothing is the empty text.
func fault(text string, schema *ast.Schema) string {
	if strings.ContainsRune(text, 0) {
		return "must not contain U+0000"
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, limits.MaxTokens)
	if err != nil {
		return "is not GraphQL: " + err.Error()
	}
	if len(doc.Operations) == 0 {
		return "must hold an operation"
	}
	if errs := validator.ValidateWithRules(schema, doc, nil); len(errs) > 0 {
		return "does not fit the schema: " + errs[0].Message
	}
	return ""
}
