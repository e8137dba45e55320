package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/words/problem"
)

// rejects is the file of the rows that were refused, a line for each thing that is
// wrong with one. No value of a row is in it but its key. What it held before is there
// until the first row is refused, or the import has ended.
type rejects struct {
	file *os.File // nil without one
	rows sheet.Writer
	// buffer holds what rows wrote and the file has not; nil until it is begun.
	buffer *bufio.Writer
	begun  bool
	err    error
}

// rejectsColumns are those of the file.
var rejectsColumns = []sheet.Column{{Path: []string{"line"}, Kind: sheet.Number}, {Path: []string{"key"}}, {Path: []string{"field"}}, {Path: []string{"code"}}, {Path: []string{"message"}}}

// rejected is a line of the file.
type rejected struct {
	Line    int    `json:"line"`
	Key     string `json:"key"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// openRejects opens the file of a path, if there is one. It must not be that of the
// import.
func openRejects(path string, imported *os.File) (*rejects, error) {
	if path == "" {
		return &rejects{}, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	to, err1 := file.Stat()
	from, err2 := imported.Stat()
	if err = errors.Join(err1, err2); err == nil && os.SameFile(from, to) {
		err = errors.New("--rejects names the file that --file does")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &rejects{file: file}, nil
}

func (r *rejects) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// begin empties the file, once.
func (r *rejects) begin() {
	if !r.begun && r.file != nil {
		r.note(r.file.Truncate(0))
		var err error
		r.buffer = bufio.NewWriter(r.file)
		r.rows, err = sheet.NewCSV(r.buffer, rejectsColumns)
		r.note(err)
	}
	r.begun = true
}

func (r *rejects) write(row bulk.Result) {
	r.begin()
	if r.file == nil {
		return
	}
	for _, p := range row.Problems {
		line, err := json.Marshal(rejected{row.Number, row.Key, fieldOf(p), string(p.Code), p.Message})
		r.note(err)
		r.note(r.rows.Row(line))
	}
}

// restart begins the file anew.
func (r *rejects) restart() {
	if r.file == nil {
		return
	}
	_, err := r.file.Seek(0, io.SeekStart)
	r.note(err)
	r.begun = false
}

// close ends the file of an import that ended with an error or none.
func (r *rejects) close(imported error) error {
	if imported == nil {
		r.begin()
	}
	if r.file == nil {
		return imported
	}
	if r.buffer != nil {
		r.note(r.buffer.Flush())
	}
	return errors.Join(imported, r.err, r.file.Close())
}

func fieldOf(p *problem.Error) string { return strings.Join(p.Field, ".") }
