package upline_test

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// How long a file is and how many a folder has nobody counts: a cap cuts a thought in two.
// What makes a package hard to hold in one's head are the arrows between its files that
// run back up, and a type whose methods stand all over it. Between packages there are no
// circles (TestFloors); within one, each arrow that runs back up closes one.

// mostArrows is how many arrows may run back up between the files of a package, and
// mostFiles over how many files the methods of a type may be spread.
const mostArrows, mostFiles = 5, 6

// arrowsUp are the packages that have more, and spread the types; the numbers only fall.
// Whoever unties one writes the new number, or takes the row out.
var arrowsUp = map[string]int{
	"app":                            18,
	"cmd/upline":                     25,
	"graph":                          13,
	"graph/plan":                     18,
	"graph/transport":                10,
	"internal/exchange/bulk":         7,
	"internal/exchange/bulkimport":   7,
	"internal/exchange/export":       6,
	"internal/hierarchy":             11,
	"internal/insights":              30,
	"internal/insights/recipe":       17,
	"internal/platform/oauth":        37,
	"internal/platform/store":        31,
	"internal/platform/store/dbtest": 7,
	"rest":                           14,
	"rest/paths":                     8,
}

var spread = map[string]int{
	"app.App":                           12,
	"graph.Server":                      11,
	"graph/transport.handler":           7,
	"internal/agency/reference.Service": 11,
	"internal/exchange/bulkimport.run":  7,
	"internal/exchange/export.Service":  10,
	"internal/hierarchy.View":           10,
	"internal/insights.Run":             13,
	"internal/platform/oauth.Issuer":    18,
	"internal/platform/store.Store":     19,
	"internal/platform/store.Tx":        8,
}

// TestArrowsBetweenFiles holds how many arrows run back up.
func TestArrowsBetweenFiles(t *testing.T) {
	found := map[string]int{}
	for pkg, written := range byPackage(t) {
		if n := backUp(arrowsOf(pkg, written)); n > mostArrows {
			found[pkg] = n
		}
	}
	onlyFall(t, found, arrowsUp, mostArrows, "arrows run back up between its files")
}

// TestTypesInFewFiles holds over how many files a type is spread. Resolvers are methods of
// a type for each type of the schema, in a file for each file of the schema.
func TestTypesInFewFiles(t *testing.T) {
	found := map[string]int{}
	for pkg, written := range byPackage(t) {
		in := map[string]map[string]bool{}
		for _, f := range written {
			for _, d := range f.syntax.Decls {
				if method, ok := d.(*ast.FuncDecl); ok && method.Recv != nil {
					name := pkg + "." + receiver(method.Recv.List[0].Type)
					if in[name] == nil {
						in[name] = map[string]bool{}
					}
					in[name][f.path] = true
				}
			}
		}
		for name, files := range in {
			if len(files) > mostFiles && !strings.HasSuffix(name, "Resolver") {
				found[name] = len(files)
			}
		}
	}
	onlyFall(t, found, spread, mostFiles, "files have its methods")
}

// onlyFall compares what was found with the numbers that were written down.
func onlyFall(t *testing.T, found, allowed map[string]int, most int, what string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch n, limit := found[name], cmp.Or(allowed[name], most); {
		case n > limit:
			t.Errorf("%s: %d %s, more than %d", name, n, what, limit)
		case n < limit:
			t.Errorf("%s: only %d %s any more: write that down instead of %d", name, n, what, limit)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if found[name] == 0 {
			t.Errorf("%s: no more than %d %s: take its row out", name, most, what)
		}
	}
}

func byPackage(t *testing.T) map[string][]*file {
	t.Helper()
	all := map[string][]*file{}
	for _, f := range handWritten(t) {
		if !f.test {
			all[f.pkg] = append(all[f.pkg], f)
		}
	}
	return all
}

// receiver is the name of the type of a receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// nothing stands for what a package imports: its own names are told apart without.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// arrowsOf returns which file of a package uses names that which other one declares.
func arrowsOf(pkg string, written []*file) map[string]map[string]bool {
	var parsed []*ast.File
	for _, f := range written {
		parsed = append(parsed, f.syntax)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	checks := types.Config{Importer: nothing{}, Error: func(error) {}}
	own, _ := checks.Check(module+"/"+pkg, files, parsed, info) // it knows nothing of other packages
	arrows := map[string]map[string]bool{}
	for _, f := range written {
		arrows[f.path] = map[string]bool{}
	}
	fileOf := func(at token.Pos) string { return files.File(at).Name() }
	for name, object := range info.Uses {
		if object.Pkg() != own || !object.Pos().IsValid() {
			continue
		}
		if from, to := fileOf(name.Pos()), fileOf(object.Pos()); from != to {
			arrows[from][to] = true
		}
	}
	return arrows
}

// backUp puts files in an order, each before those that it uses as far as that goes, and
// counts the arrows against it (Eades, Lin and Smyth 1993: those that only use come first,
// those that are only used last, and of a knot whoever uses most more than it is used). It is
// not always the fewest, but the same for the same files.
func backUp(arrows map[string]map[string]bool) (up int) {
	left := map[string]bool{}
	for name := range arrows {
		left[name] = true
	}
	var first, last []string
	for len(left) > 0 {
		out, in := map[string]int{}, map[string]int{}
		for from := range left {
			for to := range arrows[from] {
				if left[to] {
					out[from]++
					in[to]++
				}
			}
		}
		names := slices.Sorted(maps.Keys(left))
		name := names[0]
		for _, n := range names {
			if out[n] == 0 || in[n] == 0 {
				name = n
				break
			}
			if out[n]-in[n] > out[name]-in[name] {
				name = n
			}
		}
		if delete(left, name); out[name] == 0 {
			last = append(last, name)
		} else {
			first = append(first, name)
		}
	}
	slices.Reverse(last)
	place := map[string]int{}
	for i, name := range append(first, last...) {
		place[name] = i
	}
	for from, all := range arrows {
		for to := range all {
			if place[to] < place[from] {
				up++
			}
		}
	}
	return up
}

func TestBackUp(t *testing.T) {
	for text, want := range map[string]int{"a>b b>c a>c": 0, "a>b b>a": 1, "a>b b>c c>a": 1, "a>b b>c c>a c>b": 1, "a>b b>a c>d d>c b>c": 2} {
		arrows := map[string]map[string]bool{}
		for _, arrow := range strings.Fields(text) {
			from, to, _ := strings.Cut(arrow, ">")
			for _, name := range []string{from, to} {
				if arrows[name] == nil {
					arrows[name] = map[string]bool{}
				}
			}
			arrows[from][to] = true
		}
		if got := backUp(arrows); got != want {
			t.Errorf("%s: %d arrows run back up, want %d", text, got, want)
		}
	}
}
