package upline_test

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
	"unicode"
)

// TestNamesDoNotRepeatTheirPackage: whoever uses an exported name writes the package
// before it, so certification.CertificationFilter says one word twice. The type that a
// package is all about may have the package's name: clock.Clock.
func TestNamesDoNotRepeatTheirPackage(t *testing.T) {
	for _, f := range handWritten(t) {
		if f.test || f.syntax.Name.Name == "main" {
			continue
		}
		for _, name := range exportedNames(f.syntax) {
			if repeats(f.syntax.Name.Name, name.Name) {
				t.Errorf("%s: %s.%s repeats its package", files.Position(name.Pos()), f.syntax.Name.Name, name.Name)
			}
		}
	}
}

// repeats reports whether a name begins with that of its package and goes on with another
// word, or is New and the name of the package.
func repeats(pkg, name string) bool {
	word := strings.TrimSuffix(pkg, "s")
	name, isNew := strings.CutPrefix(name, "New")
	if len(name) < len(word) || !strings.EqualFold(name[:len(word)], word) {
		return false
	}
	rest := strings.TrimPrefix(name[len(word):], "s")
	return rest == "" && isNew || rest != "" && !unicode.IsLower(rune(rest[0]))
}

func TestRepeats(t *testing.T) {
	for name, want := range map[string]bool{
		"labels.LabelFilter": true, "label.LabelFilter": true, "label.NewLabel": true, "label.NewLabelFilter": true, "labels.LabelsOf": true,
		"label.Label": false, "label.Labels": false, "labels.Label": false, "label.New": false, "label.Labeled": false, "label.Filter": false, "label.NewFilter": false,
	} {
		if pkg, name, _ := strings.Cut(name, "."); repeats(pkg, name) != want {
			t.Errorf("%s.%s repeats its package: %t, want %t", pkg, name, !want, want)
		}
	}
}

// exportedNames are the exported functions, types, variables and constants that a file
// declares.
func exportedNames(f *ast.File) (names []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				names = append(names, declared(s)...)
			}
		}
	}
	return onlyExported(names)
}

func declared(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

func onlyExported(names []*ast.Ident) (exported []*ast.Ident) {
	for _, name := range names {
		if token.IsExported(name.Name) {
			exported = append(exported, name)
		}
	}
	return exported
}
