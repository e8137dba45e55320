package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// ParseBody returns the JSON of a body. The error is about the body as a whole; the
// problems are about properties that are given twice.
func ParseBody(data []byte) (any, problem.List, error) {
	body, twice, err := DecodeJSON(data)
	if err != nil {
		return nil, nil, problem.List{problem.Invalid(problem.InvalidFormat, "The body "+err.Error())}
	}
	if _, ok := body.(map[string]any); !ok {
		return nil, nil, problem.List{problem.Invalid(problem.InvalidFormat, "The body must be a JSON object")}
	}
	return body, twice, nil
}

// IsJSON accepts application/json and types with the suffix +json, in UTF-8
// (RFC 8259 §8.1).
func IsJSON(contentType string) bool {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return mediaType == "application/json" ||
		strings.HasPrefix(mediaType, "application/") && strings.HasSuffix(mediaType, "+json")
}

// DecodeJSON decodes a body, with numbers as json.Number. It reports properties that are
// given twice, of which encoding/json would silently keep the last: a request must not
// mean one thing to us and another to a proxy that checked it before. The text of the
// error continues the words "The body".
func DecodeJSON(data []byte) (body any, twice problem.List, err error) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, nil, errNotJSON
	}
	if text.HalfPair(data) {
		return nil, nil, text.ErrHalfPair
	}
	tokens := json.NewDecoder(bytes.NewReader(data))
	tokens.UseNumber()
	r := jsonReader{tokens: tokens}
	body = r.value(nil)
	return body, r.twice, r.err
}

var (
	errNotJSON = errors.New("is not valid JSON")
	errTooDeep = fmt.Errorf("is nested deeper than %d levels", maxDepth)
)

// maxDepth is how deep objects and lists may be nested. No input is nested deeper than
// five; every level costs memory for the path of its content.
const maxDepth = 32

// jsonReader builds a value from the tokens of a valid document.
type jsonReader struct {
	tokens *json.Decoder
	twice  problem.List
	err    error
}

func (r *jsonReader) next() json.Token {
	if r.err != nil {
		return nil
	}
	token, err := r.tokens.Token()
	if err != nil {
		r.err = errNotJSON
	}
	return token
}

func (r *jsonReader) value(path []string) any {
	if len(path) > maxDepth && r.err == nil {
		r.err = errTooDeep
	}
	switch token := r.next(); token {
	case json.Delim('{'):
		return r.object(path)
	case json.Delim('['):
		list := []any{}
		for r.err == nil && r.tokens.More() {
			list = append(list, r.value(below(path, strconv.Itoa(len(list)))))
		}
		r.next()
		return list
	default:
		return token
	}
}

func (r *jsonReader) object(path []string) map[string]any {
	object := map[string]any{}
	for r.err == nil && r.tokens.More() {
		name, _ := r.next().(string)
		here := below(path, name)
		if _, given := object[name]; given {
			r.twice.Add(problem.Invalid(problem.InvalidFormat, OnlyOnce, here...))
		}
		object[name] = r.value(here)
	}
	r.next()
	return object
}
