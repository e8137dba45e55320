package main

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

// rejects is the file of the rows that were refused, a line for each thing that is
// wrong with one. No value of a row is in it. What it held before is there until the
// first row is refused, or the import has ended.
type rejects struct {
	file  *os.File // nil without one
	rows  *csv.Writer
	begun bool
	err   error
}

var rejectsHeader = []string{"line", "key", "field", "code", "message"}

// openRejects opens the file of a path, if there is one. It must not be that of the
// import.
func openRejects(path string, imported *os.File) (*rejects, error) {
	if path == "" {
		return &rejects{rows: csv.NewWriter(io.Discard)}, nil
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
	return &rejects{file: file, rows: csv.NewWriter(file)}, nil
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
		r.note(r.rows.Write(rejectsHeader))
	}
	r.begun = true
}

func (r *rejects) write(row bulk.Result) {
	r.begin()
	for _, p := range row.Problems {
		r.note(r.rows.Write([]string{strconv.Itoa(row.Number), row.Key, fieldOf(p), string(p.Code), p.Message}))
	}
}

// restart begins the file anew.
func (r *rejects) restart() {
	if r.file == nil {
		return
	}
	r.rows.Flush()
	_, err := r.file.Seek(0, io.SeekStart)
	r.note(errors.Join(r.rows.Error(), err))
	r.begun = false
}

// close ends the file of an import that ended with an error or none.
func (r *rejects) close(imported error) error {
	if imported == nil {
		r.begin()
	}
	r.rows.Flush()
	if r.file == nil {
		return imported
	}
	return errors.Join(imported, r.err, r.rows.Error(), r.file.Close())
}

func fieldOf(p *problem.Error) string { return strings.Join(p.Field, ".") }
