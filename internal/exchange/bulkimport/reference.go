package bulkimport

import (
	"hash/maphash"

	"github.com/uplinehq/upline/internal/exchange/bulk"
)

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
