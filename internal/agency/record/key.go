package record

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/text"
)

// KeyTable holds the texts by which agents are found (decision 10).
const KeyTable = "agency_agent_key"

// The places of a key.
const (
	// WholeKey is the whole of a code, a number, an address or an alias.
	WholeKey = 0
	// WordKey is a word, or the rest of a whole from a word on.
	WordKey = 1
	// AddressKey is the rest of an e-mail address from a word on.
	AddressKey = 2
	// WithinKey is the rest of a word.
	WithinKey = 3
	// EndKey is a telephone number from its end on.
	EndKey = 8
	// NaturalKey is the code in the order of its numbers, by which nobody is found.
	NaturalKey = 9
)

// Keys are the keys of an agent that come from one source.
type Keys map[Key]bool

// Key is a text with its place.
type Key struct {
	Text  string
	Place int
}

const (
	// MaxKey bounds the characters of a key, and of a word that is looked for.
	MaxKey = 64
	// LeastWithin is how many letters are looked for inside a word.
	LeastWithin = 3
	// maxWithin bounds how far into a word these begin.
	maxWithin = 40
)

// Of adds the keys of a text: the whole of it, which has a place, and its rest from each
// word on.
func (k Keys) Of(s string, whole int) Keys {
	return k.rests(text.Pieces(text.Fold(s)), whole, WordKey, 1)
}

// OfAddress adds the keys of an e-mail address; that many end with the same says nothing.
func (k Keys) OfAddress(s string) Keys {
	return k.rests(text.Pieces(text.Fold(s)), WholeKey, AddressKey, 2)
}

// rests adds the rests of a text from each piece on, with at least so many.
func (k Keys) rests(pieces []string, whole, rest, least int) Keys {
	for i := range pieces {
		switch {
		case i == 0:
			k.add(strings.Join(pieces, ""), whole)
		case len(pieces)-i >= least:
			k.add(strings.Join(pieces[i:], ""), rest)
		}
	}
	return k
}

// OfParts adds the keys of a text of which each part is looked for: its words, and what
// these end with.
func (k Keys) OfParts(s string, whole int) Keys {
	k.Of(s, whole)
	for _, piece := range text.Pieces(text.Fold(s)) {
		k.add(piece, WordKey)
		k.within(piece)
	}
	return k
}

// OfCode adds the keys of an agent's code: also the one that has its numbers in order.
func (k Keys) OfCode(code string) Keys {
	k.Of(code, WholeKey).within(strings.Join(text.Pieces(text.Fold(code)), ""))
	k.add(natural(code), NaturalKey)
	return k
}

// OfPhone adds the keys of a telephone number. Whoever looks for it may leave out where it
// begins: the country, the area.
func (k Keys) OfPhone(country, area, number string) Keys {
	k.add(Digits(area+number), WholeKey)
	k.add(Reversed(Digits(country)+strings.TrimLeft(Digits(area+number), "0")), EndKey)
	return k
}

func (k Keys) within(word string) {
	letters := []rune(word)
	for i := 1; i < min(len(letters), maxWithin); i++ {
		if len(letters)-i >= LeastWithin || text.IsWord(letters[i]) {
			k.add(string(letters[i:]), WithinKey)
		}
	}
}

// add adds a key, unless it is there with a better place.
func (k Keys) add(s string, place int) {
	if s = CutKey(s); s == "" || place == WithinKey && k[Key{s, WordKey}] {
		return
	}
	k[Key{s, place}] = true
}

// CutKey returns what is stored of a key.
func CutKey(key string) string {
	if len(key) > MaxKey {
		if letters := []rune(key); len(letters) > MaxKey {
			return string(letters[:MaxKey])
		}
	}
	return key
}

// Digits returns the digits of a text.
func Digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text.Narrow(s))
}

// Reversed returns a text from its end on.
func Reversed(s string) string {
	letters := []rune(s)
	slices.Reverse(letters)
	return string(letters)
}

