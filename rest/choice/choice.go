// Package choice reads which properties of a record a request asks for, and keeps what is
// made for each such choice.
package choice

import (
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
	"github.com/uplinehq/upline/rest/input"
)

// Parameter is the query parameter with the names of properties.
const Parameter = "fields"

// Read returns the properties that the values of the parameter name, in the order of the
// record.
func Read(given, properties []string) (chosen []string, found problem.List) {
	named := map[string]bool{}
	refuse := func(code problem.Code, message string) {
		found.Add(problem.Invalid(code, message, Parameter))
	}
	for name := range strings.SplitSeq(strings.Join(given, ","), ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			refuse(problem.InvalidFormat, "must not have an empty name")
		case !slices.Contains(properties, name):
			refuse(problem.UnknownField, unknown(name, properties))
		case named[name]:
			refuse(problem.InvalidFormat, "names "+name+" more than once")
		}
		named[name] = true
	}
	for _, property := range properties {
		if named[property] {
			chosen = append(chosen, property)
		}
	}
	return chosen, found
}

func unknown(name string, properties []string) string {
	if whole, _, isPart := strings.Cut(name, "."); isPart && slices.Contains(properties, whole) {
		return "names a part of " + whole + ", and properties are chosen whole: did you mean " + whole + "?"
	}
	instead := "it has " + strings.Join(properties, ", ")
	if nearest := text.Nearest(name, properties); nearest != "" {
		instead = "did you mean " + nearest + "?"
	}
	shown := input.NameOrNot(name)
	if shown == input.NotShown {
		shown = "something"
	}
	return "names " + shown + ", which is no property of the record; " + instead
}

// most is how many choices are kept, of all clients and paths; one takes some 50 KiB.
const most = 256

// Kept has what was made for the choices that were asked for last.
type Kept[T any] struct{ made *lru.Cache[string, T] }

// NewKept returns an empty one.
func NewKept[T any]() Kept[T] {
	made, err := lru.New[string, T](most)
	if err != nil {
		panic(err) // only for a size below one
	}
	return Kept[T]{made}
}

// Of returns what is kept for a choice from the record of an operation, or else makes it.
func (k Kept[T]) Of(operation string, chosen []string, makes func() (T, error)) (T, error) {
	key := operation + " " + strings.Join(chosen, ",")
	if kept, ok := k.made.Get(key); ok {
		return kept, nil
	}
	made, err := makes()
	if err == nil {
		k.made.Add(key, made)
	}
	return made, err
}
