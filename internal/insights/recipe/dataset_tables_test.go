package recipe

import (
	"fmt"
	"strings"
)

// catalogueTables writes the catalogue as docs/reports.md has it.
func catalogueTables() string {
	times := map[string]int{}
	for _, d := range datasets {
		for _, f := range d.Fields {
			times[fieldLine(f)]++
		}
	}
	var b, shared strings.Builder
	for _, d := range datasets {
		fmt.Fprintf(&b, "### %s\n\n%s Needs `%s`.\n\n", d.Name, d.Description, d.Scope)
		var also []string
		for _, f := range d.Fields {
			line := fieldLine(f)
			if times[line] == 1 {
				b.WriteString(line)
				continue
			}
			also = append(also, f.Name)
			if !strings.Contains(shared.String(), line) {
				shared.WriteString(line)
			}
		}
		if also != nil {
			fmt.Fprintf(&b, "- [also](#fields-of-several-datasets) %s\n", strings.Join(also, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String() + "### Fields of several datasets\n\n" + shared.String()
}

// fieldLine describes a field in one line.
func fieldLine(f Field) string {
	values := ""
	if f.Values != nil {
		values = " One of " + strings.Join(f.Values, ", ") + "."
	}
	return fmt.Sprintf("- `%s` (%s): %s%s\n", f.Name, f.Type, f.Description, values)
}
