package bulk

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"math"
	slash "path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
)

// Bounds of a workbook. What it unpacks to is read as it comes, and never kept, but for
// its texts.
const (
	maxUnpacked = 1 << 30
	// maxPacking is how many times its size a part may unpack to. Rows that are much alike
	// reach sixty, a bomb a thousand.
	maxPacking  = 300
	smallPart   = 4 << 20
	maxTexts    = 48 << 20
	maxColumns  = 1000
	maxSheetRow = 1 << 20
	mostSheets  = 200
)

// workbook is a file of Excel (ECMA-376), of which one sheet is read.
type workbook struct {
	parts  map[string]*zip.File
	sheets []sheetOf
	texts  texts
	// days has the styles of cells whose numbers are days or instants.
	days []bool
	// from is the day before the first one of its calendar.
	from time.Time
	// spools are the sheets that were read to their end; nil of one that is too large.
	spools map[string]*spool
}

type sheetOf struct{ name, part string }

func openWorkbook(file io.ReadSeeker) (*workbook, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	packed, err := zip.NewReader(readerAt{file}, size)
	if err != nil {
		return nil, whole(problem.InvalidFormat, "The workbook is damaged, or is none")
	}
	b := &workbook{parts: make(map[string]*zip.File, len(packed.File)), spools: map[string]*spool{}, from: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	var unpacked uint64
	for _, part := range packed.File {
		if strings.HasPrefix(part.Name, "xl/externalLinks/") {
			return nil, whole(problem.InvalidFormat, "The workbook takes values of other workbooks: break its links (Data, Edit links), and save it")
		}
		unpacked += part.UncompressedSize64
		if unpacked > maxUnpacked || part.UncompressedSize64 > smallPart && part.UncompressedSize64/maxPacking > part.CompressedSize64 {
			return nil, whole(problem.TooLong, "The workbook unpacks to far more than its size")
		}
		b.parts[part.Name] = part
	}
	return b, errors.Join(b.readSheets(), b.readTexts(), b.readStyles())
}

// readerAt reads a file at any place of it, one reader at a time.
type readerAt struct{ file io.ReadSeeker }

// ReadAt implements io.ReaderAt.
func (r readerAt) ReadAt(p []byte, at int64) (int, error) {
	if _, err := r.file.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.file, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// part walks the elements of a part of the workbook; one that is not there has none.
func (b *workbook) part(name string, element func(e xml.StartElement, d *xml.Decoder) error) error {
	file := b.parts[name]
	if file == nil {
		return nil
	}
	in, err := file.Open()
	if err != nil {
		return errDamaged
	}
	defer in.Close()
	d := xml.NewDecoder(&bounded{in: in, left: maxTexts})
	for {
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errTooLong):
			return whole(problem.TooLong, "The workbook has more texts than can be read: save it as CSV")
		case err != nil:
			return errDamaged
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := element(e, d); err != nil {
				return err
			}
		}
	}
}

