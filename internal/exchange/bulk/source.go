package bulk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	stdunicode "unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/uplinehq/upline/internal/problem"
)

// record is a row of a file as the file has it.
type record struct {
	number int // its line in a text, its row in a sheet; from 1
	cells  []string
	// problems are what is wrong with it: it has no cells that can be used.
	problems []*problem.Error
	// given is what it says by column, for a format that names each value.
	given *Row
}

// grid gives the records of a file one after the other, then io.EOF. The next call may
// reuse the memory of cells.
type grid interface{ next() (record, error) }

// form is how a file has to be read: what its bytes alone tell.
type form struct {
	encoding  string // the name, for people
	decoder   encoding.Encoding
	separator rune
	// told is true if the first line says which separator the file has.
	told    bool
	isJSON  bool
	isSheet bool
	// isReport is true of a report in XML, which is read as a workbook.
	isReport bool
	// isOld is true of an encoding of one byte for a letter, which was guessed.
	isOld bool
}

func (f form) String() string {
	switch {
	case f.isReport:
		return "a report in XML"
	case f.isSheet:
		return "a workbook"
	case f.isJSON:
		return "lines of JSON in " + f.encoding
	}
	return f.encoding + ", with " + map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "bars", '^': "carets", '~': "tildes"}[f.separator]
}

