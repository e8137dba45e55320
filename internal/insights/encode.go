package insights

import (
	"encoding/json"
	"fmt"

	"github.com/uplinehq/upline/internal/words/date"
)

// JSON writes a row as an object, its properties in the order of the columns.
func (q *Query) JSON(row Row) (json.RawMessage, error) {
	b := []byte{'{'}
	for i, c := range q.Columns {
		if i > 0 {
			b = append(b, ',')
		}
		value, err := json.Marshal(row.Values[i])
		if err != nil {
			return nil, err
		}
		b = append(append(append(append(b, '"'), c.Key...), `":`...), value...)
	}
	return append(b, '}'), nil
}

// Echo returns the parameters in force as JSON values.
func (r *Result) Echo() map[string]any {
	echo := make(map[string]any, len(r.Parameters))
	for name, v := range r.Parameters {
		if d, ok := v.(date.Date); ok {
			v = d.String()
		}
		echo[name] = v
	}
	return echo
}

// DefaultOf returns the default of a parameter in words; nil if it has none.
func (p Parameter) DefaultOf() *string {
	text := p.DefaultText
	if text == "" {
		if p.Default == nil {
			return nil
		}
		text = fmt.Sprint(p.Default(nil))
	}
	return &text
}
