package bulkimport

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// readThrough counts the rows, finds those that are given again and those that refer
// to none of the file, and refuses a file that cannot be read to its end before
// anything is written.
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

// identify finds the digest, of all that makes an import the same or another, and
// the key.
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
