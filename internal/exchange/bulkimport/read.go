package bulkimport

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