var errDamaged = whole(problem.InvalidFormat, "The workbook is damaged")

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (b *workbook) readSheets() error {
	targets := map[string]string{}
	err := b.part("xl/_rels/workbook.xml.rels", func(e xml.StartElement, _ *xml.Decoder) error {
		if e.Name.Local == "Relationship" {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = slash.Join("xl", target)
			}
			targets[attribute(e, "Id")] = strings.TrimPrefix(target, "/")
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.part("xl/workbook.xml", func(e xml.StartElement, _ *xml.Decoder) error {
		switch e.Name.Local {
		case "workbookPr":
			if flag := attribute(e, "date1904"); flag == "1" || flag == "true" {
				b.from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		case "sheet":
			id := ""
			for _, a := range e.Attr {
				if a.Name.Local == "id" {
					id = a.Value
				}
			}
			if state := attribute(e, "state"); state != "hidden" && state != "veryHidden" && b.parts[targets[id]] != nil && len(b.sheets) < mostSheets {
				b.sheets = append(b.sheets, sheetOf{attribute(e, "name"), targets[id]})
			}
		}
		return nil
	})
	if err == nil && len(b.sheets) == 0 {
		return whole(problem.Required, "The workbook has no sheet with rows")
	}
	return err
}

// texts are the shared texts of a workbook, one after the other.
type texts struct {
	all  []byte
	ends []uint32
}

func (t *texts) at(i int) (string, bool) {
	if i < 0 || i >= len(t.ends) {
		return "", false
	}
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return string(t.all[from:t.ends[i]]), true
}

func (b *workbook) readTexts() error {
	return b.part("xl/sharedStrings.xml", func(e xml.StartElement, d *xml.Decoder) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := textIn(d, "si")
		b.texts.all = append(b.texts.all, text...)
		b.texts.ends = append(b.texts.ends, uint32(len(b.texts.all)))
		return err
	})
}

// escapedRune is how a workbook writes a character that XML has not.
var escapedRune = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

// textIn returns the text of an element that has begun: its runs one after the other,
// without what says how words are pronounced.
func textIn(d *xml.Decoder, name string) (string, error) {
	var text []byte
	isText, spoken := false, 0
	for {
		token, err := d.RawToken()
		if err != nil {
			return "", errDamaged
		}
		switch t := token.(type) {
		case xml.StartElement:
			isText = t.Name.Local == "t"
			if t.Name.Local == "rPh" {
				spoken++
			}
		case xml.CharData:
			if isText && spoken == 0 {
				text = append(text, t...)
			}
		case xml.EndElement:
			isText = false
			if t.Name.Local == "rPh" {
				spoken--
			}
			if t.Name.Local == name {
				return unescaped(string(text)), nil
			}
		}
	}
}

func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return escapedRune.ReplaceAllStringFunc(text, func(found string) string {
		code, _ := strconv.ParseUint(found[2:6], 16, 16)
		return string(rune(code))
	})
}

// dayPattern finds the letters of days and hours in a format of numbers, without what is
// in quotes or brackets.
var (
	dayPattern = regexp.MustCompile(`(?i)[ymdhs]`)
	quotedPart = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|(?i)general|_.|\*.`)
)

func (b *workbook) readStyles() error {
	own, inCells := map[string]bool{}, false
	return b.part("xl/styles.xml", func(e xml.StartElement, _ *xml.Decoder) error {
		switch e.Name.Local {
		case "numFmt":
			own[attribute(e, "numFmtId")] = dayPattern.MatchString(quotedPart.ReplaceAllString(attribute(e, "formatCode"), ""))
		case "cellStyleXfs", "dxfs", "cellStyles":
			inCells = false
		case "cellXfs":
			inCells = true
		case "xf":
			if inCells {
				id := attribute(e, "numFmtId")
				n, _ := strconv.Atoi(id)
				isDay, isOwn := own[id]
				b.days = append(b.days, isOwn && isDay || !isOwn && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58))
			}
		}
		return nil
	})
}

// names returns the names of the sheets that are shown.
func (b *workbook) names() (names []string) {
	for _, s := range b.sheets {
		names = append(names, s.name)
	}
	return names
}

// sheetGrid reads the rows of a sheet.
type sheetGrid struct {
	*workbook
	in    io.Closer
	limit *bounded
	xml   *xml.Decoder
	row   int
	cells []string
	// name is that of the sheet, spool what is kept of it; nil if that is too much.
	name  string
	spool *spool
}

// open returns the rows of a sheet.
func (b *workbook) open(name string) (grid, error) {
	i := slices.IndexFunc(b.sheets, func(s sheetOf) bool { return s.name == name })
	if i < 0 {
		return nil, problem.Invalid(problem.UnknownField, "must be one of the sheets of the workbook: "+strings.Join(b.names(), ", "), "sheet")
	}
	read, isRead := b.spools[name]
	if read != nil {
		return read.open(), nil
	}
	in, err := b.parts[b.sheets[i].part].Open()
	if err != nil {
		return nil, errDamaged
	}
	limit := &bounded{in: in}
	g := &sheetGrid{workbook: b, in: in, limit: limit, xml: xml.NewDecoder(limit), name: name}
	if !isRead {
		g.spool = new(spool)
	}
	return g, nil
}

// next implements grid. A row that the sheet leaves out has no cells, and is none.
func (g *sheetGrid) next() (record, error) {
	r, err := g.nextRow()
	switch {
	case g.spool == nil:
	case errors.Is(err, io.EOF):
		g.spools[g.name] = g.spool
	case err != nil || !g.spool.add(r):
		g.spools[g.name], g.spool = nil, nil
	}
	return r, err
}

func (g *sheetGrid) nextRow() (record, error) {
	g.limit.left = maxSheetRow
	for {
		token, err := g.xml.RawToken()
		switch {
		case errors.Is(err, io.EOF):
			return record{}, errors.Join(io.EOF, g.in.Close())
		case err != nil:
			return record{}, g.fault(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "row" {
			if g.row++; attribute(e, "r") != "" {
				if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n >= g.row && n <= 1<<20 {
					g.row = n
				}
			}
			return g.read()
		}
	}
}

func (g *sheetGrid) fault(err error) error {
	if errors.Is(err, errTooLong) {
		return whole(problem.TooLong, "The row "+strconv.Itoa(g.row)+" of the sheet has more than can be read")
	}
	return errDamaged
}

func (g *sheetGrid) read() (r record, err error) {
	r.number, g.cells = g.row, g.cells[:0]
	for {
		token, err := g.xml.RawToken()
		if err != nil {
			return r, g.fault(err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "row" {
				r.cells = g.cells
				return r, nil
			}
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			column := columnOf(attribute(t, "r"), len(g.cells))
			if column >= maxColumns || column < len(g.cells) {
				return r, whole(problem.TooLong, "The sheet has more than "+strconv.Itoa(maxColumns)+" columns, or its cells are in no order")
			}
			for len(g.cells) < column {
				g.cells = append(g.cells, "")
			}
			text, wrong, err := g.cell(t)
			if err != nil {
				return r, err
			}
			if wrong != "" {
				r.problems = append(r.problems, refused("The cell "+sheet.Letters(column)+strconv.Itoa(g.row)+" "+wrong)...)
			}
			g.cells = append(g.cells, text)
		}
	}
}

// columnOf returns the column of a reference such as AB12, from 0.
func columnOf(reference string, next int) int {
	column := 0
	for _, r := range reference {
		if r < 'A' || r > 'Z' || column > maxColumns*26 {
			break
		}
		column = column*26 + int(r-'A') + 1
	}
	if column == 0 {
		return next
	}
	return column - 1
}

// cell returns the text of a cell that has begun, or what is wrong with it.
func (g *sheetGrid) cell(e xml.StartElement) (text, wrong string, err error) {
	kind, style := attribute(e, "t"), attribute(e, "s")
	var content []byte
	isValue, isFormula := false, false
	for {
		token, err := g.xml.RawToken()
		if err != nil {
			return "", "", g.fault(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "v":
				isValue = true
			case "f":
				isFormula = true
			case "is":
				if text, err = textIn(g.xml, "is"); err != nil {
					return "", "", err
				}
			}
		case xml.CharData:
			if isValue {
				content = append(content, t...)
			}
		case xml.EndElement:
			isValue = false
			if t.Name.Local != "c" {
				continue
			}
			if isFormula {
				return "", "is a formula: replace it by its value (copy, paste as values)", nil
			}
			if kind != "inlineStr" {
				text, wrong = g.value(string(content), kind, style)
			}
			return text, wrong, nil
		}
	}
}

// value returns what the value of a cell of a kind and a style says.
func (g *sheetGrid) value(content, kind, style string) (text, wrong string) {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(content))
		text, ok := g.texts.at(i)
		if err != nil || !ok {
			return "", "has a text that the workbook lacks"
		}
		return text, ""
	case "b":
		return map[string]string{"1": "true", "0": "false"}[content], ""
	case "e":
		if content == "#N/A" {
			return content, ""
		}
		return "", "has an error of the spreadsheet"
	case "str", "d":
		return unescaped(content), ""
	}
	if content == "" {
		return "", ""
	}
	n, err := strconv.ParseFloat(content, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return "", "is no number"
	}
	if s, _ := strconv.Atoi(style); s >= 0 && s < len(g.days) && g.days[s] && style != "" || style == "" && len(g.days) > 0 && g.days[0] {
		return g.day(n), ""
	}
	if math.Abs(n) >= 1e15 {
		return "", "has a number of more digits than a spreadsheet keeps: its last ones are lost. Keep it as a text"
	}
	return strconv.FormatFloat(n, 'f', -1, 64), ""
}

// day writes the day, or the instant, that a number stands for.
func (g *sheetGrid) day(n float64) string {
	if n < 0 || n > 2958466 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	at := g.from.Add(time.Duration(math.Round(n*86400)) * time.Second)
	if at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05")
}
