package bulkimport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

// readThrough reads the file once before anything is written. It counts the rows, finds
// those that repeat a key and those that refer to something outside the file, and refuses
// a file that cannot be read to its end.
func (r *run) readThrough() error {
	reader, err := r.read()
	if err != nil {
		return err
	}
	again, refs := r.repeats(), r.references()
	for {
		row, problems, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			r.outside, r.again = refs.outside(), refs.again
			return nil
		case err != nil:
			return err
		case problems == nil && again(row):
			r.repeated.add(row.Number)
		}
		if problems == nil {
			refs.note(row)
		}
		r.total++
	}
}

// identify computes the digest of all that distinguishes an import from another, and the
// key.
func (r *run) identify() (err error) {
	if _, err = r.File.Seek(0, io.SeekStart); err != nil {
		return err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q", r.Entity, r.Policy)
	fmt.Fprint(hash, r.Mapping)
	fmt.Fprintln(hash)
	_, err = io.Copy(hash, r.File)
	r.digest = hash.Sum(nil)
	if r.Key == "" {
		r.Key = hex.EncodeToString(r.digest)
	}
	r.report.Key = r.Key
	return err
}

// references hold the keys of the rows of a file and the keys that these refer to, as
// hashes of 64 bits: some 40 bytes of memory for each row while the file is read through.
// When two keys share a hash, one of two things may happen. A row whose reference is
// missing is refused later than it could be, or a row is taken for a repetition of
// another.
type references struct {
	entity Referring
	seed   maphash.Seed
	keys   map[uint64]struct{}
	to     []reference
	// again are the rows whose key an earlier row has.
	again rowSet
}

type reference struct {
	line int
	to   uint64
}

func (r *run) references() *references {
	entity, _ := r.entity.(Referring)
	return &references{entity: entity, seed: maphash.MakeSeed(), keys: map[uint64]struct{}{}}
}

func (r *references) note(row bulk.Row) {
	if r.entity == nil {
		return
	}
	key, to := r.entity.Reference(row)
	if key != "" {
		before := len(r.keys)
		if r.keys[maphash.String(r.seed, key)] = struct{}{}; len(r.keys) == before {
			r.again.add(row.Number)
		}
	}
	if to != "" {
		r.to = append(r.to, reference{row.Number, maphash.String(r.seed, to)})
	}
}

// outside returns the rows that refer to something which is not in the file.
func (r *references) outside() (lines rowSet) {
	for _, ref := range r.to {
		if _, ok := r.keys[ref.to]; !ok {
			lines.add(ref.line)
		}
	}
	return lines
}

// repeats returns a function that tells whether an earlier row has the key of a row. It
// keeps hashes of 64 bits: among some hundred thousand files of ten million rows, one
// would have a row refused wrongly.
func (r *run) repeats() func(bulk.Row) bool {
	keyed, ok := r.entity.(Keyed)
	if !ok {
		return func(bulk.Row) bool { return false }
	}
	seed, seen := maphash.MakeSeed(), map[uint64]struct{}{}
	return func(row bulk.Row) bool {
		key := keyed.FileKey(row)
		if key == "" {
			return false
		}
		before, hash := len(seen), maphash.String(seed, key)
		seen[hash] = struct{}{}
		return len(seen) == before
	}
}

// refuseRepeated rejects the rows that were written as an earlier one of the file,
// perhaps of another chunk, and so found themselves there. If that one was refused,
// and this one written, nothing is lost.
func (r *run) refuseRepeated(results []bulk.Result) {
	for i := range results {
		if result := &results[i]; result.Outcome == bulk.Unchanged && r.repeated.has(result.Number) {
			result.Outcome, result.Problems = bulk.Rejected, []*problem.Error{r.entity.(Keyed).Repeated()}
		}
	}
}

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
