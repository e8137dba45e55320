package transport_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/uplinehq/upline/graph/transport"
)

// secret is a value that no response may repeat.
const secret = "078051120"

// Whatever is wrong with a request, its values do not come back: not from the
// body, not from a literal of the document, not from a variable.
func TestErrorsDoNotEcho(t *testing.T) {
	bodies := map[string]string{
		"body that is not JSON":    `{"query": ` + secret,
		"body of another type":     `"` + secret + `"`,
		"parameter of a type":      `{"query":{"x":"` + secret + `"}}`,
		"variables of a type":      `{"query":"{ echo }","variables":"` + secret + `"}`,
		"operation name":           `{"query":"query A { echo }","operationName":"` + secret + `"}`,
		"literal, string for int":  `{"query":"{ echo(count: \"` + secret + `\") }"}`,
		"literal, block for int":   `{"query":"{ echo(count: \"\"\"` + secret + `\"\"\") }"}`,
		"literal, large int":       `{"query":"{ echo(count: ` + secret[1:] + secret + secret + `) }"}`,
		"literal, int for string":  `{"query":"{ echo(name: ` + secret[1:] + `) }"}`,
		"literal, float for id":    `{"query":"{ echo(id: ` + secret[1:] + `.5) }"}`,
		"literal, int for boolean": `{"query":"{ echo(on: ` + secret[1:] + `) }"}`,
		"literal, string for part": `{"query":"{ echo(part: \"` + secret + `\") }"}`,
		"literal, enum":            `{"query":"{ echo(kind: X` + secret + `) }"}`,
		"literal, string for enum": `{"query":"{ echo(kind: \"` + secret + `\") }"}`,
		"literal, list for string": `{"query":"{ echo(name: [\"` + secret + `\"]) }"}`,
		"literal, object for int":  `{"query":"{ echo(count: {a: \"` + secret + `\"}) }"}`,
		"literal, string for in":   `{"query":"{ echo(in: \"` + secret + `\") }"}`,
		"literal, inside in":       `{"query":"{ echo(in: {name: ` + secret[1:] + `}) }"}`,
		"literal, enum inside in":  `{"query":"{ echo(in: {name: \"\", kind: X` + secret + `}) }"}`,
		"default of a variable":    `{"query":"query ($n: Int = \"` + secret + `\") { echo(count: $n) }"}`,
		"token, string":            `{"query":"{ echo \"` + secret + `\" }"}`,
		"token, block string":      `{"query":"{ echo(\"\"\"` + secret + `\"\"\") }"}`,
		"token, int":               `{"query":"{ echo(` + secret[1:] + `) }"}`,
		"token, float":             `{"query":"{ echo ` + secret[1:] + `.5 }"}`,
		"token, leading zero":      `{"query":"{ echo(count: ` + secret + `) }"}`,
		"variable, enum":           `{"query":"query ($k: Kind) { echo(kind: $k) }","variables":{"k":"` + secret + ` is not a valid Kind"}}`,
		"variable, int":            `{"query":"query ($n: Int) { echo(count: $n) }","variables":{"n":"x` + secret + `"}}`,
		"variable, part of an int": `{"query":"query ($n: Int) { echo(count: $n) }","variables":{"n":` + secret[1:] + `.5}}`,
		"variable, float":          `{"query":"query ($n: Float) { echo(part: $n) }","variables":{"n":"x` + secret + `"}}`,
		"variable, in":             `{"query":"query ($i: In) { echo(in: $i) }","variables":{"i":{"name":"` + secret + `","kind":"` + secret + `"}}}`,
	}
	for name, body := range bodies {
		h, _, s := newHandler(transport.Config{})
		w := request(h, "POST", "/", "", mediaJSON, body)
		if b := decode(t, w); len(b.Errors) == 0 || s.ran.Load() != 0 {
			t.Errorf("%s: the request was not refused: %s", name, w.Body)
		}
		if strings.Contains(w.Body.String(), secret[1:]) {
			t.Errorf("%s: the value is repeated: %s", name, w.Body)
		}
	}
	h, _, _ := newHandler(transport.Config{})
	for _, parameter := range []string{"query", "variables", "extensions"} {
		values := url.Values{"query": {"{ echo }"}}
		values.Set(parameter, `"`+secret+`"`)
		if w := request(h, "GET", "/?"+values.Encode(), "", "", ""); strings.Contains(w.Body.String(), secret[1:]) {
			t.Errorf("%s in the URL: the value is repeated: %s", parameter, w.Body)
		}
	}
}

// The messages still say what is wrong.
func TestMessagesWithoutValues(t *testing.T) {
	tests := []struct{ body, want string }{
		{`{"query":"{ echo(count: \"x\") }"}`, `Int cannot represent non-integer value.`},
		{`{"query":"{ echo(in: \"x\") }"}`, `Expected value of type "In".`},
		{`{"query":"{ echo(kind: X) }"}`, `The value does not exist in "Kind" enum.`},
		{`{"query":"{ echo(in: {}) }"}`, `Field "In.name" of required type "String!" was not provided.`},
		{`{"query":"{ echo \"x\" }"}`, `Expected Name, found String`},
		{`{"query":"query ($k: Kind) { echo(kind: $k) }","variables":{"k":"X"}}`, `the value is not a valid Kind`},
		{`{"query":"query ($i: In) { echo(in: $i) }","variables":{"i":{"name":null}}}`, `cannot be null`},
	}
	h, _, _ := newHandler(transport.Config{})
	for _, test := range tests {
		b := decode(t, request(h, "POST", "/", "", mediaJSON, test.body))
		if len(b.Errors) != 1 || !strings.HasPrefix(b.Errors[0].Message, test.want) {
			t.Errorf("%s: errors = %+v, want %q", test.body, b.Errors, test.want)
		}
	}
}

// FuzzPost: no body panics the transport, every answer is a GraphQL response.
func FuzzPost(f *testing.F) {
	for _, a := range audits() {
		f.Add(a.body, a.accept, a.charset)
	}
	h, _, _ := newHandler(transport.Config{})
	f.Fuzz(func(t *testing.T, body, accept, charset string) {
		w := request(h, "POST", "/", accept, mediaJSON+charset, body)
		b := decode(t, w)
		if len(b.Errors) == 0 && len(b.Data) == 0 {
			t.Errorf("%q: the response has neither errors nor data: %s", body, w.Body)
		}
	})
}
