// Package scalar reads and writes the GraphQL scalars of the schema.
package scalar

import (
	"encoding/json"
	"io"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// Values are the types of values by scalar; those of other scalars are texts.
var Values = map[string]value.Type{
	"Int": value.Integer, "Long": value.Integer, "Decimal": value.Decimal, "Boolean": value.Boolean, "Date": value.Date, "DateTime": value.DateTime,
}

// MarshalDate writes YYYY-MM-DD.
func MarshalDate(d date.Date) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { io.WriteString(w, `"`+d.String()+`"`) })
}

// UnmarshalDate reads YYYY-MM-DD. Null comes here only where an update may name a day that
// cannot be cleared: whoever takes the update refuses it.
func UnmarshalDate(v any) (date.Date, error) {
	if v == nil {
		return 0, nil
	}
	s, _ := v.(string)
	d, err := date.Parse(s)
	if err != nil {
		return 0, problem.Invalid(problem.InvalidFormat, date.ErrFormat.Error())
	}
	return d, nil
}

// MarshalDateTime writes RFC 3339 in UTC.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		io.WriteString(w, `"`+t.UTC().Format(time.RFC3339Nano)+`"`)
	})
}

// UnmarshalDateTime reads RFC 3339 with any offset, as date.ParseInstant does.
func UnmarshalDateTime(v any) (time.Time, error) {
	s, _ := v.(string)
	t, err := date.ParseInstant(s)
	if err != nil {
		return t, problem.Invalid(problem.InvalidFormat, err.Error())
	}
	return t, nil
}

// MarshalDecimal writes a decimal number as a text.
func MarshalDecimal(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalDecimal reads a text. A JSON number could have lost digits on the way.
func UnmarshalDecimal(v any) (string, error) {
	if _, ok := v.(string); !ok {
		return "", problem.Invalid(problem.InvalidFormat, `must be a decimal number in quotes, such as "49.90"`)
	}
	return graphql.UnmarshalString(v)
}

// MarshalRaw writes JSON that is already encoded, byte for byte.
func MarshalRaw(raw json.RawMessage) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { w.Write(raw) })
}

// UnmarshalRaw reads any JSON.
func UnmarshalRaw(v any) (json.RawMessage, error) { return json.Marshal(v) }

// MarshalObject writes a JSON object.
func MarshalObject(object map[string]any) graphql.Marshaler { return graphql.MarshalMap(object) }

// UnmarshalObject reads a JSON object.
func UnmarshalObject(v any) (map[string]any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, problem.Invalid(problem.InvalidFormat, "must be an object")
	}
	return object, nil
}

// MarshalUpload writes nothing: files are never part of an answer.
func MarshalUpload(graphql.Upload) graphql.Marshaler { return graphql.Null }

// UnmarshalUpload reads the file of a multipart request.
func UnmarshalUpload(v any) (graphql.Upload, error) {
	file, ok := v.(graphql.Upload)
	if !ok {
		return file, problem.Invalid(problem.InvalidFormat, "must be a file of a multipart request")
	}
	return file, nil
}
