package rest_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/rest/resttest"
)

// choosing asks every path that answers a record, or records, for parts of them.
type choosing struct{ asked map[string]bool }

// ask repeats a request of a transcript with the parameter fields: with each property
// alone, with all but one, and with all.
func (c choosing) ask(t *testing.T, server http.Handler, x resttest.Exchange) {
	t.Helper()
	whole := x.Response.Body.Bytes()
	if !strings.HasPrefix(x.Operation, "GET ") || x.Response.Code != http.StatusOK || x.Response.Header().Get("Content-Type") != "application/json" ||
		c.asked[x.Operation] || bytes.Contains(whole, []byte(`"items":[]`)) || x.Request.URL.Query().Has("fields") {
		return
	}
	properties := propertiesOf(server, x.Request)
	if properties == nil { // a table
		return
	}
	c.asked[x.Operation] = true
	for _, name := range properties {
		answer := choose(server, x.Request, "application/json", name)
		if want := onlyOf(t, whole, name); answer.Code != http.StatusOK || !reflect.DeepEqual(decoded(t, answer.Body.Bytes()), want) {
			t.Errorf("%s with fields=%s: %d %s, want %v", x.Operation, name, answer.Code, answer.Body, want)
		}
		if csv := choose(server, x.Request, "text/csv", name); csv.Code == http.StatusOK {
			for column := range strings.SplitSeq(strings.SplitN(csv.Body.String(), "\r\n", 2)[0], ",") {
				if beginning, _, _ := strings.Cut(column, "."); beginning != name {
					t.Errorf("%s with fields=%s has the column %q in CSV", x.Operation, name, column)
				}
			}
		}
	}
	rest := properties[1:]
	if answer := choose(server, x.Request, "application/json", rest...); len(rest) > 0 && !reflect.DeepEqual(decoded(t, answer.Body.Bytes()), onlyOf(t, whole, rest...)) {
		t.Errorf("%s with all fields but %s: %d %s", x.Operation, properties[0], answer.Code, answer.Body)
	}
	answer := choose(server, x.Request, "application/json", properties...)
	if !bytes.Equal(answer.Body.Bytes(), whole) || answer.Header().Get("ETag") != x.Response.Header().Get("ETag") {
		t.Errorf("%s with all fields: %s, without fields %s", x.Operation, answer.Body, whole)
	}
}

// all demands that every path was asked that takes fields, and that no other takes them.
func (c choosing) all(t *testing.T) {
	t.Helper()
	for path, o := range operations(t) {
		takes := slices.ContainsFunc(o.Parameters, func(p struct{ In, Name string }) bool { return p.Name == "fields" })
		if takes != c.asked[path] {
			t.Errorf("%s: takes fields %v, was asked for them %v", path, takes, c.asked[path])
		}
	}
}

func choose(server http.Handler, like *http.Request, accept string, names ...string) *httptest.ResponseRecorder {
	r := like.Clone(like.Context())
	r.Body = http.NoBody
	r.Header = http.Header{"Authorization": like.Header["Authorization"], "Accept": {accept}}
	query := r.URL.Query()
	query.Set("fields", strings.Join(names, ","))
	r.URL.RawQuery = query.Encode()
	r.RequestURI = r.URL.RequestURI()
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	return w
}

// propertiesOf returns the properties of the record, which the refusal of another tells.
func propertiesOf(server http.Handler, r *http.Request) []string {
	var refused struct {
		Errors []struct{ Field, Message string }
	}
	if err := json.Unmarshal(choose(server, r, "application/json", "zzzzzzzzzzzz").Body.Bytes(), &refused); err != nil || len(refused.Errors) != 1 {
		return nil
	}
	_, names, ok := strings.Cut(refused.Errors[0].Message, "is no property of the record; it has ")
	if refused.Errors[0].Field != "fields" || !ok {
		return nil
	}
	return strings.Split(names, ", ")
}

// onlyOf returns an answer with only some properties of its records.
func onlyOf(t *testing.T, answer []byte, names ...string) any {
	t.Helper()
	whole := decoded(t, answer)
	records, isList := whole.([]any)
	object, _ := whole.(map[string]any)
	if _, paged := object["pageIndex"]; paged {
		records, isList = object["items"].([]any), true
	}
	if !isList {
		records = []any{whole}
	}
	for _, record := range records {
		maps.DeleteFunc(record.(map[string]any), func(name string, _ any) bool { return !slices.Contains(names, name) })
	}
	return whole
}

func decoded(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}
