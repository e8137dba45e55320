package sheet

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

const (
	sheetName = "Export"
	// exactDigits is how many digits a number in a cell keeps.
	exactDigits = 15
)

// workbook writes an Excel workbook of one sheet. Its cells have types, so a text stays
// as it is and is never taken for a formula.
//
// excelize keeps up to 16 MiB of the sheet in memory, and the rest until Close in a file
// of a folder that only this process reads.
type workbook struct {
	w               io.Writer
	folder          string
	file            *excelize.File
	stream          *excelize.StreamWriter
	columns         []Column
	day, instant    int // styles
	rows            int // written, with the header
	cells           []any
	earliest, limit time.Time
}

func newWorkbook(w io.Writer, columns []Column) (_ *workbook, err error) {
	b := &workbook{w: w, columns: columns, cells: make([]any, len(columns)),
		// Excel counts days from 1900 and takes that year for a leap year.
		earliest: time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC), limit: time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)}
	if len(columns) > excelize.MaxColumns {
		return nil, refused(XLSX, "a sheet has at most %d columns", excelize.MaxColumns)
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if b.folder, err = os.MkdirTemp("", "upline-export-"); err != nil {
		return nil, err
	}
	b.file = excelize.NewFile(excelize.Options{TmpDir: b.folder})
	// excelize would build the whole file in memory; this writes it while it is packed.
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(w) })
	if err = b.file.SetSheetName("Sheet1", sheetName); err != nil {
		return nil, err
	}
	if b.stream, err = b.file.NewStreamWriter(sheetName); err != nil {
		return nil, err
	}
	return b, b.header()
}

// header writes the titles, which stay visible when the sheet is scrolled.
func (b *workbook) header() error {
	bold, err := b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	if b.day, err = b.style("yyyy-mm-dd"); err != nil {
		return err
	}
	if b.instant, err = b.style("yyyy-mm-dd hh:mm:ss"); err != nil {
		return err
	}
	if err := b.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	for i, c := range b.columns {
		b.cells[i] = excelize.Cell{StyleID: bold, Value: c.Name()}
	}
	return b.write()
}

func (b *workbook) style(format string) (int, error) {
	return b.file.NewStyle(&excelize.Style{CustomNumFmt: &format})
}

// Row implements Writer.
func (b *workbook) Row(object json.RawMessage) error {
	if b.rows == excelize.TotalRows {
		return refused(XLSX, "a sheet has at most %d rows, its header among them", excelize.TotalRows)
	}
	row, err := decode(object)
	if err != nil {
		return err
	}
	for i, c := range b.columns {
		if b.cells[i], err = b.cell(c, c.value(row)); err != nil {
			return err
		}
	}
	return b.write()
}

func (b *workbook) write() error {
	b.rows++
	return b.stream.SetRow("A"+strconv.Itoa(b.rows), b.cells)
}

// cell returns a value as a cell of the column's kind. What Excel cannot hold, such as a
// number of many digits, becomes a text.
func (b *workbook) cell(c Column, value any) (any, error) {
	t, err := text(value)
	if err != nil || value == nil {
		return nil, err
	}
	switch c.Kind {
	case Boolean:
		if is, ok := value.(bool); ok {
			return is, nil
		}
	case Number:
		if n, ok := exact(t); ok {
			return n, nil
		}
	case Date:
		if day, err := time.Parse(time.DateOnly, t); err == nil && b.holds(day) {
			return excelize.Cell{StyleID: b.day, Value: day}, nil
		}
	case DateTime:
		if at, err := time.Parse(time.RFC3339, t); err == nil && b.holds(at) {
			return excelize.Cell{StyleID: b.instant, Value: at.UTC()}, nil
		}
	}
	if n := utf16Length(t); n > excelize.TotalCellChars { // excelize would cut it off
		return nil, refused(XLSX, "a cell has at most %d characters, and one of the column %s has more", excelize.TotalCellChars, c.Name())
	}
	return t, nil
}

func (b *workbook) holds(at time.Time) bool { return !at.Before(b.earliest) && at.Before(b.limit) }

// exact reads a number that a cell keeps digit by digit.
func exact(text string) (n float64, ok bool) {
	digits := 0
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r != '-' && r != '.':
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && digits <= exactDigits
}

// utf16Length is the length of a text as Excel counts characters.
func utf16Length(s string) (n int) {
	if len(s) <= excelize.TotalCellChars {
		return len(s)
	}
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// End implements Writer.
func (b *workbook) End() error {
	if err := b.stream.Flush(); err != nil {
		return err
	}
	return b.file.Write(b.w)
}

// Close implements Writer.
func (b *workbook) Close() {
	if b.file != nil {
		_ = b.file.Close()
	}
	if b.folder != "" {
		_ = os.RemoveAll(b.folder)
	}
}
