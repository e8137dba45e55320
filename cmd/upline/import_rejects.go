package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// rejects is the file of the rejected rows, with a line for each thing that is wrong with
// one. Of a row it holds no value but the key. An existing file keeps its content until
// the first row is rejected or the import has ended.
type rejects struct {
	file *os.File // nil without one
	rows sheet.Writer
	// buffer holds what is not yet in the file; nil until the file is begun.
	buffer *bufio.Writer
	begun  bool
	err    error
}

// rejectsColumns are the columns of the file.
var rejectsColumns = []sheet.Column{{Path: []string{"line"}, Kind: value.Integer}, {Path: []string{"key"}}, {Path: []string{"field"}}, {Path: []string{"code"}}, {Path: []string{"message"}}}

// rejected is a line of the file.
type rejected struct {
	Line    int    `json:"line"`
	Key     string `json:"key"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// openRejects opens the file at a path, if one is given. It must not be the file that is
// imported.
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
		err = errors.New("--rejects or --rejected-rows names the file that --file does")
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

// begin empties the file; later calls do nothing.
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

// restart empties the file again.
func (r *rejects) restart() {
	if r.file == nil {
		return
	}
	_, err := r.file.Seek(0, io.SeekStart)
	r.note(err)
	r.begun = false
}

// close ends the file after an import, which may have ended with an error.
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

// rejecting takes the rejected rows of an import.
type rejecting struct {
	write   func(bulk.Result)
	restart func()
}

// mending has what is wrong with the rejected rows, by their lines.
type mending struct{ wrong map[int][]*problem.Error }

// with returns what takes rows for this and for a file of rejects.
func (m *mending) with(r *rejects) rejecting {
	return rejecting{write: func(row bulk.Result) {
		m.wrong[row.Number] = row.Problems
		r.write(row)
	}, restart: func() {
		clear(m.wrong)
		r.restart()
	}}
}

// write writes the rejected rows as the file has them to a file at a path, if one is given. It
// holds what the file holds, and is for who has that.
func (m *mending) write(path string, imported *os.File, done *bulkimport.Report) error {
	if path == "" {
		return nil
	}
	to, err := openRejects(path, imported)
	if err != nil {
		return err
	}
	heads := done.Header
	if last := len(heads) - 1; last >= 0 && heads[last] == bulk.WhatIsWrong { // the file was one of rejected rows itself
		heads = heads[:last]
	}
	out := csv.NewWriter(to.file)
	to.note(to.file.Truncate(0))
	to.note(out.Write(append(slices.Clone(heads), bulk.WhatIsWrong)))
	to.note(done.EachRejected(func(number int, cells []string) error {
		row := make([]string, len(heads), len(heads)+1)
		for i, cell := range cells[:min(len(cells), len(heads))] {
			row[i] = sheet.Harmless(cell)
		}
		return out.Write(append(row, strings.Join(done.InWords(m.wrong[number], cells), "; ")))
	}))
	out.Flush()
	return errors.Join(to.err, out.Error(), to.file.Close())
}

// writeLeft writes the rows that an import left out.
func writeLeft(ctx context.Context, to io.Writer, imports *bulkimport.Service, of *bulkimport.Done) error {
	out := csv.NewWriter(to)
	heads := slices.DeleteFunc(slices.Clone(of.Heads), func(h bulk.HeadOf) bool { return h.Name == bulk.WhatIsWrong })
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i] = h.Name
	}
	err := out.Write(append(names, bulk.WhatIsWrong))
	for last := 0; err == nil; {
		var rows []bulkimport.Left
		if rows, err = imports.Left(ctx, of, last); len(rows) == 0 {
			break
		}
		for _, row := range rows {
			cells := make([]string, len(heads))
			for i := range cells { // what is wrong stands last
				cells[i] = sheet.Harmless(row.Cells[i])
			}
			if err == nil {
				err = out.Write(append(cells, strings.Join(row.Said, "; ")))
			}
		}
		last = rows[len(rows)-1].Number
	}
	out.Flush()
	return errors.Join(err, out.Error())
}

func fieldOf(p *problem.Error) string { return strings.Join(p.Field, ".") }
