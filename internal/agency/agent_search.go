package agency

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// maxWords bounds the words of a search: the agents of each are found, and compared.
const maxWords = 10

// searchWords returns the words of a search, as keys are written. A telephone number is
// one, whatever stands between its digits; commas separate words as blanks do.
func searchWords(query string) (words []string) {
	query = text.Narrow(query)
	rest := phoneNumber.ReplaceAllStringFunc(query, func(found string) string {
		digits := record.Digits(found)
		if len(digits) < leastPhone {
			return found
		}
		words = append(words, record.CutKey(digits))
		return " "
	})
	for _, word := range strings.FieldsFunc(text.Fold(rest), func(r rune) bool { return r == ',' || r == ';' || strings.ContainsRune(" \t\r\n\u00a0\u3000", r) }) {
		if key := record.CutKey(strings.Join(text.Pieces(word), "")); key != "" {
			words = append(words, key)
		}
	}
	return words
}

// phoneNumber finds digits with the signs that telephone numbers are written with, as far
// as they stand for themselves.
var phoneNumber = regexp.MustCompile(`(?:^|[\s,;])[+(]*\d[\d\s().\-/]*\d(?:$|[\s,;])`)

const (
	// leastPhone is how many digits with signs between them are one number.
	leastPhone = 7
	// leastEnd is how many digits are looked for at the end of telephone numbers.
	leastEnd = 4
)

// The ranks of what a word finds.
const (
	rankOfWhole = iota // a code, a number, an address or an alias
	rankOfWord
	rankOfBeginning
	rankOfPart
)

// found writes a SELECT of the agents in whom every word of the query is found, or was at the
// instant that counts, with the sum of the ranks of the words.
func (t *filterTree) found(q *store.SQL) {
	if t.past == nil {
		found(q, t.tenantID, t.words)
		return
	}
	q.Write("SELECT n.agent_id, n.rank FROM (")
	found(q, t.tenantID, t.words)
	q.Write(") n WHERE NOT " + t.s.store.In("n.agent_id", q.Arg(t.s.store.List(t.past.changed))))
	q.Write(" UNION ALL SELECT e.value % ?, e.value / ? FROM "+t.s.store.Each("e", q.Arg(t.s.store.List(t.past.ranked(t.words)))), int64(1)<<pastIDBits, int64(1)<<pastIDBits)
}

// found writes a SELECT of the agents in whom every word is found now.
func found(q *store.SQL, tenantID int64, words []string) {
	sum, joined := "w0.rank", ""
	for i, word := range words {
		w := "w" + strconv.Itoa(i)
		one := "(" + q.Piece(func(q *store.SQL) { foundBy(q, tenantID, word) }) + ") " + w
		if i == 0 {
			joined = one
			continue
		}
		sum += " + " + w + ".rank"
		joined += " JOIN " + one + " ON " + w + ".agent_id = w0.agent_id"
	}
	q.Write("SELECT w0.agent_id, " + sum + " AS rank FROM " + joined)
}

// lookup is a look at the keys of a place: those that are a text, or those that begin with it
// and go on.
type lookup struct {
	place int
	text  string
	goOn  bool
	rank  int
}

// lookups are how a word is looked for. What one or two letters begin are so many that fewer
// places are looked at.
func lookups(word string) (all []lookup) {
	begins := func(place int, begin string, whole, part int) {
		all = append(all, lookup{place, begin, false, whole}, lookup{place, begin, true, part})
	}
	letters := []rune(word)
	isLong := len(letters) >= record.LeastWithin || slices.ContainsFunc(letters, text.IsWord)
	if len(letters) > 1 || isLong {
		begins(record.WholeKey, word, rankOfWhole, rankOfBeginning)
		begins(record.WordKey, word, rankOfWord, rankOfBeginning)
	} else {
		all = append(all, lookup{record.WholeKey, word, false, rankOfWhole}, lookup{record.WordKey, word, false, rankOfWord})
	}
	if isLong {
		begins(record.AddressKey, word, rankOfWord, rankOfBeginning)
		begins(record.WithinKey, word, rankOfPart, rankOfPart)
	}
	if isNumber := record.Digits(word) == word; isNumber && len(word) >= leastEnd {
		begins(record.EndKey, record.Reversed(word), rankOfWhole, rankOfBeginning)
		if bare := strings.TrimLeft(word, "0"); len(bare) >= leastPhone && bare != word { // as it is dialled from elsewhere
			begins(record.EndKey, record.Reversed(bare), rankOfWhole, rankOfBeginning)
		}
	}
	return all
}

// foundBy writes a SELECT of the agents in whom a word is found, with its best rank.
func foundBy(q *store.SQL, tenantID int64, word string) {
	q.Write("SELECT k.agent_id, min(k.rank) AS rank FROM (")
	eachFound(q, tenantID, word)
	q.Write(") k GROUP BY k.agent_id")
}