var (
	marks = []struct {
		mark, name string
		decoder    encoding.Encoding
	}{
		{"\xEF\xBB\xBF", "UTF-8", unicode.UTF8BOM},
		{"\xFF\xFE\x00\x00", "UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
		{"\x00\x00\xFE\xFF", "UTF-32", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
		{"\xFF\xFE", "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
		{"\xFE\xFF", "UTF-16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
	}
	// otherFiles are the first bytes of files that are no rows, and what to do about them.
	otherFiles = []struct{ mark, advice string }{
		{"\xD0\xCF\x11\xE0", "The file is a workbook of the old kind, or has a password: save it as .xlsx without one"},
		{"%PDF", "The file is a PDF: ask for the rows as CSV or as a workbook"},
		{"[", "The file is a list of JSON: write each of its objects in a line of its own, without the brackets and the commas between them"},
		{"<", "The file is a page of HTML or XML: open it in a spreadsheet, and save it as .xlsx"},
	}
)

// startOfReport is how far the beginning of a report is looked for.
const startOfReport = 2000

// formOf finds out how a file has to be read. It reads the whole of a text: one byte in a
// million rows tells that it is not UTF-8.
func formOf(file io.ReadSeeker) (f form, err error) {
	in, err := fromStart(file, MaxRow)
	if err != nil {
		return f, err
	}
	start, err := in.Peek(MaxRow)
	if err != nil && !errors.Is(err, io.EOF) {
		return f, err
	}
	if bytes.HasPrefix(start, []byte("PK\x03\x04")) {
		return form{isSheet: true}, nil
	}
	if isReport(string(start[:min(len(start), startOfReport)])) {
		return form{isSheet: true, isReport: true}, nil
	}
	for _, other := range otherFiles {
		if bytes.HasPrefix(bytes.TrimSpace(start), []byte(other.mark)) {
			return f, whole(problem.InvalidFormat, other.advice)
		}
	}
	f = form{encoding: "UTF-8", decoder: encoding.Nop}
	if marked, ok := markOf(start); ok {
		f = marked
	} else if bytes.IndexByte(start, 0) >= 0 {
		return f, whole(problem.InvalidFormat, "The file is no text, and no workbook")
	} else if old, err := oldEncoding(in); err != nil {
		return f, err
	} else if old != nil {
		f.encoding, f.decoder, f.isOld = strings.ReplaceAll(old.String(), "Windows 1252", "Windows-1252"), old, true
	}
	text, _, err := transform.Bytes(f.decoder.NewDecoder(), start[:len(start)/4*4])
	if err != nil && len(text) == 0 {
		return f, whole(problem.InvalidFormat, "The file is not the text that its first bytes say")
	}
	first := bytes.TrimLeft(text, " \t\r\n")
	if len(first) == 0 {
		if len(start) == MaxRow {
			return f, tooLong(1)
		}
		return f, whole(problem.Required, "The file is empty")
	}
	if f.isJSON = first[0] == '{'; !f.isJSON {
		f.separator, f.told = separatorOf(string(text))
	}
	return f, nil
}

// markOf returns the form that the first bytes of a text say: a mark, or the zeros of
// letters in UTF-16.
func markOf(start []byte) (f form, ok bool) {
	for _, m := range marks {
		if bytes.HasPrefix(start, []byte(m.mark)) {
			return form{encoding: m.name, decoder: m.decoder}, true
		}
	}
	if len(start) >= 4 && start[0] != 0 && start[1] == 0 && start[3] == 0 {
		return form{encoding: "UTF-16", decoder: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}, true
	}
	if len(start) >= 4 && start[0] == 0 && start[1] != 0 && start[2] == 0 {
		return form{encoding: "UTF-16", decoder: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}, true
	}
	return f, false
}

// oldEncodings are those of one byte for a letter: of Windows, of old Macs, of DOS. The first is the
// likeliest.
var oldEncodings = []*charmap.Charmap{charmap.Windows1252, charmap.Macintosh, charmap.CodePage850, charmap.CodePage437}

// oldEncoding returns the encoding of a text that is not UTF-8, and has no letter that is; nil for
// UTF-8. A file that has both is damaged UTF-8, of which single cells are refused.
func oldEncoding(in io.Reader) (*charmap.Charmap, error) {
	buffer, kept := make([]byte, MaxRow), 0
	foreign, letters := false, false
	var seen besides
	before := byte(0)
	for {
		n, err := in.Read(buffer[kept:])
		for _, b := range buffer[kept : kept+n] {
			if b >= utf8.RuneSelf {
				seen[b-utf8.RuneSelf][kindOf(before)]++
			}
			before = b
		}
		part := buffer[:kept+n]
		for len(part) > 0 {
			r, size := utf8.DecodeRune(part)
			if r == utf8.RuneError && size == 1 {
				if !utf8.FullRune(part) && err == nil {
					break
				}
				foreign = true
			}
			letters = letters || size > 1
			part = part[size:]
		}
		kept = copy(buffer, part)
		switch {
		case errors.Is(err, io.EOF) && (!foreign || letters):
			return nil, nil
		case errors.Is(err, io.EOF):
			return slices.MaxFunc(oldEncodings, func(a, b *charmap.Charmap) int { return seen.likely(a) - seen.likely(b) }), nil
		case err != nil:
			return nil, err
		}
	}
}

// besides counts the bytes above ASCII by what stands before them: a small letter, a large one, or
// something else.
type besides [utf8.RuneSelf][3]int

func kindOf(before byte) int {
	switch {
	case before >= 'a' && before <= 'z':
		return 0
	case before >= 'A' && before <= 'Z':
		return 1
	}
	return 2
}

// likely says how well what an encoding makes of the bytes fits where they stand: a letter behind
// one of its size does, a sign or a large letter inside a word does not.
func (b besides) likely(e *charmap.Charmap) (sum int) {
	for i, counts := range b {
		r := e.DecodeByte(byte(i + utf8.RuneSelf))
		for kind, n := range counts {
			switch {
			case r == utf8.RuneError:
				sum -= 4 * n
			case !stdunicode.IsLetter(r) && kind < 2 && r != '\u2019':
				sum -= 2 * n
			case !stdunicode.IsLetter(r):
			case kind == 0 && !stdunicode.IsLower(r), r > 0xFF && !strings.ContainsRune("ŠšŽžŒœŸ", r):
				sum -= 2 * n
			default:
				sum += n
			}
		}
	}
	return sum
}

// separators are what may stand between cells.
const separators = ",;\t|^~"

// linesLooked bounds the lines that tell which separator a file has.
const linesLooked = 30

// separatorOf returns what stands between the cells of a text: what its first line says,
// sep=;, otherwise what the most of its first lines have, and of those the one they have
// the most of.
func separatorOf(text string) (separator rune, told bool) {
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "sep="); ok && len(rest) > 1 && strings.ContainsRune(separators, rune(rest[0])) && (rest[1] == '\r' || rest[1] == '\n') {
		return rune(rest[0]), true
	}
	var lines, count [len(separators)]int
	var here [len(separators)]bool
	quoted, line := false, 0
	for _, r := range text {
		if r == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if i := strings.IndexRune(separators, r); i >= 0 {
			if count[i]++; !here[i] {
				here[i] = true
				lines[i]++
			}
		}
		if r == '\n' || r == '\r' {
			if line++; line == linesLooked {
				break
			}
			here = [len(separators)]bool{}
		}
	}
	best := 0
	for i := range separators {
		if lines[i] > lines[best] || lines[i] == lines[best] && count[i] > count[best] {
			best = i
		}
	}
	return rune(separators[best]), false
}

// fromStart returns a reader of a file from its beginning.
func fromStart(file io.ReadSeeker, buffer int) (*bufio.Reader, error) {
	_, err := file.Seek(0, io.SeekStart)
	return bufio.NewReaderSize(file, buffer), err
}

// textOf returns a reader of the text of a file, in UTF-8.
func (f form) textOf(file io.ReadSeeker) (*bufio.Reader, error) {
	in, err := fromStart(file, MaxRow)
	if err != nil || f.decoder == encoding.Nop {
		return in, err
	}
	return bufio.NewReaderSize(transform.NewReader(in, f.decoder.NewDecoder()), MaxRow), nil
}
