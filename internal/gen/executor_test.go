package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The executor that is committed has no map of the functions that read inputs, and
// nobody needs it.
func TestExecutorIsSlim(t *testing.T) {
	files, err := filepath.Glob("../../graph/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	for _, path := range append(files, "../../"+executor) {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(source, []byte("BuildUnmarshalerMap")) || bytes.Contains(source, []byte("UnmarshalInputFromContext")) {
			t.Errorf("%s makes or needs the map of unmarshalers", path)
		}
	}
}

// What gqlgen writes is found; what it would write in another way is an error.
func TestSlimExecutor(t *testing.T) {
	const written = "func Exec() {\n\tinputUnmarshalMap := graphql.BuildUnmarshalerMap(\n\t\tec.unmarshalInputA,\n\t)\n\tfirst := true\n\t\t\tctx = graphql.WithUnmarshalerMap(ctx, inputUnmarshalMap)\n}\n"
	for _, test := range []struct {
		source, want string
		fails        bool
	}{
		{written, "func Exec() {\n\tfirst := true\n}\n", false},
		{"func Exec() {\n\tm := graphql.BuildUnmarshalerMap()\n}\n", "func Exec() {\n\tm := graphql.BuildUnmarshalerMap()\n}\n", true},
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
	}
}
