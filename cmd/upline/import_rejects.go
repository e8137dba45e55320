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
// wrong with one. No value of a row is in it.
type rejects struct {
	file *os.File // nil without one
	rows *csv.Writer
	err  error
}

var rejectsHeader = []string{"line", "key", "field", "code", "message"}

func openRejects(path string) (*rejects, error) {
	if path == "" {
		return &rejects{rows: csv.NewWriter(io.Discard)}, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r := &rejects{file: file, rows: csv.NewWriter(file)}
	r.note(r.rows.Write(rejectsHeader))
	return r, nil
}

func (r *rejects) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *rejects) write(row bulk.Result) {
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
	r.note(errors.Join(r.rows.Error(), r.file.Truncate(0), err))
	r.note(r.rows.Write(rejectsHeader))
}

func (r *rejects) close() error {
	r.rows.Flush()
	if r.file == nil {
		return nil
	}
	return errors.Join(r.err, r.rows.Error(), r.file.Close())
}

func fieldOf(p *problem.Error) string { return strings.Join(p.Field, ".") }
