package doors_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// changeSet selects all of a preview.
const changeSet = `{ before { ...P } after { ...P } operations { kind existing { ...P } results { ...P } } warnings { code message } }`

// previewedOf selects what a dry run and its write both answer, by mutation; the
// others answer changes.
var previewedOf = map[string]string{
	"reorgApply": "changes: moves { agent { agentCode } fromUpline { agentCode } toUpline { agentCode } subtreeSize upline " + changeSet + " level " + changeSet + " }",
}

// "200 with { applied: false, changes }": what a dry run answers, over either
// door, is what the write then does; and the dry run changes no row of any table.
func TestDryRunTellsWhatTheWriteDoes(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 12)
		caller := w.WithToken(apptest.Acme, w.As(apptest.Acme).Token(t)) // new tokens would be new rows
		a := &trail{Caller: caller}
		certification := anyCertification(t, caller)
		dice := rand.New(rand.NewPCG(5, 8))
		applied := map[string]int{}
		for i := range 10 * len(randomWrites) {
			write := randomWrites[i%len(randomWrites)](&chance{dice, certification})
			if a.compareWithWrite(t, w, write) {
				applied[write.mutation]++
			}
		}
		if len(applied) != len(randomWrites) {
			t.Errorf("of too few kinds was one applied: %v", applied)
		}
		for mutation, n := range applied {
			if n < 3 {
				t.Errorf("%s was applied only %d times", mutation, n)
			}
		}
	})
}

// compareWithWrite previews a write over both doors, makes it, and reports
// whether it was not refused.
func (a *trail) compareWithWrite(t *testing.T, w *apptest.World, write audited) bool {
	t.Helper()
	before := tables(t, w)
	var overREST string
	refusedByREST := false
	if write.path != "" {
		refusedByREST, overREST = a.previewREST(t, write)
	}
	preview, refusedByGraphQL := a.changes(t, write, true)
	for table, rows := range tables(t, w) {
		if !slices.Equal(rows, before[table]) {
			t.Errorf("%s %v: the dry run changed %s:\n%s", write.mutation, write.arguments, table, strings.Join(rows, "\n"))
		}
	}
	done, refused := a.changes(t, write, false)
	if refusedByGraphQL != refused || write.path != "" && refusedByREST != refused {
		t.Fatalf("%s %v: refused %v; the dry runs %v over GraphQL, %v %s over REST", write.mutation, write.arguments, refused, refusedByGraphQL, refusedByREST, overREST)
	}
	if refused {
		return false
	}
	if !reflect.DeepEqual(preview, done) {
		t.Errorf("%s %v:\n%v\nwas previewed, and this written:\n%v", write.mutation, write.arguments, preview, done)
	}
	if write.path == "" {
		return true
	}
	if got, want := decoded(t, []byte(overREST)), any(object{"applied": false, "changes": respelled(done)}); !reflect.DeepEqual(got, want) {
		t.Errorf("%s %v:\n%v\nwas previewed over REST, and this written:\n%v", write.mutation, write.arguments, got, want)
	}
	return true
}

func (a *trail) changes(t *testing.T, write audited, dryRun bool) (changes any, refused bool) {
	t.Helper()
	selected := previewedOf[write.mutation]
	if selected == "" {
		selected = "changes " + changeSet
	}
	data := a.mutate(t, write, write.arguments, dryRun, selected)
	return apptest.At(data, "m.changes"), len(apptest.At(data, "m.userErrors").([]any)) > 0
}

func (a *trail) previewREST(t *testing.T, write audited) (refused bool, answer string) {
	t.Helper()
	refused, answer = a.sendREST(t, write, write.arguments, true)
	if !refused {
		answer = answer[len("200 "):]
	}
	return refused, answer
}

// respelled writes the enum values of a preview as REST does.
func respelled(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = respelled(element)
		}
		return list
	case object:
		made := object{}
		for name, value := range v {
			made[name] = respelled(value)
			if text, ok := value.(string); ok && (name == "kind" || name == "value" && enumValue(text)) {
				made[name] = enumAsREST(text)
			}
		}
		return made
	}
	return v
}

// enumValue reports whether the value of a period is one of an enum: certification
// statuses are, levels and agent codes are not.
func enumValue(text string) bool {
	return text == "ACTIVE" || text == "SUSPENDED" || text == "EXPIRED" || text == "HELD"
}

func decoded(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}
