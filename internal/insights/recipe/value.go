package recipe

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/money"
	"github.com/uplinehq/upline/internal/words/text"
)

// forms say how the values of a type are written.
var forms = map[FieldType]string{
	StringField:   "must be a text of at most 1000 characters",
	IntField:      "must be an integer",
	DecimalField:  money.ErrFormat.Error(),
	DateField:     date.ErrFormat.Error(),
	DateTimeField: "must be an instant in the form of RFC 3339, such as 2026-01-31T12:00:00Z",
	BooleanField:  "must be true or false",
}

// read converts a JSON value to a value of the type: a string, an int64, hundredths in an
// int64, a date.Date, a time.Time or a bool. ok is false for any other value.
func (t FieldType) read(v any) (value any, ok bool) {
	given, isText := v.(string)
	if number, isNumber := v.(json.Number); isNumber && (t == IntField || t == DecimalField) {
		given, isText = number.String(), t == DecimalField
	}
	switch t {
	case IntField:
		number, isNumber := v.(json.Number)
		n, err := strconv.ParseInt(number.String(), 10, 64)
		return n, isNumber && err == nil && n <= math.MaxInt32 && n >= math.MinInt32
	case BooleanField:
		value, ok = v.(bool)
		return value, ok
	}
	if !isText {
		return nil, false
	}
	switch t {
	case StringField:
		return given, text.Fit(given) && utf8.RuneCountInString(given) <= maxTextValue
	case DecimalField:
		amount, err := money.Parse(given)
		return int64(amount), err == nil
	case DateField:
		d, err := date.Parse(given)
		return d, err == nil
	case DateTimeField:
		at, err := date.ParseInstant(given)
		return at, err == nil
	}
	return nil, false
}

// fits is read for a value of a field, which may have only a few values.
func (f *Field) fits(v any) (value any, ok bool) {
	if value, ok = f.Type.read(v); !ok || f.Values == nil {
		return value, ok
	}
	return value, slices.Contains(f.Values, value.(string))
}

// form says how the values of a field are written.
func (f *Field) form() string {
	if f.Values != nil {
		return "must be one of " + strings.Join(f.Values, ", ")
	}
	return forms[f.Type]
}

// foldASCII turns ASCII capitals into small letters, like lower() of both databases: no
// other folding is the same in both.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
