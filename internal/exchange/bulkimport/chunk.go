package bulkimport

import (
	"context"
	"errors"
	"io"

	"github.com/uplinehq/upline/internal/exchange/bulk"
)

// chunk is a run of consecutive rows of a file.
type chunk struct {
	rows []bulk.Row
	// refused are the results of malformed rows.
	refused []bulk.Result
}

func (c chunk) size() int { return len(c.rows) + len(c.refused) }

// eachChunk reads the file from its beginning and calls f, chunk by chunk, for the rows
// after the first done ones.
func (r *run) eachChunk(ctx context.Context, pass, done int, f func(c chunk) error) error {
	reader, err := r.read()
	if err != nil {
		return err
	}
	if err := skip(reader, done); err != nil {
		return err
	}
	r.chunks = 0
	for rows := done; ; {
		c, err := readChunk(reader)
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return err
		}
		if c.size() > 0 {
			if err := errors.Join(ctx.Err(), f(c)); err != nil {
				return err
			}
			rows += c.size()
		}
		if r.Progress != nil {
			r.Progress(Progress{Pass: pass + 1, Passes: r.passes(), Rows: rows, Total: r.total})
		}
		if last {
			return nil
		}
	}
}

// read opens a reader at the beginning of the file.
func (r *run) read() (*bulk.Reader, error) { return r.layout.Reader(r.keys) }

func skip(reader *bulk.Reader, rows int) error {
	for range rows {
		if _, _, err := reader.Read(); err != nil {
			return err
		}
	}
	return nil
}

// readChunk reads a chunk. It returns io.EOF with the last one.
func readChunk(reader *bulk.Reader) (c chunk, err error) {
	for c.size() < ChunkRows {
		row, problems, err := reader.Read()
		switch {
		case err != nil:
			return c, err
		case problems != nil:
			c.refused = append(c.refused, bulk.Result{Number: row.Number, Outcome: bulk.Rejected, Problems: problems})
		default:
			c.rows = append(c.rows, row)
		}
	}
	return c, nil
}

// rowSet is a set of lines of a file: a bit for each line.
type rowSet []uint64

func (s *rowSet) add(line int) {
	for len(*s) <= line/64 {
		*s = append(*s, 0)
	}
	(*s)[line/64] |= 1 << (line % 64)
}

func (s rowSet) has(line int) bool { return line/64 < len(s) && s[line/64]&(1<<(line%64)) != 0 }
