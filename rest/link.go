package rest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

const (
	// linkParameter is the only parameter of a link whose query is long, and stands for it.
	linkParameter = "link"
	// longQuery is the length from which on a query is long, in bytes. A Link header repeats the
	// query up to four times, and clients refuse an answer whose head exceeds 16 KiB.
	longQuery = 1 << 10
	// mostQuery is the most that a link may stand for, in bytes: as long as a URL may be.
	mostQuery = 16 << 10
	// mostLinks bounds a Link header, in bytes.
	mostLinks = 8 << 10
)

// shortened is a query, or a shorter one that stands for it.
func shortened(query string) string {
	if len(query) < longQuery {
		return query
	}
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression) // fails only for another level
	_, _ = w.Write([]byte(query))
	_ = w.Close()
	return linkParameter + "=" + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// followed is the request that one which follows a link stands for.
func followed(r *http.Request) (*http.Request, error) {
	packed, isLink := strings.CutPrefix(r.URL.RawQuery, linkParameter+"=")
	if !isLink {
		return r, nil
	}
	compressed, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		return r, notALink()
	}
	query, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), mostQuery+1))
	if err != nil || len(query) > mostQuery {
		return r, notALink()
	}
	values, err := url.ParseQuery(string(query))
	if err != nil {
		return r, notALink()
	}
	for name, all := range values {
		if !text.Fit(name + strings.Join(all, "")) {
			return r, notALink()
		}
	}
	to := *r.URL
	to.RawQuery = string(query)
	followed := *r
	followed.URL = &to
	return &followed, nil
}

func notALink() error {
	return problem.List{problem.Invalid(problem.InvalidFormat, "is no link of a list: it is taken as the header Link gives it, alone", linkParameter)}
}

// links are the links of a header, the most wanted first: as many as fit.
type links []string

func (l *links) add(path, query, relation string) error {
	link := "<" + path + "?" + shortened(query) + `>; rel="` + relation + `"`
	length := len(link)
	for _, other := range *l {
		length += len(", ") + len(other)
	}
	if length <= mostLinks {
		*l = append(*l, link)
		return nil
	}
	if relation == "next" { // without it a client would take this page for the last one
		return problem.Refused(http.StatusRequestURITooLong, "The query is too long for a list of several pages")
	}
	return nil
}
