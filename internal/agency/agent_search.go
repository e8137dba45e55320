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
func searchWords(query string) (words []word) {
	query = text.Narrow(query)
	rest := phoneNumber.ReplaceAllStringFunc(query, func(found string) string {
		digits := record.Digits(found)
		if len(digits) < leastPhone {
			return found
		}
		words = append(words, word{text: record.CutKey(digits)})
		return " "
	})
	for _, one := range strings.FieldsFunc(text.Fold(rest), func(r rune) bool { return r == ',' || r == ';' || strings.ContainsRune(" \t\r\n\u00a0\u3000", r) }) {
		if key := record.CutKey(strings.Join(text.Pieces(one), "")); key != "" {
			words = append(words, word{text: key})
		}
	}
	return words
}

// word is a word of a search.
type word struct {
	text string
	// isNear is set if names count that differ from it by one letter.
	isNear bool
}

// leastNear and mostNear are how many letters a word has that may be mistyped: of fewer,
// another letter makes another name.
const leastNear, mostNear = 4, 24

// nearTo returns the texts that a typist may have meant: the word without one of its letters,
// with two of them exchanged, with one more and with another one.
func nearTo(word string) (all []string) {
	letters := []byte(word)
	if len(letters) < leastNear || len(letters) > mostNear || slices.ContainsFunc(letters, func(b byte) bool { return b < 'a' || b > 'z' }) {
		return nil
	}
	add := func(parts ...string) { all = append(all, strings.Join(parts, "")) }
	for i := range len(word) + 1 {
		for letter := 'a'; letter <= 'z'; letter++ {
			add(word[:i], string(letter), word[i:])
			if i < len(word) {
				add(word[:i], string(letter), word[i+1:])
			}
		}
		if i < len(word) {
			add(word[:i], word[i+1:])
		}
		if i+1 < len(word) {
			add(word[:i], word[i+1:i+2], word[i:i+1], word[i+2:])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
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
	rankOfNear // a name that differs by one letter
)

// found writes a SELECT of the agents in whom every word of the query is found, or was at the
// instant that counts, with the sum of the ranks of the words.
func (t *filterTree) found(q *store.SQL) {
	if t.past == nil {
		t.foundNow(q)
		return
	}
	q.Write("SELECT n.agent_id, n.rank FROM (")
	t.foundNow(q)
	q.Write(") n WHERE NOT " + t.store.In("n.agent_id", q.Arg(t.store.List(t.past.changed))))
	q.Write(" UNION ALL SELECT e.value % ?, e.value / ? FROM "+t.store.Each("e", q.Arg(t.store.List(t.past.ranked(t.words)))), int64(1)<<pastIDBits, int64(1)<<pastIDBits)
}

// foundNow writes a SELECT of the agents in whom every word is found now.
func (t *filterTree) foundNow(q *store.SQL) {
	sum, joined := "w0.rank", ""
	for i, word := range t.words {
		w := "w" + strconv.Itoa(i)
		one := "(" + q.Piece(func(q *store.SQL) { t.foundBy(q, word) }) + ") " + w
		if i == 0 {
			joined = one
			continue
		}
		sum += " + " + w + ".rank"
		joined += " JOIN " + one + " ON " + w + ".agent_id = w0.agent_id"
	}
	q.Write("SELECT w0.agent_id, " + sum + " AS rank FROM " + joined)
}

// lookup is a look at the keys of a place: those that are a text, those that begin with it
// and go on, or those that are one of several near it.
type lookup struct {
	place int
	text  string
	goOn  bool
	rank  int
	near  []string
}

// lookups are how a word is looked for. What one or two letters begin are so many that fewer
// places are looked at.
func lookups(w word) (all []lookup) {
	word := w.text
	begins := func(place int, begin string, whole, part int) {
		all = append(all, lookup{place: place, text: begin, rank: whole}, lookup{place: place, text: begin, goOn: true, rank: part})
	}
	letters := []rune(word)
	isLong := len(letters) >= record.LeastWithin || slices.ContainsFunc(letters, text.IsWord)
	if len(letters) > 1 || isLong {
		begins(record.WholeKey, word, rankOfWhole, rankOfBeginning)
		begins(record.WordKey, word, rankOfWord, rankOfBeginning)
	} else {
		all = append(all, lookup{place: record.WholeKey, text: word, rank: rankOfWhole}, lookup{place: record.WordKey, text: word, rank: rankOfWord})
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
	if near := nearTo(word); w.isNear && near != nil {
		all = append(all, lookup{place: record.WordKey, near: near, rank: rankOfNear})
	}
	return all
}

// foundBy writes a SELECT of the agents in whom a word is found, with its best rank.
func (t *filterTree) foundBy(q *store.SQL, w word) {
	q.Write("SELECT k.agent_id, min(k.rank) AS rank FROM (")
	t.eachFound(q, w)
	q.Write(") k GROUP BY k.agent_id")
}

// mostSorted is how many of those found are looked up and sorted for a page. Of more, the next ones
// in the order of the page are looked at instead, until enough of them are among those found.
const mostSorted = 300

// foundUpTo returns how many agents the query finds, up to a number.
func (t *filterTree) foundUpTo(ctx context.Context, most int) (n int, err error) {
	q := new(store.SQL)
	q.Write("SELECT count(*) FROM (SELECT 1 FROM (")
	if len(t.words) == 1 && t.past == nil { // who is found twice counts twice, which is near enough
		t.eachFound(q, t.words[0])
	} else {
		t.found(q)
	}
	q.Write(") k LIMIT ?) f", most)
	_, err = store.One(ctx, t.store, []any{&n}, q.Text(), q.Args()...)
	return n, err
}

// orNear looks for names near the words if nobody is found by them, and reports whether the
// query finds more than mostSorted. A query inside another filter is taken by its word.
func (t *filterTree) orNear(ctx context.Context, isSorted bool) (isCommon bool, err error) {
	if t.words == nil {
		return false, nil
	}
	most := 1
	if isSorted {
		most = mostSorted + 1
	}
	n, err := t.foundUpTo(ctx, most)
	if n == 0 {
		for i := range t.words {
			t.words[i].isNear = true
		}
	}
	return n > mostSorted, err
}

// eachFound writes a SELECT of the agents in whom a word is found, once for each way in which it is.
func (t *filterTree) eachFound(q *store.SQL, w word) {
	next := ""
	for _, l := range lookups(w) {
		q.Write(next+"SELECT k.agent_id, "+strconv.Itoa(l.rank)+" AS rank FROM "+record.KeyTable+" k WHERE k.tenant_id = ? AND k.place = ? AND ", t.tenantID, l.place)
		switch next = " UNION ALL "; {
		case l.near != nil:
			q.Write(t.store.InTexts("k.key", q.Arg(t.store.Texts(l.near))))
		case l.goOn:
			q.Write("k.key > ? AND k.key < ?", l.text, l.text+last)
		default:
			q.Write("k.key = ?", l.text)
		}
	}
}

// has reports whether a look finds a key.
func (l lookup) has(k record.Key) bool {
	return k.Place == l.place && (slices.Contains(l.near, k.Text) || l.near == nil && l.goOn && k.Text > l.text && k.Text < l.text+last || l.near == nil && !l.goOn && k.Text == l.text)
}

// pastKeys are the keys by which agents were found at an instant, of those who may be found by
// others now: of all others the stored keys are those of then.
type pastKeys struct {
	changed []int64
	keys    map[int64][]record.Key
}

// pastKeys returns the keys of an instant; nil for what is known now.
func (l *finder) pastKeys(ctx context.Context, tenantID int64, asOf history.AsOf) (*pastKeys, error) {
	at := asOf.Known.At()
	if at == nil {
		return nil, nil
	}
	changed, err := l.changedSince(ctx, tenantID, *at)
	if err != nil {
		return nil, err
	}
	p := &pastKeys{changed: append([]int64{}, changed...), keys: map[int64][]record.Key{}}
	for ids := range slices.Chunk(changed, fillBatch) {
		keyed, err := keysOf(visibility.KnownAt(ctx, *at), l.store, tenantID, ids)
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
func (l *finder) changedSince(ctx context.Context, tenantID int64, at time.Time) ([]int64, error) {
	ctx = tenant.Whole(visibility.KnownNow(ctx), "whose keys are looked at anew; whom the caller does not see is not found by them")
	var differs []string
	for _, column := range keyColumns {
		differs = append(differs, "(q.image ->> '"+column+"') IS DISTINCT FROM a."+column)
	}
	q := new(store.SQL)
	for _, gone := range []string{"true", "false"} { // SQLite uses no index for both
		ended := "SELECT q.agent_id FROM past_row q WHERE q.tenant_id = ? AND q.gone = " + gone + " AND q.at > ? AND q.relation "
		q.Write(ended+"= 'agency_agent' AND (SELECT "+strings.Join(differs, " OR ")+" FROM agency_agent a WHERE a.tenant_id = q.tenant_id AND a.id = q.row_id) UNION ", tenantID, at)
		q.Write(ended+"= 'agency_phone' UNION "+ended+"= 'agency_alias' UNION ", tenantID, at, tenantID, at)
	}
	q.Write("SELECT l.agent_id FROM agency_alias l WHERE l.tenant_id = ? AND l.created_at > ?", tenantID, at)
	return store.Collect(ctx, l.store, store.ScanOne[int64], q.Text(), q.Args()...)
}

// ranked returns those in whom every word was found, each as one number, as dated downlines
// have them: the id, and above it the sum of the ranks.
func (p *pastKeys) ranked(words []word) []int64 {
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
func rankOf(keys []record.Key, words []word) (sum int, found bool) {
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
