package bulkimport

import (
	"hash/maphash"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

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
