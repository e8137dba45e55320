package scan

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzScan walks over any text that claims to be a response.
func FuzzScan(f *testing.F) {
	f.Add(`{"pageIndex": [1, "a\"}", {"b": null}]}`)
	f.Add(`[{"name":"A"},{"name":"B"}`)
	f.Fuzz(func(t *testing.T, text string) {
		valid := json.Valid([]byte(text))
		end, err := skipValue([]byte(text), skipSpace([]byte(text), 0))
		if valid && (err != nil || strings.TrimLeft(text[end:], " \t\r\n") != "") {
			t.Errorf("valid JSON is not walked over: %d %v", end, err)
		}
		page, n, err := Cut([]byte(text), 0, 2)
		if valid && err == nil && (!json.Valid(page) || n < 0) {
			t.Errorf("%s", page)
		}
	})
}
