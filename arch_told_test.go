package upline_test

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/words/problem"
)

// What every door tells of what no rule says stands in internal/words/problem, and
// nowhere again: neither with a capital more nor with a full stop less.
func TestToldInOneText(t *testing.T) {
	plain := func(text string) string { return strings.ToLower(strings.TrimSuffix(text, ".")) }
	told := map[string]bool{}
	for _, p := range []*problem.Error{problem.TooMany(), problem.Busy(), problem.Interrupted(), problem.TooLate(), problem.Fault()} {
		told[plain(p.Message)] = true
	}
	for _, f := range handWritten(t) {
		if f.test || f.pkg == "internal/words/problem" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && told[plain(text)] {
					t.Errorf("%s: %q stands in internal/words/problem", files.Position(literal.Pos()), text)
				}
			}
			return true
		})
	}
}
