package resttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/graph/selection"
)

// Fake is an executor that records the operation and answers what a test has set.
type Fake struct {
	Parsed *ast.Schema
	// Answer returns the response to an operation. If it is nil, there is no response, as
	// when the context of the request has ended.
	Answer func(operationName string, variables map[string]any) *graphql.Response

	// Context, Document, Operation and Variables are those of the last call.
	Context             context.Context
	Document, Operation string
	Variables           map[string]any
	Calls               int
}

// Schema implements rest.Executor.
func (f *Fake) Schema() *ast.Schema { return f.Parsed }

// Execute implements rest.Executor.
func (f *Fake) Execute(ctx context.Context, document, operationName string, variables map[string]any) *graphql.Response {
	f.Context, f.Document, f.Operation, f.Variables = ctx, document, operationName, variables
	f.Calls++
	if f.Answer == nil {
		return nil
	}
	return f.Answer(operationName, variables)
}

// Data makes a Fake answer every operation with the data.
func (f *Fake) Data(data string) {
	f.Answer = func(string, map[string]any) *graphql.Response {
		return &graphql.Response{Data: json.RawMessage(data)}
	}
}

// Graph makes a Fake answer every operation with the selected part of the data, which has
// the names of fields and not their aliases. A field that the data does not have is null.
func (f *Fake) Graph(data string) {
	f.Answer = func(string, map[string]any) *graphql.Response {
		doc, errs := gqlparser.LoadQueryWithRules(f.Parsed, f.Document, rules.NewDefaultRules())
		if len(errs) > 0 {
			return &graphql.Response{Errors: errs}
		}
		value, err := decode([]byte(data))
		if err != nil {
			return &graphql.Response{Errors: gqlerror.List{gqlerror.Wrap(err)}}
		}
		var text bytes.Buffer
		writeSelected(&text, doc.Operations[0].SelectionSet, value)
		return &graphql.Response{Data: text.Bytes()}
	}
}

// writeSelected writes a value as JSON: of an object only what is selected, in the order
// of the selection.
func writeSelected(w *bytes.Buffer, set ast.SelectionSet, value any) {
	switch v := value.(type) {
	case map[string]any:
		if len(set) == 0 {
			break
		}
		w.WriteByte('{')
		for i, field := range selection.Fields(set) {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, "%q:", field.Alias)
			writeSelected(w, field.SelectionSet, v[field.Name])
		}
		w.WriteByte('}')
		return
	case []any:
		w.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				w.WriteByte(',')
			}
			writeSelected(w, set, element)
		}
		w.WriteByte(']')
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // It was decoded from JSON.
	}
	w.Write(text)
}

// Errors makes a Fake answer every operation with the errors.
func (f *Fake) Errors(errors ...*gqlerror.Error) {
	f.Answer = func(string, map[string]any) *graphql.Response {
		return &graphql.Response{Errors: errors, Data: json.RawMessage("null")}
	}
}

// LoadSchema parses the .graphql files of a folder.
func LoadSchema(dir string) (*ast.Schema, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.graphql"))
	if err != nil {
		return nil, err
	}
	sources := make([]*ast.Source, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sources[i] = &ast.Source{Name: file, Input: string(text)}
	}
	return gqlparser.LoadSchema(sources...)
}
