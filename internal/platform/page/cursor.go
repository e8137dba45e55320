package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// cursorVersion changes when the meaning of cursors does, so that old ones are refused
// and not misread.
const cursorVersion = 1

// signature is what a cursor and a list must have in common: the tenant, the list, its
// sort.
func (l List) signature() string {
	var b strings.Builder
	b.WriteString(strconv.FormatInt(l.TenantID, 10) + "/" + l.Name)
	for _, k := range l.Keys {
		b.WriteString("," + k.Name)
		if k.Desc {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// write returns the cursor of a position.
func (l List) write(place []any) string {
	values := []any{cursorVersion, l.signature()}
	for _, v := range place {
		switch v := v.(type) {
		case time.Time:
			values = append(values, v.UTC().Format(time.RFC3339Nano))
		case date.Date:
			values = append(values, v.String())
		default:
			values = append(values, v)
		}
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		panic(err) // texts and integers can always be encoded
	}
	return base64.RawURLEncoding.EncodeToString(encoded)
}

// read returns the position of a cursor, nil for none.
func (l List) read(field string, cursor *string) ([]any, error) {
	if cursor == nil {
		return nil, nil
	}
	place, err := l.decode(*cursor)
	if err != nil {
		return nil, problem.Invalid(problem.InvalidCursor, "The cursor was not made by this list in this order", field)
	}
	return place, nil
}

var errCursor = errors.New("not a cursor of this list")

func (l List) decode(cursor string) ([]any, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, err
	}
	var values []any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&values); err != nil {
		return nil, err
	}
	if len(values) != 2+len(l.Keys) || values[0] != json.Number(strconv.Itoa(cursorVersion)) || values[1] != l.signature() {
		return nil, errCursor
	}
	place := make([]any, len(l.Keys))
	for i, k := range l.Keys {
		if place[i], err = k.Kind.decode(values[2+i]); err != nil {
			return nil, err
		}
	}
	return place, nil
}

func (k Kind) decode(v any) (any, error) {
	if n, ok := v.(json.Number); ok && k == Int {
		return n.Int64()
	}
	s, ok := v.(string)
	if !ok {
		return nil, errCursor
	}
	switch k {
	case Text:
		if !text.Fit(s) {
			return nil, errCursor
		}
		return s, nil
	case UUID:
		if len(s) != 36 { // no database has the other forms that Validate accepts
			return nil, errCursor
		}
		return s, uuid.Validate(s)
	case Time:
		return date.ParseInstant(s)
	case Day:
		return date.Parse(s)
	}
	return nil, errCursor
}