// natural returns the text by which a code is sorted so that A2 comes before A10: before
// each number stands how long it is. The code behind it keeps those apart that differ in
// zeros and capitals only.
func natural(code string) string {
	var b strings.Builder
	for rest := text.Fold(code); rest != ""; {
		other := strings.IndexFunc(rest, isDigit)
		if other != 0 {
			other = cmp.Or(max(other, 0), len(rest))
			b.WriteString(rest[:other])
			rest = rest[other:]
			continue
		}
		number := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isDigit))]
		rest = rest[len(number):]
		number = strings.TrimLeft(number, "0")
		fmt.Fprintf(&b, "%02d%s", len(number), number)
	}
	return b.String() + " " + code
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// Keyed are the keys of an agent from one source: 0 for its code, names, NPN and e-mail
// address, below that its telephone numbers, above it the ids of its aliases.
type Keyed struct {
	AgentID, Source int64
	Keys            Keys
}

// keyColumns are the columns of KeyTable.
var keyColumns = []string{"tenant_id", "place", "key", "agent_id", "source"}

// fewKeys is how many keys go with other statements; more are copied.
const fewKeys = 1000

// AddKeys adds keys.
func (w *Writing) AddKeys(ctx context.Context, all ...Keyed) error {
	n := 0
	for _, k := range all {
		n += len(k.Keys)
	}
	if n == 0 {
		return nil
	}
	if w.Postgres() && !w.Sharded() && n <= fewKeys { // one statement, which is prepared once
		places, keys, agents, sources := make([]int64, 0, n), make([]string, 0, n), make([]int64, 0, n), make([]int64, 0, n)
		for of, key := range each(all) {
			places, keys, agents, sources = append(places, int64(key.Place)), append(keys, key.Text), append(agents, of.AgentID), append(sources, of.Source)
		}
		return w.Later(ctx, "INSERT INTO "+KeyTable+" (tenant_id, place, key, agent_id, source) SELECT $1::bigint, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[])",
			w.Tenant.ID, places, keys, agents, sources)
	}
	return w.CopyLater(ctx, KeyTable, keyColumns, func(yield func([]any) bool) {
		row := make([]any, 0, len(keyColumns))
		for of, key := range each(all) {
			if row = append(row[:0], w.Tenant.ID, key.Place, key.Text, of.AgentID, of.Source); !yield(row) {
				return
			}
		}
	})
}

func each(all []Keyed) iter.Seq2[Keyed, Key] {
	return func(yield func(Keyed, Key) bool) {
		for _, of := range all {
			for key := range of.Keys {
				if !yield(of, key) {
					return
				}
			}
		}
	}
}

// RemoveKeys removes keys. PostgreSQL is to look up each by all that it is: by the agent
// alone, which it thinks rare, it would read all keys of a place.
func (w *Writing) RemoveKeys(ctx context.Context, all ...Keyed) error {
	for _, of := range all {
		if err := w.removeKeys(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writing) removeKeys(ctx context.Context, of Keyed) error {
	if len(of.Keys) == 0 {
		return nil
	}
	var places []int64
	var keys []string
	byPlace := map[int][]string{}
	for key := range of.Keys {
		places, keys, byPlace[key.Place] = append(places, int64(key.Place)), append(keys, key.Text), append(byPlace[key.Place], key.Text)
	}
	if w.Postgres() && !w.Sharded() {
		return w.Later(ctx, "DELETE FROM "+KeyTable+" WHERE tenant_id = $1 AND ctid = ANY (ARRAY(SELECT (SELECT k.ctid FROM "+KeyTable+
			" k WHERE k.tenant_id = $1 AND k.place = e.place AND k.key = e.key AND k.agent_id = $2 AND k.source = $3) FROM unnest($4::bigint[], $5::text[]) e(place, key)))",
			w.Tenant.ID, of.AgentID, of.Source, places, keys)
	}
	for place, keys := range byPlace {
		err := w.Later(ctx, "DELETE FROM "+KeyTable+" WHERE tenant_id = $1 AND place = $2 AND "+w.InTexts("key", "$3")+" AND agent_id = $4 AND source = $5",
			w.Tenant.ID, place, w.Texts(keys), of.AgentID, of.Source)
		if err != nil {
			return err
		}
	}
	return nil
}

// ChangeKeys replaces the keys from one source by others.
func (w *Writing) ChangeKeys(ctx context.Context, agentID, source int64, before, after Keys) error {
	gone, come := maps.Clone(before), maps.Clone(after)
	maps.DeleteFunc(gone, func(key Key, _ bool) bool { return after[key] })
	maps.DeleteFunc(come, func(key Key, _ bool) bool { return before[key] })
	return FirstOf(w.RemoveKeys(ctx, Keyed{agentID, source, gone}), w.AddKeys(ctx, Keyed{agentID, source, come}))
}
