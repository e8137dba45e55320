package resttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// values are the texts that named matchers have kept.
type values map[string]string

// fill replaces {{name}} by what was kept.
func (v values) fill(text string) (string, error) {
	for name, value := range v {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	if _, after, found := strings.Cut(text, "{{"); found {
		name, _, _ := strings.Cut(after, "}}")
		return "", fmt.Errorf("nothing was kept as %q", name)
	}
	return text, nil
}

var matcher = regexp.MustCompile(`<(any|id|text|instant|date)(?::(\w+))?>`)

// patterns are the regular expressions of matchers.
var patterns = map[string]string{
	"any":     `[\s\S]*`,
	"text":    `[\s\S]+`,
	"id":      `[^/\s]+`,
	"instant": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`,
	"date":    `\d{4}-\d\d-\d\d`,
}

// text matches a text against one with matchers, and keeps what they matched.
func (v values) text(want, got string) error {
	if !matcher.MatchString(want) {
		if want != got && want != wholeSecond(got) {
			return fmt.Errorf("is %q, not %q", got, want)
		}
		return nil
	}
	var pattern strings.Builder
	var names []string
	pattern.WriteString("^")
	rest := want
	for _, m := range matcher.FindAllStringSubmatch(want, -1) {
		before, after, _ := strings.Cut(rest, m[0])
		pattern.WriteString(regexp.QuoteMeta(before) + "(" + patterns[m[1]] + ")")
		names, rest = append(names, m[2]), after
	}
	pattern.WriteString(regexp.QuoteMeta(rest) + "$")
	found := regexp.MustCompile(pattern.String()).FindStringSubmatch(got)
	if found == nil {
		return fmt.Errorf("is %q, which does not match %q", got, want)
	}
	for i, name := range names {
		if name != "" {
			v[name] = found[i+1]
		}
	}
	return nil
}

var fraction = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$`)

// wholeSecond returns an instant without its fraction of a second; it returns any other
// text as it is.
func wholeSecond(text string) string { return fraction.ReplaceAllString(text, "${1}Z") }

// body matches JSON against JSON with matchers, and other text line by line.
func (v values) body(want string, got []byte) error {
	if want == "" {
		if len(got) > 0 {
			return fmt.Errorf("the body is not empty: %s", got)
		}
		return nil
	}
	if !strings.ContainsAny(want[:1], `{["`) {
		return v.lines(want, string(got))
	}
	wanted, err := decode([]byte(want))
	if err != nil {
		return fmt.Errorf("the body of the transcript: %w", err)
	}
	actual, err := decode(got)
	if err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	return v.json("", wanted, actual)
}

// lines matches a text that is not JSON, line by line.
func (v values) lines(want, got string) error {
	wanted, lines := strings.Split(want, "\n"), strings.Split(strings.TrimRight(got, "\r\n"), "\n")
	if len(wanted) != len(lines) {
		return fmt.Errorf("the body has %d lines, not %d: %s", len(lines), len(wanted), got)
	}
	for i, line := range lines {
		if err := v.text(wanted[i], strings.TrimSuffix(line, "\r")); err != nil {
			return fmt.Errorf("line %d of the body %w", i+1, err)
		}
	}
	return nil
}

func (v values) json(at string, want, got any) error {
	switch w := want.(type) {
	case map[string]any:
		return v.object(at, w, got)
	case []any:
		return v.array(at, w, got)
	case string:
		return v.string(at, w, got)
	}
	if want != got {
		return fmt.Errorf("%s is %v, not %v", at, got, want)
	}
	return nil
}

// string matches a text with matchers. A text that is a single matcher can also match a
// number or, if it is <any>, anything.
func (v values) string(at, want string, got any) error {
	switch g := got.(type) {
	case string:
		if err := v.text(want, g); err != nil {
			return fmt.Errorf("%s %w", at, err)
		}
		return nil
	case json.Number:
		if matcher.FindString(want) == want {
			return v.string(at, want, g.String())
		}
	}
	if want == "<any>" {
		return nil
	}
	return fmt.Errorf("%s is %v, which does not match %q", at, got, want)
}

const more = "..."

func (v values) object(at string, want map[string]any, got any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is not an object", at)
	}
	for name, w := range want {
		if name == more {
			continue
		}
		g, ok := object[name]
		if !ok {
			return fmt.Errorf("%s.%s is missing", at, name)
		}
		if err := v.json(at+"."+name, w, g); err != nil {
			return err
		}
	}
	for name := range object {
		_, expected := want[name]
		if _, open := want[more]; !expected && !open {
			return fmt.Errorf("%s.%s is not expected", at, name)
		}
	}
	return nil
}

func (v values) array(at string, want []any, got any) error {
	array, ok := got.([]any)
	if !ok {
		return fmt.Errorf("%s is not an array", at)
	}
	if n := len(want); n > 0 && want[n-1] == more && len(array) >= n-1 {
		want, array = want[:n-1], array[:n-1]
	}
	if len(array) != len(want) {
		return fmt.Errorf("%s has %d elements, not %d", at, len(array), len(want))
	}
	for i, w := range want {
		if err := v.json(fmt.Sprintf("%s[%d]", at, i), w, array[i]); err != nil {
			return err
		}
	}
	return nil
}

func decode(data []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more after the JSON value")
	}
	return value, nil
}
