package main

import (
	_ "embed"
	"fmt"
	"go/format"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

// models is the package of the Go types of the graph, and read the type of the objects
// that graph/read reads and writes.
const (
	models = "github.com/uplinehq/upline/graph/model."
	read   = models + "Object"
)

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
	return api.Generate(settings, api.PrependPlugin(leaner{settings}))
}

// leaner leaves out of the executor what graph/read answers: of its types the executor
// only passes on what was written, and has code for those fields of an agent that other
// areas answer.
type leaner struct{ settings *config.Config }

// Name implements plugin.Plugin.
func (leaner) Name() string { return "leaner" }

// MutateConfig implements plugin.ConfigMutator. It runs before models are written: inputs
// hold an initiator as areas take it and no reason, and payloads of the same form share a Go type.
func (l leaner) MutateConfig(c *config.Config) error {
	for _, mutation := range c.Schema.Mutation.Fields {
		if input := mutation.Arguments.ForName("input"); input != nil {
			withoutReason(c.Schema.Types[input.Type.Name()])
		}
	}
	for name, def := range c.Schema.Types {
		if strings.HasSuffix(name, "Input") && def.Fields.ForName("initiator") != nil && !c.Models.UserDefined(name) {
			c.Models[name] = config.TypeMapEntry{Fields: map[string]config.TypeMapField{"initiator": {Type: "string", Omittable: new(bool)}}}
		}
	}
	tells := map[string]int{} // how many payloads tell of a type
	for _, def := range c.Schema.PossibleTypes["Payload"] {
		tells[told(def).Type.Name()]++
	}
	for _, def := range c.Schema.PossibleTypes["Payload"] {
		l.bind(def, told(def), tells[told(def).Type.Name()] > 1)
	}
	return nil
}

// withoutReason leaves the reason of a change out of the code of an input: it goes to the audit
// trail by the middleware of graph. One that is demanded is the area's, too.
func withoutReason(input *ast.Definition) {
	input.Fields = slices.DeleteFunc(input.Fields, func(f *ast.FieldDefinition) bool { return f.Name == "reason" && !f.Type.NonNull })
}

// told is the field of a payload that tells of the record.
func told(payload *ast.Definition) *ast.FieldDefinition { return payload.Fields[0] }

// bind gives a payload a Go type of graph/model that it shares with others, if it does.
func (l leaner) bind(payload *ast.Definition, first *ast.FieldDefinition, isShared bool) {
	bound := config.TypeMapEntry{}
	switch {
	case l.settings.Models.UserDefined(payload.Name):
		return
	case first.Name == "userErrors":
		bound.Model = config.StringList{models + "Outcome"}
	case first.Name == "deletedId":
		bound.Model = config.StringList{models + "DeletePayload"}
	case l.isRead(first.Type.Name()) && payload.Fields[1].Name == "userErrors":
		bound.Model = config.StringList{models + "RecordPayload"}
		bound.Fields = map[string]config.TypeMapField{first.Name: {FieldName: "Record"}}
	case isShared:
		bound.Model = config.StringList{models + templates.ToGo(first.Type.Name()) + "Payload"}
	default:
		return
	}
	l.settings.Models[payload.Name] = bound
}

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
	for _, f := range data.Objects.ByName("Query").Fields {
		if strings.HasPrefix(f.Name, "_") && !strings.HasPrefix(f.Name, "__") {
			resolved(f)
		}
	}
	l.passOn(data)
	return l.writeExecutor(elsewhere, data)
}

// resolved makes a field of Apollo Federation, for which gqlgen expects code of its plugin, one
// of the resolvers (decision 9).
func resolved(f *codegen.Field) {
	f.IsResolver, f.NoErr, f.MethodHasContext = true, false, false
	f.GoFieldType, f.GoReceiverName, f.GoFieldName = codegen.GoFieldUndefined, "", templates.ToGo(f.Name)
}

func (l leaner) isRead(typeName string) bool {
	return slices.Contains(l.settings.Models[typeName].Model, read)
}

// passOn has what graph/read has written passed on like a scalar, and leaves out the
// interfaces that no field has.
func (l leaner) passOn(data *codegen.Data) {
	used := map[string]bool{}
	for _, o := range data.Objects {
		for _, f := range o.Fields {
			l.scalar(f.TypeReference)
			used[f.TypeReference.Definition.Name] = true
		}
	}
	maps.DeleteFunc(data.Interfaces, func(name string, _ *codegen.Interface) bool { return !used[name] })
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
