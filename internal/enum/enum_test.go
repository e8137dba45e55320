package enum_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/problem"
)

type status string

var statuses = enum.Of[status]("ACTIVE", "ADMINISTRATIVE_SUSPENSION", "LLC_C")

// Only a value is one: a text in another case, with blanks or in the spelling of
// REST is refused with the name of the field and the values, and not repeated.
func TestParse(t *testing.T) {
	for _, v := range statuses.Texts() {
		if got, err := statuses.Parse(v, "status"); err != nil || got != status(v) {
			t.Errorf("%s: %q, %v", v, got, err)
		}
	}
	for _, text := range []string{"", "Active", "active", " ACTIVE", "LlcC", "ＡＣＴＩＶＥ", "LLC"} {
		got, err := statuses.Parse(text, "w9", "status")
		refused := problem.From(err)
		if len(refused) != 1 || got != "" {
			t.Fatalf("%q: %q, %v", text, got, err)
		}
		p := refused[0]
		if p.Code != problem.InvalidFormat || !slices.Equal(p.Field, []string{"w9", "status"}) || p.Message != "must be one of ACTIVE, ADMINISTRATIVE_SUSPENSION, LLC_C" {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

// Files write values in any way that has their letters.
func TestWritten(t *testing.T) {
	for text, want := range map[string]string{"Active": "ACTIVE", "AdministrativeSuspension": "ADMINISTRATIVE_SUSPENSION",
		"administrative suspension": "ADMINISTRATIVE_SUSPENSION", "LlcC": "LLC_C", "llc-c": "LLC_C", "LLC": "LLC", "": "", "!": "!"} {
		if got := statuses.Written(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The spelling of REST leads back to the value.
func TestSpelled(t *testing.T) {
	if got := enum.Spelled("ADMINISTRATIVE_SUSPENSION"); got != "AdministrativeSuspension" {
		t.Error(got)
	}
	for _, v := range statuses.Texts() {
		if spelled := enum.Spelled(v); statuses.Written(spelled) != v || strings.Contains(spelled, "_") {
			t.Errorf("%s is spelled %s", v, spelled)
		}
	}
}
