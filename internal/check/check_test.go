package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// What each kind of text refuses, by the code of the problem; "" takes it. Every
// area takes and refuses the same, since each uses these.
func TestTexts(t *testing.T) {
	const (
		none     = problem.Code("")
		required = problem.Required
		form     = problem.InvalidFormat
		long     = problem.TooLong
	)
	kinds := []string{"several lines", "one line", "name", "segment of a path", "e-mail address"}
	for text, want := range map[string][]problem.Code{
		"Ana":               {none, none, none, none, form},
		" Ana\t\n":          {none, none, none, none, form},
		"":                  {required, required, required, required, none},
		"\u200b \n":         {required, required, required, required, none},
		"two\nlines":        {none, form, form, form, form},
		"a\ttab":            {none, form, form, form, form},
		"a\x07bell":         {form, form, form, form, form},
		"a\xff":             {form, form, form, form, form},
		"Whole\u00a0Life":   {none, none, form, form, form},
		"zero\u200bwidth":   {none, none, form, form, form},
		"a/b":               {none, none, none, form, form},
		"a,b":               {none, none, none, form, form},
		"..":                {none, none, none, form, form},
		" ana@acme.example": {none, none, none, none, none},
		"a\u200bb@c.d":      {none, none, form, form, form},
		"a b@c.d":           {none, none, none, none, form},
		"a@b@c":             {none, none, none, none, form},
		"éééééééééééééééé":  {none, none, none, none, form},
		"ééééééééééééééééé": {long, long, long, long, long},
	} {
		for i, check := range []func(*check.Problems){
			func(c *check.Problems) { c.Required(text, 16, "f") },
			func(c *check.Problems) { c.RequiredLine(text, 16, "f") },
			func(c *check.Problems) { c.Name(text, 16, "f") },
			func(c *check.Problems) { c.PathName(text, 16, "f") },
			func(c *check.Problems) { c.Email(&text, 16, "f") },
		} {
			if got := codes(check); !slices.Equal(got, refusal(want[i])) {
				t.Errorf("%s of %q: %q; want %q", kinds[i], text, got, want[i])
			}
		}
	}
}

func refusal(code problem.Code) []string {
	if code == "" {
		return nil
	}
	return []string{string(code) + " f"}
}

func codes(f func(*check.Problems)) (all []string) {
	var c check.Problems
	f(&c)
	for _, p := range c.List {
		all = append(all, string(p.Code)+" "+strings.Join(p.Field, "."))
	}
	return all
}

// What may be missing is nil when nothing of it is left, however it is sent.
func TestBlankIsMissing(t *testing.T) {
	var c check.Problems
	cleared := patch.Set(" \u200b")
	c.Clearable(&cleared, 10, "f")
	if s := c.Optional(new(" \t"), 10, "f"); s != nil || !cleared.IsNull() || check.Trimmed(new("\ufeff")) != nil || len(c.List) > 0 {
		t.Errorf("%v, %+v, %v", s, cleared, c.List)
	}
	kept := patch.Set(" \u200b")
	c.Kept(&kept, 10, "blank")
	null := patch.Null[string]()
	c.Kept(&null, 10, "null")
	if got := codes(func(all *check.Problems) { all.Add(c.List...) }); !slices.Equal(got, []string{"REQUIRED blank", "NULL_NOT_ALLOWED null"}) {
		t.Errorf("what cannot be cleared: %q", got)
	}
	omitted := patch.Field[string]{}
	if c.Kept(&omitted, 10, "f"); omitted.Sent {
		t.Error("what was omitted is sent")
	}
}

func TestForms(t *testing.T) {
	for name, f := range map[string]struct {
		check func(c *check.Problems, s string)
		good  []string
		bad   []string
	}{
		"code":         {func(c *check.Problems, s string) { c.Code(s, "f") }, []string{"A1", "a.b-c_d"}, []string{"", "-a", "a/b", "é", "a b"}},
		"jurisdiction": {func(c *check.Problems, s string) { c.Jurisdiction(s, "f") }, []string{"US-TX", "CA-0N"}, []string{"", "us-tx", "US-TEX", "US"}},
		"identifier":   {func(c *check.Problems, s string) { c.Identifier(&s, "f") }, []string{"123-45-6789", "１２３４"}, []string{"1-2-3", "äöü", "----"}},
		"line":         {func(c *check.Problems, s string) { c.Line(s, 3, "f") }, []string{"", "abc"}, []string{"abcd", "a\nb"}},
		"initiator":    {func(c *check.Problems, s string) { c.Initiator(s) }, []string{" jo ", strings.Repeat("é", check.MaxInitiator)}, []string{"", "jo\nann", strings.Repeat("é", check.MaxInitiator+1)}},
	} {
		for _, s := range f.good {
			if got := codes(func(c *check.Problems) { f.check(c, s) }); got != nil {
				t.Errorf("%s %q: %q", name, s, got)
			}
		}
		for _, s := range f.bad {
			if got := codes(func(c *check.Problems) { f.check(c, s) }); len(got) != 1 {
				t.Errorf("%s %q: %q", name, s, got)
			}
		}
	}
	var c check.Problems
	if got := c.Identifier(new("１２３４"), "f"); *got != "1234" {
		t.Errorf("narrow: %q", *got)
	}
}

func TestListsAndPeriods(t *testing.T) {
	var c check.Problems
	if !c.AtMost(2, 2, "things", "a") || c.AtMost(3, 2, "things", "b") {
		t.Error("the limit")
	}
	first, second := date.Of(2026, 1, 1), date.Of(2026, 1, 2)
	c.InOrder(&first, &second, "from", "c")
	c.InOrder(&second, nil, "from", "d")
	c.InOrder(&second, &first, "from", "e")
	if got := c.Error(); got != "OUT_OF_RANGE b: must not hold more than 2 things; PERIOD_ENDS_BEFORE_START e: must not be before from" {
		t.Error(got)
	}
}
