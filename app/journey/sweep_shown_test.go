package journey

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/exchange/sheet"
)

// sensitive is what ssn, account and routing give, a tax id also with dashes.
var sensitive = regexp.MustCompile(`\b(900-?\d\d-?\d{4}|000\d{8}|` + routing + `)\b`)

// shown looks at all texts of an answer: none is a sensitive value in full where it has
// to be masked, and a limited user is told of nobody outside.
func (s *sweeper) shown(where string, v any, masked bool) {
	s.Helper()
	told := map[string]bool{}
	leaves("", v, func(name, text string) {
		if masked && strings.Contains(text, "00") && sensitive.MatchString(text) && !told[name] {
			told[name] = true
			s.Errorf("%s: %s shows a sensitive value in full: %.100q (%.300s)", s.tenant, name, text, where)
		}
		if !s.limited || told[name] || namesOthers[name] {
			return
		}
		for _, word := range strings.FieldsFunc(text, outsideOfCodes) {
			if s.strangers[word] {
				told[name] = true
				s.Errorf("%s: a limited user is shown %s in %s: %q (%.300s)", s.tenant, word, name, text, where)
			}
		}
	})
}

// outsideOfCodes reports whether a letter is none of an agent code.
func outsideOfCodes(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._-", r))
}

// leaves visits the texts in a value, each with the name that it has there.
func leaves(name string, v any, visit func(name, text string)) {
	switch v := v.(type) {
	case object:
		for name, below := range v {
			leaves(name, below, visit)
		}
	case []any:
		for _, element := range v {
			leaves(name, element, visit)
		}
	case string:
		visit(name, v)
	}
}

// table is a CSV as objects, under the names of its columns.
func table(rows [][]string) (all []any) {
	for _, row := range rows[min(1, len(rows)):] {
		o := object{}
		for i, cell := range row {
			o[rows[0][i]] = cell
		}
		all = append(all, o)
	}
	return all
}

// file looks at the rows of an export; a workbook is the same rows, packed.
func (s *sweeper) file(name string, file *httptest.ResponseRecorder) {
	s.Helper()
	content := strings.TrimPrefix(file.Body.String(), "\ufeff")
	switch media := file.Header().Get("Content-Type"); {
	case strings.HasPrefix(media, "text/csv"):
		rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
		if err != nil {
			s.Errorf("%s: the export of %s is no CSV: %v", s.tenant, name, err)
		}
		s.shown("the export of "+name, table(rows), true)
	case !strings.Contains(media, "sheet"):
		for line := range strings.Lines(content) {
			var row any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				s.Errorf("%s: the export of %s is no JSON: %v", s.tenant, name, err)
			}
			s.shown("the export of "+name, row, true)
		}
	}
}

// alike reports whether two values are one. To who may see all of it, the first may be
// masked, since nobody asked for more: then the second ends as it does.
func (s *sweeper) alike(shown, full any) bool {
	if visible := fmt.Sprint(shown); !s.limited && strings.Contains(visible, "*") {
		return strings.HasSuffix(fmt.Sprint(full), strings.TrimLeft(visible, "*-"))
	}
	return spelled(shown) == spelled(full)
}

// cells holds the rows of a list as CSV against those as JSON: each value of a record
// has its column, and each column the value that its path has there.
func (s *sweeper) cells(url string, rows [][]string, items []any) {
	s.Helper()
	for i, row := range rows[1:] {
		for n, column := range rows[0] {
			v := apptest.At(items[i], column)
			if v == nil {
				v = ""
			}
			if cell := sheet.Original(row[n]); isLeaf(v) && !s.alike(cell, v) {
				s.Errorf("%s: row %d of %s says %s %q as CSV, %q as JSON", s.tenant, i, url, column, cell, v)
			}
		}
		if left := without(rows[0], "", items[i]); left != nil {
			s.Errorf("%s: row %d of %s has no column in CSV for %v", s.tenant, i, url, left)
		}
	}
}

// without returns what a record has that no column shows, by their paths with dots
// between the names.
func without(columns []string, at string, v any) (left []string) {
	o, isObject := v.(object)
	switch {
	case v == nil || slices.Contains(columns, at):
	case !isObject:
		left = append(left, at)
	default:
		for name, below := range o {
			left = append(left, without(columns, strings.TrimPrefix(at+"."+name, "."), below)...)
		}
	}
	return left
}
