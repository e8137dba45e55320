package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The executor that is committed makes the map of the functions that read inputs once.
func TestExecutorIsSlim(t *testing.T) {
	source, err := os.ReadFile("../../" + executor)
	if err != nil {
		t.Fatal(err)
	}
	if madeEachTime.Match(source) || !bytes.Contains(source, []byte("e.unmarshalers()")) {
		t.Error("the executor makes the map of unmarshalers for each request")
	}
}

// The arguments of each field of Query are read as the executor reads them.
func TestArgumentsAreWritten(t *testing.T) {
	dir := t.TempDir()
	if err := writeArguments(dir); err == nil {
		t.Error("a directory without an executor has arguments")
	}
	const source = "func (ec *executionContext) field_Query_b_args(ctx context.Context, rawArgs map[string]any) (map[string]any, error) {\n}\n" +
		"func (ec *executionContext) field_Query_a_args(ctx context.Context, rawArgs map[string]any) (map[string]any, error) {\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "x.generated.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeArguments(dir); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, argumentsFile))
	if err != nil || !bytes.Contains(written, []byte("\tcase \"a\":\n\t\treturn a.ec.field_Query_a_args(ctx, raw)\n\tcase \"b\":")) {
		t.Errorf("%v: %s", err, written)
	}
}

// What gqlgen writes is found; what it would write in another way is an error.
func TestSlimExecutor(t *testing.T) {
	const written = "func Exec() {\n\tinputUnmarshalMap := graphql.BuildUnmarshalerMap(\n\t\tec.unmarshalInputA,\n\t)\n\tfirst := true\n\t\t\tctx = graphql.WithUnmarshalerMap(ctx, inputUnmarshalMap)\n}\n"
	const other = "func Exec() {\n\tm := graphql.BuildUnmarshalerMap()\n}\n"
	for _, test := range []struct {
		source, want string
		fails        bool
	}{
		{written, "func Exec() {\n\tfirst := true\n\t\t\tctx = graphql.WithUnmarshalerMap(ctx, e.unmarshalers())\n}\n", false},
		{other, other, true},
	} {
		path := filepath.Join(t.TempDir(), "root.go")
		if err := os.WriteFile(path, []byte(test.source), 0o644); err != nil {
			t.Fatal(err)
		}
		err := slimExecutor(path)
		got, read := os.ReadFile(path)
		if (err != nil) != test.fails || read != nil || string(got) != test.want {
			t.Errorf("%v, %v: %s", err, read, got)
		}
		beside, err := os.ReadFile(filepath.Join(filepath.Dir(path), unmarshalersFile))
		if (err != nil) != test.fails || !test.fails && !bytes.Contains(beside, []byte("\t\tec.unmarshalInputA,\n")) {
			t.Errorf("%v: %s", err, beside)
		}
	}
}
