// Package value has the values of tables, whatever the tables are about: the types, how a
// value is read from JSON, from a text and from a database, and in which order values
// come. A value is a string, an int64, a money.Amount, a *money.Sum, a date.Date, a
// time.Time, a bool, or nil for none. All of them write themselves as JSON in the way of
// GraphQL's scalars.
package value

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/text"
)

// Type is the type of the values of a column, a parameter or a field.
type Type string

// The types, by the names that clients see.
const (
	Text     Type = "text"
	Integer  Type = "integer"
	Decimal  Type = "decimal" // a text such as 1234.50, so that no digit is lost
	Date     Type = "date"
	DateTime Type = "dateTime"
	Boolean  Type = "boolean"
)

// Types are all of them.
var Types = []Type{Text, Integer, Decimal, Date, DateTime, Boolean}

// forms say how values are written in JSON.
var forms = map[Type]string{
	Text: text.ErrUnfit.Error(), Integer: "must be an integer", Decimal: money.ErrFormat.Error(), Date: date.ErrFormat.Error(),
	DateTime: "must be an instant in the form of RFC 3339, such as 2026-01-31T12:00:00Z", Boolean: "must be true or false",
}

// Form says how a value is written in JSON; it continues the name of what has the value.
func (t Type) Form() string { return forms[t] }

// FromText returns the JSON value that a text of a URL stands for. A text that stands for
// no value of the type stays as it is, so that Read refuses it.
func (t Type) FromText(given string) any {
	switch {
	case t == Integer:
		return json.Number(given)
	case t == Boolean && (given == "true" || given == "false"):
		return given == "true"
	}
	return given
}

// Read reads a JSON value, whose numbers are json.Number; ok is false if it is none of
// the type.
func (t Type) Read(v any) (read any, ok bool) {
	given, isText := v.(string)
	number, isNumber := v.(json.Number)
	if t == Decimal && isNumber {
		given, isText = number.String(), true
	}
	switch {
	case t == Integer:
		n, err := strconv.ParseInt(number.String(), 10, 64)
		return n, isNumber && err == nil && n <= math.MaxInt32 && n >= math.MinInt32
	case t == Boolean:
		read, ok = v.(bool)
		return read, ok
	case !isText:
		return nil, false
	case t == Text:
		return given, text.Fit(given)
	}
	read, err := t.parse(given, time.RFC3339)
	return read, err == nil
}

// parse reads a decimal number, a date or an instant; layout is that of the instant.
func (t Type) parse(given, layout string) (any, error) {
	switch t {
	case Decimal:
		return money.Parse(given)
	case Date:
		return date.Parse(given)
	}
	at, err := time.Parse(layout, given)
	if err != nil {
		return nil, err
	}
	return date.Instant(at)
}

// sqliteTime is how the driver of SQLite writes instants.
const sqliteTime = "2006-01-02 15:04:05.999999999-07:00"

// Stored reads what a database returns. What SQLite computes has no type and comes as it
// is kept; a sum comes as a text, since no integer may hold it.
func (t Type) Stored(v any) (any, error) {
	switch stored := v.(type) {
	case nil:
		return nil, nil
	case []byte:
		return t.Stored(string(stored))
	case int16:
		return t.Stored(int64(stored))
	case int32:
		return t.Stored(int64(stored))
	case int64:
		switch t {
		case Integer:
			return stored, nil
		case Decimal:
			return money.Amount(stored), nil
		case Boolean:
			return stored != 0, nil
		}
	case bool:
		if t == Boolean {
			return stored, nil
		}
	case time.Time:
		if t == DateTime {
			return stored.UTC(), nil
		}
		if t == Date {
			return date.In(stored, time.UTC), nil
		}
	case string:
		switch t {
		case Text:
			return stored, nil
		case Integer:
			return json.Number(stored), nil
		case Decimal:
			return money.ReadSum(stored)
		case Date, DateTime:
			return t.parse(stored, sqliteTime)
		}
	}
	return nil, fmt.Errorf("value: a %s comes as %T", t, v)
}

// Compare is negative, 0 or positive as a value comes before another of its type, with
// it, or after it. False comes before true, as in the databases.
func Compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case *money.Sum:
		return a.Compare(b.(*money.Sum))
	case money.Amount:
		return cmp.Compare(a, b.(money.Amount))
	case date.Date:
		return cmp.Compare(a, b.(date.Date))
	case bool:
		return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b.(bool)))
	}
	return strings.Compare(a.(string), b.(string))
}
