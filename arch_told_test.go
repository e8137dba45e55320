package upline_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/problem"
)

// What every door tells of what no rule says stands in internal/problem, and
// nowhere again: neither with a capital more nor with a full stop less.
func TestToldInOneText(t *testing.T) {
	plain := func(text string) string { return strings.ToLower(strings.TrimSuffix(text, ".")) }
	told := map[string]bool{}
	for _, p := range []*problem.Error{problem.TooMany(), problem.Busy(), problem.Interrupted(), problem.TooLate(), problem.Fault()} {
		told[plain(p.Message)] = true
	}
	for _, f := range handWritten(t) {
		if f.test || f.pkg == "internal/problem" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && told[plain(text)] {
					t.Errorf("%s: %q stands in internal/problem", files.Position(literal.Pos()), text)
				}
			}
			return true
		})
	}
}

// The tables of fields say, with the tag sealed, which columns of payees are encrypted.
// Whoever handles these columns goes through the tables: a list of names by hand would
// leave out the next one, and what it leaves out is stored as it was sent, or not at all.
// A name of one word, signature, may mean something else.
func TestSealedColumnsAreNamedOnce(t *testing.T) {
	named := func(column, text string) bool { return strings.Contains(column, "_") && text == column }
	for _, f := range handWritten(t) {
		// The blind index of a W9 is that of one value alone.
		if f.test || f.pkg == "ent/schema" || f.path == "internal/agency/payee/w9_write.go" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if err == nil && slices.ContainsFunc(payee.SealedColumns(), func(c reencryption.Column) bool { return named(c.Name, text) }) {
					t.Errorf("%s: the column %s is named by a line of internal/agency/payee", files.Position(literal.Pos()), text)
				}
			}
			return true
		})
	}
}
