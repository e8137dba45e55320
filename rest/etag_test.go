package rest

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/version"
)

func TestParseTags(t *testing.T) {
	for text, want := range map[string]string{
		`"a-b"`: "a-b", `W/"a"`: "weak a", `"a", "b"`: "a,b", `"a","b",`: "a,b", `, "a" ,, W/"b"`: "a,weak b",
		`""`: "", `"é"`: "é", `*`: "*", ` * `: "*",
		`a`: "refused", `"a`: "refused", `"a" "b"`: "refused", `w/"a"`: "refused", `"a b"`: "refused",
		``: "refused", `,`: "refused", `*, "a"`: "refused", `"a", *`: "refused", "\"\x7f\"": "refused",
	} {
		tags, ok := parseTags([]string{text})
		var texts []string
		for _, tag := range tags.list {
			texts = append(texts, map[bool]string{true: "weak "}[tag.weak]+tag.text)
		}
		got := strings.Join(texts, ",")
		switch {
		case !ok:
			got = "refused"
		case tags.any:
			got = "*"
		}
		if got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

func FuzzParseTags(f *testing.F) {
	f.Add(`"a", W/"b"`)
	f.Fuzz(func(t *testing.T, text string) {
		tags, ok := parseTags([]string{text})
		if !ok || tags.any {
			return
		}
		var again []string
		for _, tag := range tags.list {
			again = append(again, map[bool]string{true: "W/"}[tag.weak]+`"`+tag.text+`"`)
		}
		if second, ok := parseTags(again); !ok || len(second.list) != len(tags.list) {
			t.Errorf("%q: %v is refused", text, again)
		}
	})
}

const oneStatus = `{"payStatus":` + tagOne + `}`

// The ETag of a record is strong, and another when the body or lastModified is.
func TestETag(t *testing.T) {
	b := newBench(t)
	etagOf := func(data string) string {
		b.Data(data)
		return b.call(http.MethodGet, "/pay-statuses/Gold", "").Header().Get("ETag")
	}
	first := etagOf(oneStatus)
	if !regexp.MustCompile(`^"[0-9a-z]+-[\w-]{12}"$`).MatchString(first) {
		t.Fatalf("the ETag is %s", first)
	}
	if again := etagOf(oneStatus); again != first {
		t.Errorf("the same record has the ETags %s and %s", first, again)
	}
	v := versionOf(first)
	if other := etagOf(strings.Replace(oneStatus, `"sortOrder":1`, `"sortOrder":2`, 1)); other == first || versionOf(other) != v {
		t.Errorf("another body of the version %s has %s", first, other)
	}
	if other := etagOf(strings.Replace(oneStatus, `"lastModified":"2026-01-01T00:00:00Z"`, `"lastModified":"2026-01-01T00:00:00.000001Z"`, 1)); versionOf(other) == v {
		t.Errorf("a later version has %s, like %s", other, first)
	}
}

// RFC 9110 §13.1.1: "An origin server MUST use the strong comparison function when
// comparing entity tags for If-Match".
func TestWeakTagsMatchNoChange(t *testing.T) {
	at := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	strong := `"` + version.Of(at) + `-x7Gd"`
	for sent, want := range map[string]bool{strong: true, "W/" + strong: false, `"other-x", ` + strong: true, "W/" + strong + `, "other-x"`: false, "*": true} {
		tags, ok := parseTags([]string{sent})
		if err := version.Check(tags.expect(t.Context()), at); !ok || (err == nil) != want {
			t.Errorf("%s: %v", sent, err)
		}
	}
}

func versionOf(etag string) string {
	v, _, _ := strings.Cut(etag, "-")
	return v
}

// RFC 9110 §13.1.2: 304 without a body when one of the ETags is that of the
// record, compared weakly.
func TestIfNoneMatch(t *testing.T) {
	b := newBench(t)
	b.Data(oneStatus)
	etag := b.call(http.MethodGet, "/pay-statuses/Gold", "").Header().Get("ETag")
	for sent, want := range map[string]int{
		etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200, versionOf(etag) + `"`: 200, "x": 400,
	} {
		w := b.call(http.MethodGet, "/pay-statuses/Gold", "", "If-None-Match", sent)
		if w.Code != want || (want == 304) != (w.Body.Len() == 0) {
			t.Errorf("%s: %d %s", sent, w.Code, w.Body)
		}
		if want == 304 && (w.Header().Get("ETag") != etag || w.Header().Get("Content-Type") != "") {
			t.Errorf("%s: the header of 304 is %v", sent, w.Header())
		}
	}
	b.Data(`{"payStatus":null}`)
	if w := b.call(http.MethodGet, "/pay-statuses/Gold", "", "If-None-Match", "*"); w.Code != http.StatusNotFound {
		t.Errorf("no record: %d", w.Code)
	}
}

// A record without a version has no ETag, so it is answered whole: a 304 "MUST generate any
// of" the fields that a 200 would have (RFC 9110, 15.4.5), and none would tell which copy is
// meant.
func TestIfNoneMatchWithoutAVersion(t *testing.T) {
	b := newBench(t)
	b.Data(`{"appConfiguration":{}}`)
	for _, sent := range []string{"*", `"x"`} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/agent-onboarding/demo/app-configuration", nil)
		r.Header.Set("If-None-Match", sent)
		b.ServeHTTP(w, r)
		if w.Code == http.StatusNotModified || w.Header().Get("ETag") != "" {
			t.Errorf("%s: %d %v", sent, w.Code, w.Header())
		}
	}
}

// A condition that cannot be evaluated is refused, not ignored; the problem names
// the header.
func TestConditionsWhereTheyHaveNoMeaning(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ method, path, body, header, want string }{
		{http.MethodPost, "/pay-statuses", newStatus, "If-Match", "If-Match PRECONDITION_NOT_SUPPORTED"},
		{http.MethodPost, "/pay-statuses", newStatus, "If-None-Match", "If-None-Match PRECONDITION_NOT_SUPPORTED"},
		{http.MethodPatch, "/pay-statuses/Gold", `{"initiator":"hr"}`, "If-None-Match", "If-None-Match PRECONDITION_NOT_SUPPORTED"},
		{http.MethodDelete, "/pay-statuses/Gold", "", "If-None-Match", "If-None-Match PRECONDITION_NOT_SUPPORTED"},
		{http.MethodGet, "/pay-statuses/Gold", "", "If-Match", "If-Match PRECONDITION_NOT_SUPPORTED"},
		{http.MethodGet, "/pay-statuses", "", "If-Match", "If-Match PRECONDITION_NOT_SUPPORTED"},
	} {
		p := problemOf(t, b.call(c.method, c.path, c.body, c.header, `"a"`))
		if got := strings.Join(fields(p), ", "); p.Status != 400 || got != c.want {
			t.Errorf("%s %s with %s: %d %s", c.method, c.path, c.header, p.Status, got)
		}
	}
	p := problemOf(t, b.call(http.MethodPatch, "/pay-statuses/Gold", `{"initiator":1}`, "If-Match", `a`))
	if got := strings.Join(fields(p), ", "); p.Status != 400 || got != "If-Match INVALID_FORMAT, initiator INVALID_FORMAT" {
		t.Errorf("malformed: %d %s", p.Status, got)
	}
	if b.Calls != 0 {
		t.Error("an operation ran")
	}
	b.Data(`{"payStatuses":[]}`)
	if w := b.call(http.MethodGet, "/pay-statuses", "", "If-None-Match", `"a"`); w.Code != 200 {
		t.Errorf("the list: %d", w.Code)
	}
}
