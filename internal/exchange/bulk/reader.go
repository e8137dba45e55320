package bulk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// MaxRow bounds a row of a file, in bytes. No row of an agency is that long, but a
// quotation mark that is never closed makes the rest of the file one row.
const MaxRow = 64 << 10

// Reader reads the rows of a file one after the other, in either format. It keeps none of
// them.
type Reader struct {
	columns []Column
	values  values
	next    func() (Row, []*problem.Error, error)
}

// NewReader returns a reader of a file whose rows have some of the columns. The file is
// CSV with a header row, or JSON lines if it begins with an object. A byte order mark is
// skipped. A fault of the header or of the mapping is a problem; other errors are those
// of reading the file.
func NewReader(file io.Reader, columns []Column, m Mapping) (*Reader, error) {
	names, err := newNames(columns, m)
	if err != nil {
		return nil, err
	}
	values, wrong := newValues(names, m.Values)
	if wrong != nil {
		return nil, wrong
	}
	in := bufio.NewReaderSize(file, MaxRow)
	if err := skipMark(in); err != nil {
		return nil, err
	}
	first, err := firstByte(in)
	if err != nil {
		return nil, err
	}
	r := &Reader{columns: columns, values: values}
	if first == '{' {
		r.next = (&jsonLines{in: in, columns: columns, names: names}).next
		return r, nil
	}
	table, err := newTable(in, columns, names)
	if err != nil {
		return nil, err
	}
	r.next = table.next
	return r, nil
}

// Read returns the next row, or io.EOF. For a malformed row it returns the Number and
// what is wrong; the next call reads on behind it. An error that is a problem means that
// the rest of the file cannot be read.
func (r *Reader) Read() (Row, []*problem.Error, error) {
	row, problems, err := r.next()
	if err != nil || problems != nil {
		return row, problems, err
	}
	for i, value := range row.Values {
		if !text.Fit(value) {
			problems = append(problems, problem.Invalid(problem.InvalidFormat, "must be text in UTF-8", path(r.columns[i].Name)...))
		}
	}
	r.values.apply(row)
	return row, problems, nil
}

// path is where the value of a column stands in the input of a single operation.
func path(column string) []string { return strings.Split(column, ".") }

// whole is a problem of the file as a whole.
func whole(code problem.Code, message string) *problem.Error {
	return problem.Invalid(code, message, "file")
}

var (
	utf8Mark  = []byte("\xEF\xBB\xBF")
	utf16Mark = [][]byte{{0xFE, 0xFF}, {0xFF, 0xFE}}
)

func skipMark(in *bufio.Reader) error {
	start, err := in.Peek(len(utf8Mark))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, mark := range utf16Mark {
		if bytes.HasPrefix(start, mark) {
			return whole(problem.InvalidFormat, "The file must be encoded in UTF-8, not in UTF-16")
		}
	}
	if bytes.Equal(start, utf8Mark) {
		_, err = in.Discard(len(utf8Mark))
		return err
	}
	return nil
}

// firstByte returns the first byte that is not blank, without consuming anything.
func firstByte(in *bufio.Reader) (byte, error) {
	for n := 1; n <= MaxRow; n++ {
		start, err := in.Peek(n)
		switch {
		case len(start) < n && errors.Is(err, io.EOF):
			return 0, whole(problem.Required, "The file is empty")
		case err != nil:
			return 0, err
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(start[n-1])):
			return start[n-1], nil
		}
	}
	return 0, tooLong(1)
}

// notClosed is the problem of a row with a quotation mark that is never closed, which may
// have swallowed other rows.
func notClosed(line int) *problem.Error {
	return whole(problem.InvalidFormat, "The quotation marks of the row that begins in line "+strconv.Itoa(line)+" do not fit; one may not have been closed, so that the rows behind it are part of it").With("line", line)
}

// tooLong is the problem of a row that is longer than MaxRow.
func tooLong(line int) *problem.Error {
	return whole(problem.TooLong, "The row that begins in line "+strconv.Itoa(line)+" is longer than 65536 bytes; a quotation mark may not have been closed").With("line", line)
}
