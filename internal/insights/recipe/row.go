package recipe

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/money"
)

// outputType is how a column is read and written.
type outputType struct {
	FieldType
	// decimals is the number of decimals of a Decimal.
	decimals int
}

func (c Column) output(f *Field) outputType {
	t := outputType{c.typeOf(f), 2}
	if c.Aggregate == avgOf && f.Type == DecimalField {
		t.decimals = 4
	}
	return t
}

// scanRow reads a row as a JSON object, with the columns in their order.
func scanRow(keys []string, types []outputType) func(store.Scanner) (json.RawMessage, error) {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = strconv.Quote(key) + ":" // keys are letters and digits
	}
	return func(row store.Scanner) (json.RawMessage, error) {
		values, targets := make([]any, len(keys)), make([]any, len(keys))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := row.Scan(targets...); err != nil {
			return nil, err
		}
		b := []byte{'{'}
		for i, v := range values {
			if i > 0 {
				b = append(b, ',')
			}
			text, err := types[i].write(v)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", keys[i], err)
			}
			b = append(append(b, names[i]...), text...)
		}
		return append(b, '}'), nil
	}
}

// write writes a value of the database as JSON, like the scalars of GraphQL. A type that
// is not declared, as of expressions on SQLite, comes as the database keeps it.
func (t outputType) write(v any) ([]byte, error) {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	switch t.FieldType {
	case IntField:
		return t.writeInt(v)
	case DecimalField:
		number, ok := integer(v)
		if ok {
			return []byte(`"` + money.WriteDecimal(number, t.decimals) + `"`), nil
		}
	case BooleanField:
		switch b := v.(type) {
		case bool:
			return strconv.AppendBool(nil, b), nil
		case int64:
			return strconv.AppendBool(nil, b != 0), nil
		}
	case DateField:
		if v != nil {
			var d date.Date
			if err := d.Scan(v); err != nil {
				return nil, err
			}
			return []byte(`"` + d.String() + `"`), nil
		}
	case DateTimeField:
		if at, ok := instant(v); ok {
			return []byte(`"` + at.UTC().Format(time.RFC3339Nano) + `"`), nil
		}
	case StringField:
		if text, ok := v.(string); ok {
			return json.Marshal(text)
		}
	}
	if v == nil {
		return []byte("null"), nil
	}
	return nil, fmt.Errorf("a %s comes as %T", t.FieldType, v)
}

func (t outputType) writeInt(v any) ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	number, ok := integer(v)
	if !ok {
		return nil, fmt.Errorf("a %s comes as %T", t.FieldType, v)
	}
	return []byte(number.String()), nil
}

func integer(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case int16:
		return big.NewInt(int64(v)), true
	case int32:
		return big.NewInt(int64(v)), true
	case int64:
		return big.NewInt(v), true
	case string:
		return new(big.Int).SetString(v, 10)
	}
	return nil, false
}

// sqliteTime is how the driver of SQLite writes instants.
const sqliteTime = "2006-01-02 15:04:05.999999999-07:00"

func instant(v any) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return v, true
	case string:
		at, err := time.Parse(sqliteTime, v)
		return at, err == nil
	}
	return time.Time{}, false
}
