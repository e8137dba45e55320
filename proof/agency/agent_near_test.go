package agency_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
)

// apart is the least number of letters that are added, left out, changed or exchanged with
// the next between two words, none of them twice: by its recurrence.
func apart(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			default:
				changed := 1
				if a[i-1] == b[j-1] {
					changed = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+changed)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}

// mistyped draws a word as hurried hands write it: with one slip, or two.
func mistyped(t *rapid.T, word string) string {
	letter := rapid.StringMatching("[a-z]")
	for range rapid.IntRange(1, 2).Draw(t, "slips") {
		i := rapid.IntRange(0, len(word)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "slip") {
		case 0:
			word = word[:i] + letter.Draw(t, "added") + word[i:]
		case 1:
			word = word[:i] + word[i+1:]
		case 2:
			word = word[:i] + letter.Draw(t, "instead") + word[i+1:]
		case 3:
			if i+1 < len(word) {
				word = word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
			}
		}
	}
	return word
}

// A word that finds nobody finds whoever has a name that differs by one letter, and nobody
// else, now and as it was known: every name is measured against it.
func TestMistypedNames(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		searched(w)
		for i, name := range []string{"Anthony King", "Anthea Kong", "Kathryn Smythe", "Katherine Smith", "Catherine Schmidt", "Jon Johnston", "Joan Johnson"} {
			first, last, _ := strings.Cut(name, " ")
			w.person("N"+strconv.Itoa(i), first, last, "", "", nil)
		}
		type key struct {
			code, text string
			place      int
		}
		keys, err := store.Collect(w.ctx, w.store, func(r store.Scanner) (k key, err error) {
			return k, r.Scan(&k.code, &k.text, &k.place)
		}, "SELECT a.code, k.key, k.place FROM agency_agent_key k JOIN agency_agent a ON a.tenant_id = k.tenant_id AND a.id = k.agent_id WHERE k.tenant_id = $1 AND k.place <= 3", w.tenantID())
		w.must(keys, err)
		with := func(fits func(k key) bool) []string {
			found := map[string]bool{}
			for _, k := range keys {
				if fits(k) {
					found[k.code] = true
				}
			}
			return slices.Sorted(maps.Keys(found))
		}
		rapid.Check(t, func(t *rapid.T) {
			word := mistyped(t, rapid.SampledFrom([]string{"anthony", "king", "katherine", "smith", "johnson", "garcia", "anderson", "ortiz", "lopez", "williamson"}).Draw(t, "name"))
			if len(word) < 4 {
				return
			}
			want := with(func(k key) bool { return strings.HasPrefix(k.text, word) })
			if len(want) == 0 {
				want = with(func(k key) bool { return k.place == 1 && apart(word, k.text) == 1 })
			}
			if found := slices.Sorted(slices.Values(w.find(agency.AgentFilter{Query: &word}))); !slices.Equal(found, want) {
				t.Fatalf("%q finds %v, and should find %v", word, found, want)
			}
		})
		for query, want := range map[string]string{"Anthnoy King": "N0", "king anthny": "N0", "Jhon": "N5", "Ortz Ana": "A2", "Garcai": "A100 B7", "Nuñze": "B8"} {
			equal(t, query, strings.Join(w.find(agency.AgentFilter{Query: &query}), " "), want)
		}
		before := w.later()
		w.later()
		w.must(w.UpdateAgent(w.ctx, "N0", agency.AgentUpdate{Details: agency.Details{FirstName: patch.Set("Tobias"), LastName: patch.Set("Zorn")}, Initiator: "desk"}))
		then, err := w.AgentList(w.ctx, agency.AgentFilter{Query: new("Anthnoy")}, nil, history.AsOf{Day: agentToday, Known: history.KnownAt(before)})
		w.must(then, err)
		equal(t, "as it was known", lines(w, texts(then, "a.code"), text), []string{"N0"})
		equal(t, "as it is known", w.find(agency.AgentFilter{Query: new("Anthnoy")}), []string{})
		equal(t, "inside another filter", w.find(agency.AgentFilter{Not: &agency.AgentFilter{Query: new("Garcai")}, Query: new("garcia")}), []string{"A100", "B7"})
	})
}
