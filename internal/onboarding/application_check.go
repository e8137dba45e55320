package onboarding

import (
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/problem"
)

// Lengths, in characters, that other files need too.
const (
	maxNotes   = 2048 // "background.notes: max 2048 characters" (Limits)
	maxProduct = 100
)

// textRule checks and normalises a text; it returns nil for a blank one.
type textRule func(c *formCheck, s *string, field ...string) *string

// textRules say what the texts of a form may be. Limits of the specification are quoted.
// The others keep a mistake from filling the database; where an application becomes part
// of an agent, they are those of agents.
var textRules = map[string]textRule{
	"agentCode":         upTo(check.MaxAgentCode, nil),
	"name":              upTo(100, nil),
	"text":              upTo(255, nil),
	"email":             email,
	"identifier":        upTo(check.MaxIdentifier, identifier),
	"gender":            oneOf(Genders),
	"maritalStatus":     oneOf(MaritalStatuses),
	"jurisdiction":      upTo(255, jurisdiction), // "must match the pattern XX-XX" (Application)
	"countryCode":       upTo(4, nil),
	"areaCode":          upTo(10, nil),
	"phoneNumber":       upTo(20, nil),
	"w9Classification":  oneOf(W9Classifications),
	"llcClassification": oneOf(LLCClassifications),
	"exemptPayee":       upTo(10, nil),
	"signature":         upTo(100, nil),
	"notes":             upTo(maxNotes, nil),
	"answer":            upTo(2000, nil),
	"leaving":           upTo(1000, nil),
	"contentID":         upTo(100, nil),
	"product":           upTo(maxProduct, nil),
	"ip":                upTo(255, ip),
}

// upTo is a text of limited length, without the blanks around it.
func upTo(limit int, looks textRule) textRule {
	return func(c *formCheck, s *string, field ...string) *string {
		s = c.Optional(s, limit, field...)
		if s != nil && looks != nil {
			return looks(c, s, field...)
		}
		return s
	}
}

func oneOf[T ~string](of enum.Set[T]) textRule {
	return func(c *formCheck, s *string, field ...string) *string {
		if s != nil {
			check.One(c, of, *s, field...)
		}
		return s
	}
}

// email: "emailAddress (application): max 100 characters" (Limits).
func email(c *formCheck, s *string, field ...string) *string { return c.Email(s, 100, field...) }

// identifier is an SSN, SIN or EIN. Masks are handled by unmasked.
func identifier(c *formCheck, s *string, field ...string) *string {
	if check.IsMask(*s) {
		return s
	}
	return c.Identifier(s, field...)
}

func jurisdiction(c *formCheck, s *string, field ...string) *string {
	c.Jurisdiction(*s, field...)
	return s
}

func ip(c *formCheck, s *string, field ...string) *string {
	if _, err := netip.ParseAddr(*s); err != nil {
		c.Refuse(problem.InvalidFormat, "must be an IP address", field...)
	}
	return s
}

// formCheck collects the problems of a form, so that "the validation errors name the
// fields" (Agent Onboarding), all of them at once. It also removes the blanks around
// texts; a blank text, or a section without content, counts as not given.
type formCheck struct{ check.Problems }

// check checks "format rules (maximum lengths, jurisdiction pattern)", which "are always
// checked" (Agent Onboarding), and normalises the form. Fields that the recruit has not
// filled in yet may be missing; validate checks whether the form is complete.
func (f *Form) check() error {
	var c formCheck
	c.section(reflect.ValueOf(f).Elem())
	return c.Err()
}

// section checks the fields of a form, or of a section of it, by their tags.
func (c *formCheck) section(of reflect.Value, path ...string) {
	for i := range of.NumField() {
		field := of.Type().Field(i)
		at := under(path, nameOf(field))
		c.field(of.Field(i), field.Tag, at...)
		if first, isEnd := of.Type().FieldByName(field.Tag.Get("after")); isEnd {
			c.InOrder(of.FieldByIndex(first.Index).Interface().(*date.Date), of.Field(i).Interface().(*date.Date), nameOf(first), at...)
		}
	}
}

// field checks a field. An optional text is a pointer.
func (c *formCheck) field(v reflect.Value, tag reflect.StructTag, path ...string) {
	switch p := v.Addr().Interface().(type) {
	case *string:
		given := textRules[tag.Get("as")](c, p, path...)
		if *p = ""; given == nil {
			c.Refuse(problem.Required, "is required", path...)
		} else {
			*p = *given
		}
	case **string:
		*p = textRules[tag.Get("as")](c, *p, path...)
	case **date.Date:
		switch tag.Get("as") {
		case "birthDate":
			c.Day(*p, lastBirth, path...)
		case "end":
			c.End(*p, path...)
		default:
			c.Day(*p, check.LastDay, path...)
		}
	case *date.Date:
		c.Day(p, check.LastDay, path...)
	default:
		switch {
		case v.Kind() == reflect.Slice:
			c.list(v, tag, path...)
		case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct && !v.IsNil():
			if c.section(v.Elem(), path...); v.Elem().IsZero() {
				v.SetZero()
			}
		}
	}
}

// list checks a list; an empty one becomes nil. The elements of a list that is too long
// are not checked.
func (c *formCheck) list(v reflect.Value, tag reflect.StructTag, path ...string) {
	number, things, _ := strings.Cut(tag.Get("most"), " ")
	most, err := strconv.Atoi(number)
	if err != nil {
		panic("onboarding: " + path[len(path)-1] + " does not say how many items it may have")
	}
	if !c.AtMost(v.Len(), most, things, path...) || v.Len() == 0 {
		v.SetZero()
		return
	}
	answered := map[string]bool{}
	for i := range v.Len() {
		item, at := v.Index(i), under(path, strconv.Itoa(i))
		if item.Kind() != reflect.Struct {
			c.field(item, tag, at...)
			continue
		}
		c.section(item, at...)
		if r, ok := item.Addr().Interface().(*Response); ok {
			c.answeredOnce(r, answered, under(at, "contentItemVersionId")...)
		}
	}
}

// answeredOnce refuses a second answer to the same version: "Responses are matched by
// contentItemVersionId" (Application).
func (c *formCheck) answeredOnce(r *Response, answered map[string]bool, field ...string) {
	key := strings.ToLower(r.ContentItemVersionID)
	if answered[key] {
		c.Refuse(problem.DuplicateKey, "The version is answered twice", field...)
	}
	answered[key] = true
}

// "birthDate: YYYY-MM-DD, year between 1900 and 2100" (Application).
var lastBirth = date.Of(2100, time.December, 31)