// mostSorted is how many of those found are looked up and sorted for a page. Of more, the next ones
// in the order of the page are looked at instead, until enough of them are among those found.
const mostSorted = 300

// isCommon reports whether a query finds more than mostSorted.
func (t *filterTree) isCommon(ctx context.Context) (bool, error) {
	if t.words == nil {
		return false, nil
	}
	q := new(store.SQL)
	q.Write("SELECT count(*) FROM (SELECT 1 FROM (")
	if len(t.words) == 1 { // who is found twice counts twice, which is near enough
		eachFound(q, t.tenantID, t.words[0])
	} else {
		t.found(q)
	}
	q.Write(") k LIMIT ?) f", mostSorted+1)
	var n int
	_, err := store.One(ctx, t.s.store, []any{&n}, q.Text(), q.Args()...)
	return n > mostSorted, err
}

// eachFound writes a SELECT of the agents in whom a word is found, once for each way in which it is.
func eachFound(q *store.SQL, tenantID int64, word string) {
	next := ""
	for _, l := range lookups(word) {
		q.Write(next+"SELECT k.agent_id, "+strconv.Itoa(l.rank)+" AS rank FROM "+record.KeyTable+" k WHERE k.tenant_id = ? AND k.place = ? AND k.key ", tenantID, l.place)
		if next = " UNION ALL "; l.goOn {
			q.Write("> ? AND k.key < ?", l.text, l.text+last)
		} else {
			q.Write("= ?", l.text)
		}
	}
}

// has reports whether a look finds a key.
func (l lookup) has(k record.Key) bool {
	return k.Place == l.place && (l.goOn && k.Text > l.text && k.Text < l.text+last || !l.goOn && k.Text == l.text)
}

// pastKeys are the keys by which agents were found at an instant, of those who may be found by
// others now: of all others the stored keys are those of then.
type pastKeys struct {
	changed []int64
	keys    map[int64][]record.Key
}

// pastKeys returns the keys of an instant; nil for what is known now.
func (s *Service) pastKeys(ctx context.Context, tenantID int64, asOf history.AsOf) (*pastKeys, error) {
	at := asOf.Known.At()
	if at == nil {
		return nil, nil
	}
	changed, err := s.changedSince(ctx, tenantID, *at)
	if err != nil {
		return nil, err
	}
	p := &pastKeys{changed: append([]int64{}, changed...), keys: map[int64][]record.Key{}}
	for ids := range slices.Chunk(changed, fillBatch) {
		keyed, err := keysOf(visibility.KnownAt(ctx, *at), s.store, tenantID, ids)
		if err != nil {
			return nil, err
		}
		for _, k := range keyed {
			for key := range k.Keys {
				p.keys[k.AgentID] = append(p.keys[k.AgentID], key)
			}
		}
	}
	return p, nil
}

// changedSince returns the agents of whom something changed since an instant that keys are
// made of. An alias that was added says so itself; of what else was added, there are rows. Agents
// of whom only other columns changed have the keys of then.
func (s *Service) changedSince(ctx context.Context, tenantID int64, at time.Time) ([]int64, error) {
	ctx = tenant.Whole(visibility.KnownNow(ctx), "whose keys are looked at anew; whom the caller does not see is not found by them")
	var differs []string
	for _, column := range keyColumns {
		differs = append(differs, "(q.image ->> '"+column+"') IS DISTINCT FROM a."+column)
	}
	return store.Collect(ctx, s.store, store.ScanOne[int64], "SELECT q.agent_id FROM past_row q JOIN agency_agent a ON a.tenant_id = q.tenant_id AND a.id = q.row_id WHERE q.tenant_id = $1"+
		" AND q.at > $2 AND q.relation = 'agency_agent' AND ("+strings.Join(differs, " OR ")+")"+
		" UNION SELECT q.agent_id FROM past_row q WHERE q.tenant_id = $1 AND q.at > $2 AND q.agent_id IS NOT NULL AND q.relation IN ('agency_phone', 'agency_alias')"+
		" UNION SELECT l.agent_id FROM agency_alias l WHERE l.tenant_id = $1 AND l.created_at > $2", tenantID, at)
}

// ranked returns those in whom every word was found, each as one number, as dated downlines
// have them: the id, and above it the sum of the ranks.
func (p *pastKeys) ranked(words []string) []int64 {
	all := []int64{}
	for id, keys := range p.keys {
		if rank, found := rankOf(keys, words); found {
			all = append(all, int64(rank)<<pastIDBits|id)
		}
	}
	return all
}

// pastIDBits are the bits of an id in such a number.
const pastIDBits = 48

// rankOf returns the sum of the best ranks of words.
func rankOf(keys []record.Key, words []string) (sum int, found bool) {
	for _, word := range words {
		best := -1
		for _, l := range lookups(word) {
			if (best < 0 || l.rank < best) && slices.ContainsFunc(keys, l.has) {
				best = l.rank
			}
		}
		if best < 0 {
			return 0, false
		}
		sum += best
	}
	return sum, true
}
