package value

import (
	"bytes"
	"encoding/json"
)

// Object reads an object of JSON; its numbers stay as they are written.
func Object(text []byte) (object map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&object)
	return object, err
}

// At follows names through the objects of a JSON value; nil when one is missing.
func At(v any, path []string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}
