package audit_test

import (
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
)

// shown is the entry of a page of agents, from one of a number on.
func shown(from int) audit.Entry {
	e := audit.Entry{EntityType: "Agent", Changes: []audit.Change{{Field: "governmentIdentifier"}}}
	for i := range 100 {
		e.EntityKeys = append(e.EntityKeys, fmt.Sprintf("A%d", 1000+from+i))
	}
	return e
}

// A page that is shown again costs its entry and not its keys once more; who was
// shown which field of which agent is still told, and held by the chain.
func TestPagesShareTheirKeys(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for range 30 {
			w.must(w.Reveal(w.ctx, shown(0)))
		}
		w.must(w.Reveal(w.ctx, shown(50)))
		w.must(w.Reveal(w.other, shown(0))) // of another tenant: with keys of its own
		if n := w.count("SELECT count(*) FROM audit_entry_key WHERE tenant_id = $1", id(w.ctx)); n != 200 {
			t.Errorf("%d keys are stored; want those of two pages", n)
		}
		if n := w.count("SELECT max(length(entity_keys) + length(changes) + length(operation)) FROM audit_entry WHERE tenant_id = $1 AND seq BETWEEN 2 AND 30", id(w.ctx)); n > 100 {
			t.Errorf("a page that was shown before has texts of %d characters", n)
		}
		w.whole(w.ctx, 31)
		w.whole(w.other, 1)
		for key, want := range map[string]int{"A1000": 30, "A1099": 31, "A1149": 1, "A1150": 0} {
			list, err := w.List(w.ctx, audit.Filter{EntityType: new("Agent"), EntityKey: &key})
			w.must(err)
			found, err := list.Page(w.ctx, page.Args{})
			w.must(err)
			for _, r := range found.Items {
				if len(r.EntityKeys) != 100 || r.Changes[0].Field != "governmentIdentifier" || r.Subject != "pat" {
					t.Errorf("%s: entry %d tells %+v", key, r.Seq, r)
				}
			}
			if len(found.Items) != want {
				t.Errorf("%s was shown %d times; want %d", key, len(found.Items), want)
			}
		}
	})
}

// Nobody changes whose keys an entry has.
func TestSharedKeysAreOfTheChain(t *testing.T) {
	for name, test := range map[string]struct {
		statement string
		brokenAt  int64
	}{
		"the keys of the page":    {"UPDATE audit_entry SET entity_keys = '[\"A1\"]' WHERE tenant_id = 1 AND seq = 1", 1},
		"another page":            {"UPDATE audit_entry SET keys_of = 3 WHERE tenant_id = 1 AND seq = 2", 2},
		"a page that is not here": {"UPDATE audit_entry SET keys_of = 99 WHERE tenant_id = 1 AND seq = 2", 2},
		"no page":                 {"UPDATE audit_entry SET keys_of = NULL WHERE tenant_id = 1 AND seq = 2", 2},
	} {
		t.Run(name, func(t *testing.T) {
			asOwner(t, func(t *testing.T, w *world) {
				for _, from := range []int{0, 0, 50, 0} {
					w.must(w.Reveal(w.ctx, shown(from)))
				}
				w.whole(w.ctx, 4)
				w.tamper(test.statement)
				if r := w.verifyLinked(w.ctx, audit.Head{}); r.BrokenAt != test.brokenAt {
					t.Errorf("%+v; want it broken at %d", r, test.brokenAt)
				}
			})
		})
	}
}
