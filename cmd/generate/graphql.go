package main

import (
	_ "embed"
	"fmt"
	"go/format"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"
)

// read is the Go type of the objects that graph/read reads and writes.
const read = "github.com/uplinehq/upline/graph/model.Object"

//go:embed executor.txt
var executorText string

// generateGraphQL writes the executor of the schema to graph/generated.
func generateGraphQL() error {
	settings, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	log.SetOutput(io.Discard) // where gqlgen tells of each field of a read type that it would need a resolver
	defer log.SetOutput(os.Stderr)
	return api.Generate(settings, api.AddPlugin(leaner{settings}))
}

// leaner leaves out of the executor what graph/read answers: of its types the executor
// only passes on what was written, and has code for those fields of an agent that other
// areas answer.
type leaner struct{ settings *config.Config }

// Name implements plugin.Plugin.
func (leaner) Name() string { return "leaner" }

// GenerateCode implements plugin.CodeGenerator. It runs before the executor is written.
func (l leaner) GenerateCode(data *codegen.Data) error {
	var elsewhere []string
	data.Objects = slices.DeleteFunc(data.Objects, func(o *codegen.Object) bool {
		if !l.isRead(o.Name) {
			return false
		}
		o.Fields = slices.DeleteFunc(o.Fields, func(f *codegen.Field) bool {
			to := f.TypeReference.Definition
			return o.Name != "Agent" || to.Kind != ast.Object || l.isRead(to.Name)
		})
		for _, f := range o.Fields {
			elsewhere = append(elsewhere, f.Name)
		}
		return len(o.Fields) == 0
	})
	for _, i := range data.Interfaces {
		i.Implementors = slices.DeleteFunc(i.Implementors, func(of codegen.InterfaceImplementor) bool { return l.isRead(of.Name) })
	}
	l.passOn(data)
	return l.writeExecutor(elsewhere, data)
}

func (l leaner) isRead(typeName string) bool {
	return slices.Contains(l.settings.Models[typeName].Model, read)
}

// passOn has what graph/read has written passed on like a scalar.
func (l leaner) passOn(data *codegen.Data) {
	used := map[string]bool{}
	for _, o := range data.Objects {
		for _, f := range o.Fields {
			l.scalar(f.TypeReference)
			used[f.TypeReference.Definition.Name] = true
		}
	}
	for key, t := range data.ReferencedTypes {
		if l.scalar(t); l.isRead(t.Definition.Name) && !used[t.Definition.Name] {
			delete(data.ReferencedTypes, key)
		}
	}
}

func (l leaner) scalar(t *config.TypeReference) {
	if l.isRead(t.Definition.Name) {
		t.Definition = &ast.Definition{Kind: ast.Scalar, Name: t.Definition.Name, Position: t.Definition.Position}
	}
}

// writeExecutor writes what runs operations, with the fields of an agent that other areas
// answer.
func (l leaner) writeExecutor(fields []string, data *codegen.Data) error {
	var cases, roots, readers strings.Builder
	for _, f := range data.Objects.ByName("Query").Fields {
		fmt.Fprintf(&roots, "\tcase %q:\n\t\treturn ec._Query_%s(ctx, f)\n", f.Name, f.Name)
	}
	for _, name := range fields {
		fmt.Fprintf(&cases, "\tcase %q:\n\t\treturn ec._Agent_%s(ctx, f, agent)\n", name, name)
	}
	for _, input := range data.Inputs {
		if !input.HasUnmarshal() {
			fmt.Fprintf(&readers, "\t\tec.unmarshalInput%s,\n", input.Name)
		}
	}
	text, err := format.Source([]byte(strings.NewReplacer("\tCASES\n", cases.String(), "\tROOTS\n", roots.String(), "\t\tINPUTS\n", readers.String()).Replace(executorText)))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.settings.Exec.DirName, "executor.generated.go"), text, 0o644)
}
