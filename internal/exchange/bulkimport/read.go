package bulkimport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"

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
			r.tellOf("Rows about agents who are not here are left out.", reader.Strangers())
			return nil
		case err != nil:
			return err
		case problems == nil && again(row):
			r.repeated.add(row.Number)
		}
		switch {
		case problems == nil && r.comparison != nil:
			r.comparison.Note(row)
			fallthrough
		case problems == nil:
			refs.note(row)
		default:
			r.unread = append(r.unread, row.Number)
		}
		r.lastRow = row.Number
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
	if r.comparison != nil || r.Only != nil {
		fmt.Fprintf(hash, " %q %v", r.Compare, r.Only)
	}
	fmt.Fprintln(hash)
	file := sha256.New()
	_, err = io.Copy(io.MultiWriter(hash, file), r.File)
	r.digest, r.fileDigest = hash.Sum(nil), file.Sum(nil)
	if r.Key == "" {
		if r.Key = hex.EncodeToString(r.digest); r.comparison != nil { // what is held may differ again
			r.Key += r.clock.Now().UTC().Format("-20060102T150405.000000")
		}
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

// reader reads the rows of an import.
type reader interface {
	Read() (bulk.Row, []*problem.Error, error)
}

// eachChunk reads the file from its beginning and calls f, chunk by chunk, for the rows
// after the first done ones, with the size of the chunk before rows were chosen.
func (r *run) eachChunk(ctx context.Context, pass, done int, f func(c chunk, size int) error) error {
	reader, err := r.read()
	if err != nil {
		return err
	}
	if err := skip(reader, min(done, r.total)); err != nil { // of what the file does not have, that is done is not missing any more
		return err
	}
	r.chunks, reader.Keeps = 0, !r.DryRun && r.Policy == RejectFailedRows
	all := &rows{reader, r.missing}
	for rows := done; ; {
		c, err := readChunk(all)
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return err
		}
		if c.size() > 0 {
			size := c.size()
			if err := errors.Join(ctx.Err(), f(r.chosen(c), size)); err != nil {
				return err
			}
			rows += size
		}
		if r.Progress != nil {
			r.Progress(Progress{Pass: pass + 1, Passes: r.passes(), Rows: rows, Total: r.total + len(r.missing)})
		}
		if last {
			return nil
		}
	}
}

// read opens a reader at the beginning of the file.
func (r *run) read() (*bulk.Reader, error) { return r.layout.Reader(r.keys, r.comparison != nil) }

func skip(reader *bulk.Reader, rows int) error {
	for range rows {
		if _, _, err := reader.Read(); err != nil {
			return err
		}
	}
	return nil
}

// readChunk reads a chunk. It returns io.EOF with the last one.
func readChunk(reader reader) (c chunk, err error) {
	for c.size() < ChunkRows {
		row, problems, err := reader.Read()
		switch {
		case err != nil:
			return c, err
		case problems != nil:
			c.refused = append(c.refused, bulk.Result{Number: row.Number, Outcome: bulk.Rejected, Problems: problems, Read: row.Read})
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

// rows reads the rows of a file, and after them those of what it does not have.
type rows struct {
	*bulk.Reader
	missing []bulk.Row
}

// Read returns the next row, as bulk.Reader does.
func (r *rows) Read() (bulk.Row, []*problem.Error, error) {
	row, problems, err := r.Reader.Read()
	if errors.Is(err, io.EOF) && len(r.missing) > 0 {
		row, r.missing = r.missing[0], r.missing[1:]
		return row, nil, nil
	}
	return row, problems, err
}

// chosen returns a chunk without the rows that are not among those that were chosen.
func (r *run) chosen(c chunk) chunk {
	if r.Only == nil {
		return c
	}
	c.rows = slices.DeleteFunc(c.rows, func(row bulk.Row) bool { return !r.only.has(row.Number) })
	c.refused = slices.DeleteFunc(c.refused, func(row bulk.Result) bool { return !r.only.has(row.Number) })
	return c
}

// choose notes which rows are to be written.
func (r *run) choose() error {
	for _, number := range r.Only {
		if number < 1 || number > 1<<31 {
			return problem.Invalid(problem.OutOfRange, "must be numbers of rows, not "+strconv.Itoa(number), "rows")
		}
		r.only.add(number)
	}
	return nil
}
