// Package clientstest runs the programs below the folder clients from tests: those
// that use the API through the clients which people use.
package clientstest

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Folder holds the programs, as seen from the package under test.
var Folder = above("clients")

// above finds a folder of the root from a package below it.
func above(folder string) string {
	for range 4 {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		folder = filepath.Join("..", folder)
	}
	return folder
}

// Missing skips a test because something that it needs is not there, or fails it where
// UPLINE_TEST_REQUIRE lists clients.
func Missing(t *testing.T, what string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("UPLINE_TEST_REQUIRE"), ","), "clients") {
		t.Fatal(what)
	}
	t.Skip("*** LEFT OUT: the clients that people use: " + what)
}

// Node returns the path of Node, and skips the test without it, or without a package
// of the lock file in a folder of Folder.
func Node(t *testing.T, folder, name string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		Missing(t, "Node is not installed")
	}
	if _, err := os.Stat(filepath.Join(Folder, folder, "node_modules", name)); err != nil {
		Missing(t, name+" is missing; type: npm ci --ignore-scripts --prefix "+filepath.Join("clients", folder))
	}
	return node
}

// Modules returns the environment in which Go runs what some patterns name in a folder of
// Folder, a module of its own, and fetches nothing; -test is a pattern for what tests need, too. It skips the test if modules are missing.
func Modules(t *testing.T, folder string, patterns ...string) []string {
	t.Helper()
	offline := []string{"GOFLAGS=-trimpath -buildvcs=false", "GOPROXY=off"}
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, patterns...)...)
	list.Dir, list.Env = filepath.Join(Folder, folder), append(os.Environ(), offline...)
	if said, err := list.CombinedOutput(); err != nil {
		Missing(t, "modules are missing; type: go -C "+filepath.Join("clients", folder)+" mod download\n"+string(said))
	}
	return offline
}

// Run runs a program in a folder of Folder, and returns what it prints.
func Run(t *testing.T, folder string, environment []string, name string, arguments ...string) []byte {
	t.Helper()
	DependsOn(t, filepath.Join(Folder, folder))
	program := exec.CommandContext(t.Context(), name, arguments...)
	program.Dir, program.Env = filepath.Join(Folder, folder), append(os.Environ(), environment...)
	var complaints strings.Builder
	program.Stderr = &complaints
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(arguments, " "), err, out, complaints.String())
	}
	return out
}

// DependsOn opens the files below a folder, so that Go runs a test again when one of them
// changes: it does not know what other programs read.
func DependsOn(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Name() == "node_modules":
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		return file.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Report has a test for each result that a program printed as JSON: that of a client,
// with its problem, if any. names are those of all clients.
func Report(t *testing.T, printed []byte, names ...string) {
	t.Helper()
	var results []struct{ Name, Said, Problem string }
	if err := json.Unmarshal(printed, &results); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	var ran []string
	for _, r := range results {
		ran = append(ran, r.Name)
		t.Run(r.Name, func(t *testing.T) {
			if r.Problem != "" {
				t.Error(r.Problem)
			}
			t.Log(r.Said)
		})
	}
	if !slices.Equal(ran, names) {
		t.Errorf("the clients %q; want %q", ran, names)
	}
}
