package rest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However long a query is, and whatever it holds: the head of the answer is small, what a link
// leads to asks what the plain query of the other page asks, and a next page is never missing
// in silence.
func TestLongQueriesHaveShortLinks(t *testing.T) {
	b := newBench(t)
	page := `{"agents":{"nodes":[],"totalCount":90,"pageInfo":{"hasNextPage":true,"hasPreviousPage":true,"startCursor":"b/1","endCursor":"c/1"}}}`
	rapid.Check(t, func(r *rapid.T) {
		query := url.Values{"lastName": {rapid.StringOfN(rapid.RuneFrom([]rune("aéß漢-' %&+;")), 1, rapid.SampledFrom([]int{5, 250, 1300}).Draw(r, "most"), -1).Draw(r, "lastName")},
			"pageIndex": {"2"}, "pageSize": {"20"}}
		if strings.TrimSpace(query.Get("lastName")) == "" {
			r.Skip("blank")
		}
		b.Data(page)
		answer := b.call(http.MethodGet, "/agents?"+query.Encode(), "")
		if answer.Code == http.StatusRequestURITooLong {
			return
		}
		header := answer.Header().Get("Link")
		if answer.Code != http.StatusOK || len(header) > 8<<10 {
			r.Fatalf("%d, a header of %d bytes", answer.Code, len(header))
		}
		to := linksOf(answer.Header())
		for relation, change := range map[string]url.Values{"next": {"after": {"c/1"}, "pageIndex": {"3"}}, "prev": {"before": {"b/1"}, "pageIndex": {"1"}}, "first": {"pageIndex": {"1"}}} {
			link, ok := to[relation]
			if !ok {
				if relation == "next" {
					r.Fatal("the next page is missing")
				}
				continue
			}
			plain := url.Values{"lastName": query["lastName"], "pageSize": query["pageSize"]}
			for name, values := range change {
				plain[name] = values
			}
			if got, want := b.list(t, strings.TrimPrefix(link, base), "agents"), b.list(t, "/agents?"+plain.Encode(), "agents"); got != want {
				r.Fatalf("%s asks for %s, want %s", relation, got, want)
			}
		}
	})
	for _, link := range []string{"x", "!", "AAAA", "%00", strings.Repeat("A", 9000)} {
		if problem := problemOf(t, b.call(http.MethodGet, "/agents?link="+link, "")); strings.Join(fields(problem), "") != "link INVALID_FORMAT" {
			t.Errorf("link=%.10s: %v", link, problem)
		}
	}
}
