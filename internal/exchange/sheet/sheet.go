// Package sheet writes tables to files: CSV, workbooks of Excel, and lines of JSON. It
// writes row by row and never holds the whole table in memory. A row is an object of
// JSON; the columns of the table say which of its values are written.
package sheet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// Format is how a table is written to a file.
type Format string

// The formats.
const (
	CSV   = "CSV"
	XLSX  = "XLSX"
	JSONL = "JSONL"
)

// Formats are all of them.
var Formats = enum.Of[Format](CSV, XLSX, JSONL)

// Column is a column of a table.
type Column struct {
	// Path are the names that lead to the value in a row.
	Path []string
	// Kind is the type of its values, whatever its cells look like; a text, as a postal
	// code, may look like a number. No type means texts, or values of several types.
	Kind value.Type
	// Head is what its head says, if not the names of Path.
	Head string
}

// Name is what the column's head says: otherwise the names of Path with dots between.
func (c Column) Name() string { return cmp.Or(c.Head, strings.Join(c.Path, ".")) }

// Writer writes a table. It is not safe for concurrent use.
type Writer interface {
	// Row writes a row, an object of JSON.
	Row(object json.RawMessage) error
	// End writes what comes after the last row.
	End() error
}

// New returns a writer of a format.
func New(format string, w io.Writer, columns []Column) (Writer, error) {
	switch format {
	case CSV:
		return newCSV(w, columns, byteOrderMark)
	case XLSX:
		return newWorkbook(w, columns)
	case JSONL:
		return &lines{w: w}, nil
	}
	return nil, fmt.Errorf("sheet: there is no format %q", format)
}

// File returns the extension and the media type of files of a format.
func File(format string) (extension, mediaType string) {
	switch format {
	case CSV:
		return ".csv", "text/csv; charset=utf-8; header=present" // RFC 4180 §3
	case XLSX:
		return ".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return ".jsonl", "application/jsonl; charset=utf-8"
}

// lines writes each row as it is, on a line of its own.
type lines struct {
	w    io.Writer
	line bytes.Buffer
}

// Row implements Writer.
func (l *lines) Row(object json.RawMessage) error {
	l.line.Reset()
	if err := json.Compact(&l.line, object); err != nil {
		return err
	}
	l.line.WriteByte('\n')
	_, err := l.w.Write(l.line.Bytes())
	return err
}

// End implements Writer.
func (*lines) End() error { return nil }

// text writes a value for a cell: the elements of a list of scalars, or of objects with one
// field each, with semicolons between them; other lists and objects as JSON.
func text(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any:
		if texts, ok := scalars(v); ok {
			return strings.Join(texts, ";"), nil
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// scalars returns the elements of a list as texts; ok is false when one of them is a list,
// or an object with more than one field.
func scalars(list []any) (texts []string, ok bool) {
	for _, element := range list {
		element = only(element)
		switch element.(type) {
		case []any, map[string]any:
			return nil, false
		}
		t, err := text(element)
		if err != nil {
			return nil, false
		}
		texts = append(texts, t)
	}
	return texts, true
}

// only returns the value of an object with one field; anything else as it is.
func only(value any) any {
	if object, ok := value.(map[string]any); ok && len(object) == 1 {
		for _, inner := range object {
			return inner
		}
	}
	return value
}

// refused is the problem of a table that a format cannot hold.
func refused(format, args string, n ...any) error {
	return problem.Invalid(problem.OutOfRange, fmt.Sprintf(args, n...)+": choose another format than "+format, "format")
}
