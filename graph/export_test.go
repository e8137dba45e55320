package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/problem"
)

// What an export refuses is a problem of its query, and never a fault, whatever the
// document is.
func TestExportRefusals(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		spread := "{ agents { nodes { id } } ...F0 }"
		for i := range 50 {
			spread += fmt.Sprintf(" fragment F%d on Query { ...F%d ...F%d }", i, i+1, i+1)
		}
		for name, test := range map[string]struct{ document, message string }{
			"no operation":      {"fragment F on Agent { id }", "is never used"},
			"nothing":           {"", "a document of one query"},
			"a bomb":            {spread + " fragment F50 on Query { agents { totalCount } }", "exceeds the limit"},
			"too deep":          {"{ agents { nodes { " + strings.Repeat("upline { ", 10) + "id" + strings.Repeat(" }", 10) + " } } }", "exceeds the limit depth"},
			"rows left out":     {"{ agents { nodes @include(if: false) { id } } }", "without directives"},
			"several, one used": {"query A { agents { nodes { id } } } query B { agents { nodes { id } } }", "a document of one query"},
		} {
			_, err := w.Graph.Exports().Plan(w.Context(t, apptest.Acme), export.Query{Document: test.document, Path: "agents"})
			if problems := problem.From(err); len(problems) == 0 || problems[0].Field[0] != "query" || !strings.Contains(fmt.Sprint(problems), test.message) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
