package bulk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// jsonLines reads JSON lines: an object in each line.
type jsonLines struct {
	in      *bufio.Reader // of MaxRow bytes
	columns []Column
	names   names
	line    int
}

// next implements grid.
func (j *jsonLines) next() (record, error) {
	for {
		text, err := j.in.ReadSlice('\n')
		if len(text) == 0 && err != nil {
			return record{number: j.line}, err
		}
		j.line++
		r := record{number: j.line}
		if errors.Is(err, bufio.ErrBufferFull) {
			r.problems = []*problem.Error{problem.Invalid(problem.TooLong, "The line is longer than 65536 bytes")}
			return r, j.skip()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return r, err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		r.given = newRow(j.line, len(j.columns))
		r.problems = j.parse(text, r.given)
		return r, nil
	}
}

// skip moves past a line that is too long.
func (j *jsonLines) skip() error {
	for {
		_, err := j.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF): // the next row finds it
			return nil
		default:
			return err
		}
	}
}

func (j *jsonLines) parse(line []byte, row *Row) []*problem.Error {
	if !utf8.Valid(line) || !json.Valid(line) || bytes.TrimSpace(line)[0] != '{' {
		return refused("The line is not a JSON object in UTF-8")
	}
	if text.HalfPair(line) {
		return refused("The line " + text.ErrHalfPair.Error())
	}
	o := object{jsonLines: j, decoder: json.NewDecoder(bytes.NewReader(line)), row: row}
	o.decoder.UseNumber()
	if err := o.value(""); err != nil {
		return refused("The line is not a JSON object in UTF-8")
	}
	return o.problems
}

// object is the line that is being read.
type object struct {
	*jsonLines
	decoder  *json.Decoder
	row      *Row
	problems []*problem.Error
}

// value reads the value at a path. It goes into objects, so that {"homeAddress": {"city":
// "Boise"}} gives homeAddress.city.
func (o *object) value(name string) error {
	token, err := o.decoder.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' && len(name) < maxName && !o.names.skips(name) {
			return o.properties(name)
		}
		return o.several(name)
	case string:
		o.give(name, t)
	case json.Number:
		o.give(name, t.String())
	case bool:
		o.give(name, strconv.FormatBool(t))
	case nil:
		o.null(name)
	}
	return nil
}

func (o *object) properties(name string) error {
	for o.decoder.More() {
		token, err := o.decoder.Token()
		if err != nil {
			return err
		}
		property, _ := token.(string)
		if name != "" {
			property = name + "." + property
		}
		if err := o.value(property); err != nil {
			return err
		}
	}
	_, err := o.decoder.Token()
	return err
}

// maxName bounds the name of a property with dots, in bytes, and so how deep value goes
// into objects.
const maxName = 200

// several refuses an array: no column holds several values.
func (o *object) several(name string) error {
	switch column, known := o.names.column(name); {
	case !known:
		o.unknown(name)
	case column != skipped:
		o.refuse(problem.InvalidFormat, "must not be an array", column)
	}
	for depth := 1; depth > 0; {
		token, err := o.decoder.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	return nil
}

func (o *object) refuse(code problem.Code, message string, column int) {
	o.problems = append(o.problems, problem.Invalid(code, message, path(o.columns[column].Name)...))
}

// unknown notes, once for each line, that there is no such property.
func (o *object) unknown(name string) {
	for _, p := range o.problems {
		if p.Code == problem.UnknownField {
			return
		}
	}
	which := "a property"
	if looksLikeName(name) {
		which = "the property " + quote(name)
	}
	o.problems = append(o.problems, o.names.unknown("The line has "+which+", which cannot be used"))
}

func (o *object) give(name, text string) {
	if column, known := o.names.column(name); known {
		o.put(column, text)
	} else {
		o.unknown(name)
	}
}

func (o *object) put(column int, text string) {
	switch {
	case column == skipped:
	case o.row.Given[column]:
		o.refuse(problem.DuplicateKey, "must not be given more than once", column)
	default:
		o.row.Values[column], o.row.Given[column] = text, true
	}
}

// null empties a column, or all columns below a name: an address that is null has no
// city, whatever its header.
func (o *object) null(name string) {
	below := o.names.below(name)
	if _, known := o.names.column(name); known || below == nil {
		o.give(name, "")
		return
	}
	for _, column := range below {
		o.put(column, "")
	}
}
