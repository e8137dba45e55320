package choice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/rest/choice"
)

var properties = []string{"agentCode", "firstName", "email"}

// Properties come in the order of the record; what is wrong with a name is said with it,
// unless the text could be a value.
func TestRead(t *testing.T) {
	for given, want := range map[string]string{
		"email,agentCode":     "agentCode,email",
		" firstName ;email":   "firstName,email",
		"":                    "must not have an empty name",
		"email,":              "must not have an empty name",
		"email;email":         "names email more than once",
		"firstname":           "names firstname, which is no property of the record; did you mean firstName?",
		"shoeSize":            "names shoeSize, which is no property of the record; it has agentCode, firstName, email",
		"523-45-6781":         "names something, which is no property of the record; it has agentCode, firstName, email",
		"shoeSize,shoeSize,,": "names shoeSize, which is no property of the record; it has agentCode, firstName, email|names shoeSize, which is no property of the record; it has agentCode, firstName, email|must not have an empty name|must not have an empty name",
	} {
		chosen, found := choice.Read(strings.Split(given, ";"), properties)
		got := strings.Join(chosen, ",")
		if len(found) > 0 {
			var texts []string
			for _, p := range found {
				if !slices.Equal(p.Field, []string{"fields"}) {
					t.Errorf("%q: the problem names %v", given, p.Field)
				}
				texts = append(texts, strings.TrimPrefix(p.Message, "fields "))
			}
			got = strings.Join(texts, "|")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// What is made for a choice is made once, for each operation; the choices that were not
// asked for lately go.
func TestKept(t *testing.T) {
	kept, made := choice.NewKept[string](), 0
	of := func(operation string, chosen ...string) string {
		value, err := kept.Of(operation, chosen, func() (string, error) {
			made++
			return fmt.Sprint(operation, chosen), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for range 2 {
		if got := of("a", "x", "y") + of("b", "x", "y") + of("a", "x"); got != "a[x y]b[x y]a[x]" {
			t.Errorf("%s", got)
		}
	}
	if made != 3 {
		t.Errorf("three choices were made %d times", made)
	}
	for n := range 1000 {
		of("a", fmt.Sprint(n))
	}
	if made = 0; of("b", "x", "y") == "" || made != 1 {
		t.Error("a choice of long ago is kept")
	}
}
