package admission

import (
	"hash/maphash"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// slowFrom is the time from which on a statement counts as slow.
	slowFrom = 25 * time.Millisecond
	// lately is how many runs the average of a statement's time covers.
	lately = 8
	// keptEstimates limits the memory of estimates to a few MiB.
	keptEstimates = 16_384
	// pageAt is how near to its end a statement has the size and the offset of a page.
	pageAt = 100
)

// statementKey identifies a statement of a tenant.
type statementKey struct {
	owner string
	text  uint64
}

var textSeed = maphash.MakeSeed()

// keyOf returns the key of a statement, by its text. Only the length of numbers at its
// end counts, such as the offset of a page: so the first page has another key than the
// ten-thousandth, but the ten-thousandth has the key of the next one.
func keyOf(owner, text string) statementKey {
	var h maphash.Hash
	h.SetSeed(textSeed)
	at := max(0, len(text)-pageAt)
	_, _ = h.WriteString(text[:at])
	for i := at; i < len(text); i++ {
		b := text[i]
		if b >= '0' && b <= '9' {
			b = '0'
		}
		_ = h.WriteByte(b)
	}
	return statementKey{owner, h.Sum64()}
}

// estimates are the times that statements took lately.
type estimates struct {
	known *simplelru.LRU[statementKey, *estimate]
}

type estimate struct {
	times int64
	takes time.Duration
}

func newEstimates() *estimates {
	known, err := simplelru.NewLRU[statementKey, *estimate](keptEstimates, nil)
	if err != nil {
		panic(err) // only for a size below one
	}
	return &estimates{known}
}

func (e *estimates) of(k statementKey) (takes time.Duration, known bool) {
	if found, ok := e.known.Get(k); ok {
		return found.takes, true
	}
	return 0, false
}

func (e *estimates) learn(k statementKey, took time.Duration) {
	found, ok := e.known.Get(k)
	if !ok {
		found = &estimate{}
		e.known.Add(k, found)
	}
	found.times = min(found.times+1, lately)
	found.takes += (took - found.takes) / time.Duration(found.times)
}
