package recipe

import (
	"fmt"
	"strings"
)

// catalogueTables writes the catalogue as docs/reports.md has it.
func catalogueTables() string {
	var b strings.Builder
	for _, d := range datasets {
		fmt.Fprintf(&b, "### %s\n\n%s Needs `%s`.\n\n| Field | Type | |\n| --- | --- | --- |\n", d.Name, d.Description, d.Scope)
		for _, f := range d.Fields {
			values := ""
			if f.Values != nil {
				values = " One of " + strings.Join(f.Values, ", ") + "."
			}
			fmt.Fprintf(&b, "| %s | %s | %s%s |\n", f.Name, f.Type, f.Description, values)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}
