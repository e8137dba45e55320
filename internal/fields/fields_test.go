package fields_test

import (
	"reflect"
	"testing"

	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

type level struct {
	Value     patch.Field[int]    `name:"value" column:"value" as:"level" needed:"true" about:"the key"`
	Name      patch.Field[string] `name:"name" column:"display_name" search:"name_key" always:"true" default:"Level"`
	Note      patch.Field[string] `name:"note" column:"note"`
	IsEnabled patch.Field[bool]   `name:"isEnabled" column:"is_enabled" default:"true"`
	Rank      patch.Field[int]    `name:"rank" column:"rank" default:"7"`
	Initiator string
}

var levels = fields.Of[level]()

// A table has the fields that have a name, with what their tags say.
func TestOf(t *testing.T) {
	if got, want := levels.Columns(), []string{"value", "display_name", "note", "is_enabled", "rank"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if l := levels[0]; l.Name != "value" || l.As != "level" || l.About != "the key" || !l.Needed || !l.Always {
		t.Errorf("what is needed is always there: %+v", l)
	}
	if l := levels[1]; l.Search != "name_key" || l.Needed || !l.Always {
		t.Errorf("%+v", l)
	}
	if _, isFlag := levels[3].Holds.(*patch.Field[bool]); !isFlag {
		t.Errorf("%T", levels[3].Holds)
	}
}

// A record is scanned, changed by an update that names some of it, and stored.
func TestRecord(t *testing.T) {
	var stored level
	dest := levels.Dest(&stored)
	*dest[0].(**int), *dest[1].(**string), *dest[2].(**string), *dest[3].(**bool) = new(10), new("Ten"), new("old"), new(true)
	update := level{Value: patch.Set(10), Note: patch.Null[string](), IsEnabled: patch.Set(false)}
	if got, want := levels.Become(&stored, &update), []string{"note", "isEnabled"}; !reflect.DeepEqual(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
	if got, want := levels.Append(nil, &stored), []any{10, "Ten", nil, false, nil}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := levels.Given(&stored), []string{"value", "name", "isEnabled"}; !reflect.DeepEqual(got, want) {
		t.Errorf("given %q, want %q", got, want)
	}
	if again := levels.Become(&stored, &update); again != nil {
		t.Errorf("changed again: %q", again)
	}
	if levels.Become(&stored, levels.Cleared()); levels.Given(&stored) != nil {
		t.Errorf("cleared: %+v", stored)
	}
}

type account struct {
	Holder patch.Field[string] `name:"holder" column:"holder"`
	Place  place               `below:"place"`
	Number patch.Field[string] `name:"number" column:"number_sealed" sealed:"end"`
}

type place struct {
	City patch.Field[string] `name:"city" column:"city"`
}

// The fields of a property that is an object are lines of the table; what is sensitive
// is told from what is open.
func TestBelowAndSealed(t *testing.T) {
	accounts := fields.Of[account]()
	before, after := account{Holder: patch.Set("Ana")}, account{Holder: patch.Set("Ana"), Place: place{patch.Set("Rome")}, Number: patch.Set("1")}
	var paths, sealed []string
	for _, l := range accounts.Differ(&before, &after) {
		paths, sealed = append(paths, l.Path()), append(sealed, l.Sealed)
	}
	if !reflect.DeepEqual(paths, []string{"place.city", "number"}) || !reflect.DeepEqual(sealed, []string{"", "end"}) || before.Number.Sent {
		t.Errorf("%q differ, %q, and the record is %+v", paths, sealed, before)
	}
	if got := accounts.Given(&after); !reflect.DeepEqual(got, []string{"holder", "place.city", "number"}) {
		t.Errorf("given %q", got)
	}
	if open, sealed := accounts.Open().Columns(), accounts.Sealed().Columns(); !reflect.DeepEqual(open, []string{"holder", "city"}) || !reflect.DeepEqual(sealed, []string{"number_sealed"}) {
		t.Errorf("open %q, sealed %q", open, sealed)
	}
}

// What a whole record leaves out, it clears.
func TestWhole(t *testing.T) {
	stored := level{Value: patch.Set(1), Name: patch.Set("One"), Note: patch.Set("old")}
	next := level{Value: patch.Set(1), Name: patch.Set("One")}
	if levels.Become(&stored, &next) != nil {
		t.Errorf("a part: %+v", stored)
	}
	levels.Whole(&next)
	if got, want := levels.Become(&stored, &next), []string{"note"}; !reflect.DeepEqual(got, want) || stored.Note.Value != nil || *stored.Name.Value != "One" {
		t.Errorf("changed %q, want %q", got, want)
	}
}

// A default is for what a new record was not given; null is not given.
func TestComplete(t *testing.T) {
	in := level{Value: patch.Set(1), Name: patch.Null[string](), IsEnabled: patch.Set(false)}
	levels.Complete(&in)
	if got, want := levels.Append(nil, &in), []any{1, "Level", nil, false, 7}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
