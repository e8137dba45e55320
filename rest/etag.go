package rest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/version"
)

// An ETag has two parts: "<version>-<hash>". The version is the record's lastModified;
// If-Match compares it inside the transaction of the change. The hash is a hash of the
// body, since the body also shows what is in force today; If-None-Match compares both. An
// answer with some properties of a record has its version, and a hash of its own.
// The hash is keyed: ETags are in logs and caches, where nobody may use them to test
// guesses of sensitive values.

// hashLength is the length of the hash in an ETag: 72 bits.
const hashLength = 12

// entityTag returns the ETag of a body that shows a record, "" for a record without
// lastModified.
func (d *door) entityTag(record, body []byte) string {
	text, err := memberText(record, lastModified)
	if err != nil {
		return ""
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return ""
	}
	hash := hmac.New(sha256.New, d.TagKey)
	hash.Write(body)
	return `"` + version.Of(at) + "-" + base64.RawURLEncoding.EncodeToString(hash.Sum(nil))[:hashLength] + `"`
}

// tag adds the ETag of its record to a reply.
func (d *door) tag(a *reply, record []byte) {
	if tag := d.entityTag(record, a.body); tag != "" {
		a.header.Set("ETag", tag)
	}
}

// tagList is the list of entity tags of If-Match or If-None-Match.
type tagList struct {
	// any stands for *: any record that exists.
	any  bool
	list []sentTag
}

type sentTag struct {
	weak bool
	// text is the text between the quotes.
	text string
}

// parseTags reads "*" or a list of entity tags (RFC 9110 §13.1).
func parseTags(lines []string) (t tagList, ok bool) {
	rest := strings.TrimSpace(strings.Join(lines, ","))
	if rest == "*" {
		return tagList{any: true}, true
	}
	for {
		if rest = strings.TrimLeft(rest, ", \t"); rest == "" {
			return t, len(t.list) > 0
		}
		var tag sentTag
		rest, tag.weak = strings.CutPrefix(rest, "W/")
		if rest, ok = strings.CutPrefix(rest, `"`); !ok {
			return t, false
		}
		if tag.text, rest, ok = strings.Cut(rest, `"`); !ok || strings.ContainsFunc(tag.text, notInTag) {
			return t, false
		}
		if rest = strings.TrimLeft(rest, " \t"); rest != "" && rest[0] != ',' {
			return t, false
		}
		t.list = append(t.list, tag)
	}
}

// notInTag reports whether a character is not allowed in an entity tag (RFC 9110 §8.8.3).
func notInTag(r rune) bool { return r <= ' ' || r == '"' || r == 0x7F }

// match compares an ETag weakly, as If-None-Match does (RFC 9110 §13.1.2). It returns the
// tag that the client has, which names the coding if that answer was compressed.
func (t tagList) match(etag string) (has string, ok bool) {
	for _, s := range t.list {
		if has = `"` + s.text + `"`; has == etag || slices.ContainsFunc(codings, func(c string) bool { return `"`+strings.TrimSuffix(s.text, c)+`"` == etag }) {
			return has, etag != ""
		}
	}
	return etag, t.any
}

// codings are the suffixes that the server around this door adds to the ETags of
// compressed answers.
var codings = []string{"-gzip", "-zstd"}

// expect returns a context whose change demands one of the versions. If-Match compares
// strongly, so weak tags match nothing (RFC 9110 §13.1.1).
func (t tagList) expect(ctx context.Context) context.Context {
	if t.any {
		return version.ExpectAny(ctx)
	}
	var versions []string
	for _, s := range t.list {
		if v, _, ok := strings.Cut(s.text, "-"); ok && !s.weak {
			versions = append(versions, v)
		}
	}
	return version.Expect(ctx, versions)
}
