package bulk_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

// bookOf makes a workbook, and changes it.
func bookOf(t *testing.T, change func(b *excelize.File)) string {
	t.Helper()
	b := excelize.NewFile()
	for at, value := range map[string]any{"A1": "agentCode", "B1": "homeAddress.city", "A2": "0012", "B2": "Boise"} {
		if err := b.SetCellValue("Sheet1", at, value); err != nil {
			t.Fatal(err)
		}
	}
	change(b)
	buffer, err := b.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A sheet is read as people see it: texts as they are, numbers digit by digit, days as days
// of either calendar; a formula is refused with its cell.
func TestWorkbook(t *testing.T) {
	day := time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		change func(b *excelize.File)
		want   string
	}{
		"texts":     {func(*excelize.File) {}, "2 agentCode=0012 homeAddress.city=Boise"},
		"a number":  {func(b *excelize.File) { must(t, b.SetCellValue("Sheet1", "A2", 19283746501)) }, "2 agentCode=19283746501 homeAddress.city=Boise"},
		"a day":     {func(b *excelize.File) { must(t, b.SetCellValue("Sheet1", "B2", day)) }, "2 agentCode=0012 homeAddress.city=2026-02-15"},
		"a flag":    {func(b *excelize.File) { must(t, b.SetCellValue("Sheet1", "B2", true)) }, "2 agentCode=0012 homeAddress.city=true"},
		"a formula": {func(b *excelize.File) { must(t, b.SetCellFormula("Sheet1", "B2", "1+1")) }, "2 !INVALID_FORMAT"},
		"a gap":     {func(b *excelize.File) { must(t, b.SetCellValue("Sheet1", "A9", "A9")) }, "2 agentCode=0012 homeAddress.city=Boise|9 agentCode=A9"},
		"1904": {func(b *excelize.File) {
			is := true
			must(t, b.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &is}), b.SetCellValue("Sheet1", "B2", day))
		}, "2 agentCode=0012 homeAddress.city=2026-02-15"},
		"runs of text": {func(b *excelize.File) {
			must(t, b.SetCellRichText("Sheet1", "B2", []excelize.RichTextRun{{Text: "Bo"}, {Text: "ise"}}))
		}, "2 agentCode=0012 homeAddress.city=Boise"},
	}
	for name, test := range tests {
		have, err := read(bookOf(t, test.change))
		if err != nil || strings.Join(have, "|") != test.want {
			t.Errorf("%s: %q, %v; want %s", name, have, err, test.want)
		}
	}
}

// The sheet that is read can be chosen, and that there are others is said.
func TestSheets(t *testing.T) {
	file := bookOf(t, func(b *excelize.File) {
		_, err := b.NewSheet("Other")
		must(t, err, b.SetCellValue("Other", "A1", "agentCode"), b.SetCellValue("Other", "A2", "B1"))
	})
	if have, err := readMapped(file, bulk.Mapping{Sheet: "Other"}); err != nil || strings.Join(have, "|") != "2 agentCode=B1" {
		t.Errorf("%q, %v", have, err)
	}
	if _, err := readMapped(file, bulk.Mapping{Sheet: "None"}); !problem.Has(err, problem.UnknownField) {
		t.Error(err)
	}
	l, err := bulk.Survey(strings.NewReader(file), bulk.Schema{Columns: columns}, bulk.Mapping{})
	if err != nil || l.Sheet != "Sheet1" || len(l.Remarks) == 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

// Files that mean harm are refused at once.
func TestHostileWorkbooks(t *testing.T) {
	sheet := func(xml string, more ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		parts := append([]string{"xl/worksheets/sheet1.xml", xml, "xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`}, more...)
		for i := 0; i < len(parts); i += 2 {
			w, err := z.Create(parts[i])
			must(t, err)
			_, err = w.Write([]byte(parts[i+1]))
			must(t, err)
		}
		must(t, z.Close())
		return b.String()
	}
	head := `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>agentCode</t></is></c></row>`
	for name, file := range map[string]string{
		"a bomb":         sheet(head + strings.Repeat(" ", 32<<20)),
		"a bomb of text": sheet(head, "xl/sharedStrings.xml", "<sst>"+strings.Repeat("<si><t>"+strings.Repeat("a", 1000)+"</t></si>", 20_000)),
		"a long row":     sheet(head + `<row r="2">` + strings.Repeat(`<c/>`, 1_000_000)),
		"a far column":   sheet(head + `<row r="2"><c r="XFD2"><v>1</v></c></row>`),
		"links":          sheet(head, "xl/externalLinks/externalLink1.xml", "<externalLink/>"),
		"cut off":        sheet(head)[:300],
		"no XML":         sheet("PK"),
	} {
		begun := time.Now()
		if _, err := read(file); problem.From(err) == nil || time.Since(begun) > 2*time.Second {
			t.Errorf("%s: %v, after %v", name, err, time.Since(begun))
		}
	}
}
