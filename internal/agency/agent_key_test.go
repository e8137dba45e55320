package agency

import (
	"reflect"
	"slices"
	"testing"
)

// A search as known at an instant looks anew at agents of whom a column of keyColumns changed: those are
// just the columns that a key comes from.
func TestKeysComeFromKeyColumns(t *testing.T) {
	without, some := keysOfAgent("A1", new(Details)), 0
	for _, l := range AgentDetails {
		value, with := "zork", new(Details)
		if l.Parse(with, &value) != nil {
			continue // a day or a flag, which no key is made of
		}
		some++
		if gives := !reflect.DeepEqual(keysOfAgent("A1", with), without); gives != slices.Contains(keyColumns, l.Column) {
			t.Errorf("%s gives keys: %t", l.Column, gives)
		}
	}
	if some < len(keyColumns) {
		t.Errorf("only %d columns take a text", some)
	}
}
