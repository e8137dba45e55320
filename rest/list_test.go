package rest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/paths"
)

// list reads a list and returns the variables of its operation.
func (b *bench) list(t testing.TB, path, root string) string {
	t.Helper()
	b.Data(fmt.Sprintf(emptyPage, root))
	if w := b.call(http.MethodGet, path, ""); w.Code != 200 {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return b.variables(t)
}

// GET /agents of "Agents" in the specification.
func TestQueryParametersBecomeTheFilter(t *testing.T) {
	b := newBench(t)
	page := `,"first":50,"offset":0}`
	for query, want := range map[string]string{
		"":                                    `{"first":50,"offset":0}`,
		"?isActive=true&email=a@b.c":          `{"filter":{"email":"a@b.c","isActive":true}` + page,
		"?agentCodes=A1,A2&agentCodes=A3":     `{"filter":{"agentCodes":["A1","A2","A3"]}` + page,
		"?modifiedSince=2026-01-01T00:00:00Z": `{"filter":{"modifiedSince":"2026-01-01T00:00:00Z"}` + page,
		"?firstName=":                         `{"filter":{"firstName":""}` + page,
		"?onDate=2026-01-31":                  `{"first":50,"offset":0,"onDate":"2026-01-31"}`,
	} {
		if got := b.list(t, "/agents"+query, "agents"); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	got := b.list(t, "/certifications?status=RegulatorySuspension,Active&isVerified=false", "certifications")
	if want := `{"filter":{"isVerified":false,"status":["REGULATORY_SUSPENSION","ACTIVE"]}` + page; got != want {
		t.Errorf("%s", got)
	}
	got = b.list(t, "/teams/default/downline-members?agentCode=A1&downlineLevel=1&minDownlineLevel=2", "downlineMembers")
	if want := `{"filter":{"agentCode":"A1","depth":1,"minDepth":2},"first":50,"offset":0,"team":"default"}`; got != want {
		t.Errorf("%s", got)
	}
}

func TestBadQueryParametersAreNamed(t *testing.T) {
	b := newBench(t)
	for query, want := range map[string]string{
		"/agents?isActive=yes":                            "isActive INVALID_FORMAT",
		"/agents?isActive=":                               "isActive INVALID_FORMAT",
		"/agents?modifiedSince=2026-01-01":                "modifiedSince INVALID_FORMAT",
		"/agents?agentCodes=A1,,A2":                       "agentCodes INVALID_FORMAT",
		"/agents?agentCodes=":                             "agentCodes INVALID_FORMAT",
		"/agents?email=a&email=b":                         "email INVALID_FORMAT",
		"/agents?onDate=31.01.2026":                       "onDate INVALID_FORMAT",
		"/certifications?status=Unheard":                  "status UNKNOWN_STATUS",
		"/pay-statuses?sort=name":                         "sort UNKNOWN_SORT_FIELD",
		"/certifications/history?from=today":              "from INVALID_FORMAT",
		"/teams/default/downline-members?downlineLevel=x": "downlineLevel INVALID_FORMAT",
		"/agents/A1/on-date/2026-02-30":                   "onDate INVALID_FORMAT",
		"/teams/default/agent-levels/ten":                 "value INVALID_FORMAT",
		"/agents?isActive=1&pageIndex=0&sort=shoeSize":    "isActive INVALID_FORMAT, sort UNKNOWN_SORT_FIELD, pageIndex OUT_OF_RANGE",
		"/agents?email=%zz":                               "INVALID_FORMAT",
	} {
		p := problemOf(t, b.call(http.MethodGet, query, ""))
		if got := strings.Join(fields(p), ", "); p.Status != 400 || got != want {
			t.Errorf("%s: %d %s", query, p.Status, got)
		}
	}
	if b.Calls != 0 {
		t.Error("an operation ran")
	}
}

// "pageIndex: 1-based, default 1" (specification, Limits).
func TestPageBecomesFirstAndOffset(t *testing.T) {
	b := newBench(t)
	if got, want := b.list(t, "/agents?pageIndex=3&pageSize=20", "agents"), `{"first":20,"offset":40}`; got != want {
		t.Errorf("%s", got)
	}
	for query, want := range map[string]string{
		"pageIndex=0":                      "pageIndex OUT_OF_RANGE",
		"pageIndex=-1":                     "pageIndex OUT_OF_RANGE",
		"pageIndex=x":                      "pageIndex INVALID_FORMAT",
		"pageIndex=":                       "pageIndex INVALID_FORMAT",
		"pageSize=0":                       "pageSize OUT_OF_RANGE",
		"pageIndex=99999999&pageSize=100":  "pageIndex OUT_OF_RANGE",
		"pageIndex=99999999999999999999":   "pageIndex INVALID_FORMAT",
		"pageSize=99999999999999999999999": "pageSize INVALID_FORMAT",
		"pageIndex=9223372036854775807":    "pageIndex OUT_OF_RANGE",
		"pageIndex=-1&pageSize=0":          "pageIndex OUT_OF_RANGE, pageSize OUT_OF_RANGE",
		"pageIndex=1&pageIndex=2":          "pageIndex INVALID_FORMAT",
		"pageSize=1&pageSize=2":            "pageSize INVALID_FORMAT",
	} {
		if got := strings.Join(fields(problemOf(t, b.call(http.MethodGet, "/agents?"+query, ""))), ", "); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// The links to the pages beside this one have the cursors of its rows: such a page begins
// there, and pageIndex is only its number. The other parameters stay.
func TestLinksToOtherPages(t *testing.T) {
	b := newBench(t)
	links := func(query, list string) map[string]string {
		b.Data(list)
		return linksOf(b.call(http.MethodGet, query, "").Header())
	}
	middle := `{"agents":{"nodes":[],"totalCount":90,"pageInfo":{"hasNextPage":true,"hasPreviousPage":true,"startCursor":"b/1","endCursor":"c/1"}}}`
	first := strings.Replace(middle, `"hasPreviousPage":true`, `"hasPreviousPage":false`, 1)
	empty := `{"agents":{"nodes":[],"totalCount":90,"pageInfo":{"hasNextPage":false,"hasPreviousPage":true,"startCursor":null,"endCursor":null}}}`
	statuses := func(n int) string {
		return `{"payStatuses":[` + strings.TrimSuffix(strings.Repeat(`{"name":"A"},`, n), ",") + `]}`
	}
	const agents, pays = base + "/agents?", base + "/pay-statuses?"
	for _, c := range []struct {
		query, list string
		want        map[string]string
	}{
		{"/agents?lastName=O%27Hara&pageIndex=2&pageSize=20", middle, map[string]string{
			"next": agents + "after=c%2F1&lastName=O%27Hara&pageIndex=3&pageSize=20", "prev": agents + "before=b%2F1&lastName=O%27Hara&pageIndex=1&pageSize=20",
			"first": agents + "lastName=O%27Hara&pageIndex=1&pageSize=20", "last": agents + "lastName=O%27Hara&pageIndex=5&pageSize=20"}},
		{"/agents?after=x&fields=email", middle, map[string]string{"next": agents + "after=c%2F1&fields=email&pageIndex=2", "prev": agents + "before=b%2F1&fields=email&pageIndex=1",
			"first": agents + "fields=email&pageIndex=1", "last": agents + "fields=email&pageIndex=2"}},
		{"/agents?before=x&pageIndex=3", first, map[string]string{"next": agents + "after=c%2F1&pageIndex=4", "first": agents + "pageIndex=1", "last": agents + "pageIndex=2"}},
		{"/agents?pageIndex=9", empty, map[string]string{"prev": agents + "pageIndex=2", "first": agents + "pageIndex=1", "last": agents + "pageIndex=2"}},
		{"/pay-statuses?pageIndex=2&pageSize=20", statuses(40), map[string]string{"prev": pays + "pageIndex=1&pageSize=20", "first": pays + "pageIndex=1&pageSize=20", "last": pays + "pageIndex=2&pageSize=20"}},
		{"/pay-statuses?pageIndex=2&pageSize=20", statuses(41), map[string]string{"next": pays + "pageIndex=3&pageSize=20", "prev": pays + "pageIndex=1&pageSize=20",
			"first": pays + "pageIndex=1&pageSize=20", "last": pays + "pageIndex=3&pageSize=20"}},
		{"/pay-statuses", statuses(0), map[string]string{"first": pays + "pageIndex=1", "last": pays + "pageIndex=1"}},
	} {
		if got := links(c.query, c.list); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.query, got, c.want)
		}
	}
}

// linksOf returns the links of a header by their relations.
func linksOf(h http.Header) map[string]string {
	links := map[string]string{}
	for link := range strings.SplitSeq(h.Get("Link"), ", ") {
		url, relation, _ := strings.Cut(strings.TrimPrefix(link, "<"), `>; rel="`)
		links[strings.TrimSuffix(relation, `"`)] = url
	}
	return links
}

// A page begins behind the row of the cursor after, or ends before that of the cursor
// before; an empty cursor is none, and only lists of GraphQL have cursors.
func TestCursors(t *testing.T) {
	b := newBench(t)
	for query, want := range map[string]string{
		"after=c%2F1&pageIndex=3&pageSize=20": `{"after":"c/1","first":20}`,
		"before=c%2F1&pageSize=20":            `{"before":"c/1","last":20}`,
		"after=&before=b":                     `{"after":"","before":"b","last":50}`,
		"after=&before=":                      `{"after":"","before":"","first":50,"offset":0}`,
	} {
		if got := b.list(t, "/agents?"+query, "agents"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for path, want := range map[string]string{
		"/agents?after=a&before=b":      "before NOT_APPLICABLE",
		"/agents?after=a&after=b":       "after INVALID_FORMAT",
		"/pay-statuses?after=a":         "after UNKNOWN_FIELD",
		"/pay-statuses?before=a":        "before UNKNOWN_FIELD",
		"/pay-statuses?last=1":          "last UNKNOWN_FIELD",
		"/agents/A1?before=a":           "before UNKNOWN_FIELD",
		"/agents?before=b&pageSize=101": "pageSize PAGE_SIZE_EXCEEDED",
	} {
		if got := strings.Join(fields(problemOf(t, b.call(http.MethodGet, path, ""))), ", "); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// "pageSize above the maximum: 400 with a message of the form Page Size cannot
// exceed <max>; it is never silently truncated" (specification, Errors, 2).
func TestPageSizeAboveTheMaximum(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.PageSize = func(context.Context) (int, int) { return 10, 25 }
	})
	if got, want := b.list(t, "/agents?pageSize=25", "agents"), `{"first":25,"offset":0}`; got != want {
		t.Errorf("%s", got)
	}
	if got, want := b.list(t, "/agents", "agents"), `{"first":10,"offset":0}`; got != want {
		t.Errorf("%s", got)
	}
	for _, path := range []string{"/agents", "/jurisdictions"} {
		w := b.call(http.MethodGet, path+"?pageSize=26", "")
		want := `{"type":"/problems/validation","title":"Bad Request","status":400,"code":"PAGE_SIZE_EXCEEDED",` +
			`"message":"Page Size cannot exceed 25","detail":"Page Size cannot exceed 25","details":{"max":25},"traceId":"trace-1",` +
			`"errors":[{"field":"pageSize","code":"PAGE_SIZE_EXCEEDED","message":"Page Size cannot exceed 25"}]}`
		if got := w.Body.String(); w.Code != 400 || got != want {
			t.Errorf("%s", got)
		}
	}
}

// "sort is a comma-separated list of clauses of the form <field> [asc|desc]
// (default asc)" (specification, Limits).
func TestSortSyntax(t *testing.T) {
	b := newBench(t)
	clause := `{"direction":"%s","field":"%s"}`
	asc, desc := fmt.Sprintf(clause, "ASC", "LAST_NAME"), fmt.Sprintf(clause, "DESC", "START_DATE")
	for sort, want := range map[string]string{
		"lastName":                              asc,
		"lastName%20asc,startDate+desc":         asc + "," + desc,
		"%20lastName%20,%20startDate%20%20desc": asc + "," + desc,
		"lastName&sort=startDate+DESC":          asc + "," + desc,
	} {
		if got, want := b.list(t, "/agents?sort="+sort, "agents"), `{"first":50,"offset":0,"orderBy":[`+want+`]}`; got != want {
			t.Errorf("%s: %s", sort, got)
		}
	}
	for _, bad := range []string{"", ",", "lastName,", "lastName+down", "lastName+asc+desc", "lastName:asc"} {
		if p := problemOf(t, b.call(http.MethodGet, "/agents?sort="+bad, "")); p.Status != 400 || p.Errors[0].Field != "sort" {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

// "Sortable agent fields: agentCode, firstName, lastName, commonName, startDate,
// lastModified" (specification, Agents); "An unknown sort field gives 400"
// (Limits).
func TestUnknownSortFieldNamesTheSortableOnes(t *testing.T) {
	b := newBench(t)
	for _, field := range []string{"shoeSize", "LAST_NAME", "LastName", "email"} {
		p := problemOf(t, b.call(http.MethodGet, "/agents?sort="+field, ""))
		if p.Status != 400 || p.Code != "UNKNOWN_SORT_FIELD" ||
			p.Message != "sort can only be by agentCode, firstName, lastName, commonName, startDate, lastModified" {
			t.Errorf("%+v", p)
		}
	}
}

// "Paged lists return the paged envelope" (specification, Endpoints).
func TestPagedEnvelope(t *testing.T) {
	b := newBench(t)
	b.Graph(`{"levelPeriods":{"nodes":[{"databaseId":41,"team":"default","agent":{"agentCode":"A1"},"level":{"value":10,"name":"Rookie"},` +
		`"effectiveFrom":"2026-01-01","effectiveThrough":null,"recordedAt":"2026-01-01T00:00:00Z","recordedBy":"test"}],"pageInfo":{"hasNextPage":false,"endCursor":null},"totalCount":41}}`)
	w := b.call(http.MethodGet, "/teams/default/assigned-levels?pageIndex=3&pageSize=20", "")
	want := `{"pageIndex":3,"pageSize":20,"totalCount":41,"items":[{"id":41,"team":"default","agentCode":"A1","level":10,"levelName":"Rookie",` +
		`"effectiveFrom":"2026-01-01","lastModified":"2026-01-01T00:00:00Z","lastModifiedBy":"test"}]}`
	if got := w.Body.String(); w.Code != 200 || got != want {
		t.Errorf("%d %s", w.Code, got)
	}
}

// Reference lists have no pages in GraphQL; REST has them.
func TestPagedEnvelopeOfAReferenceList(t *testing.T) {
	b := newBench(t)
	b.Data(`{"payStatuses":[{"name":"A"},{"name":"B"},{"name":"C"}]}`)
	for query, want := range map[string]string{
		"":                          `{"pageIndex":1,"pageSize":50,"totalCount":3,"items":[{"name":"A"},{"name":"B"},{"name":"C"}]}`,
		"?pageSize=2":               `{"pageIndex":1,"pageSize":2,"totalCount":3,"items":[{"name":"A"},{"name":"B"}]}`,
		"?pageIndex=2&pageSize=2":   `{"pageIndex":2,"pageSize":2,"totalCount":3,"items":[{"name":"C"}]}`,
		"?pageIndex=20&pageSize=50": `{"pageIndex":20,"pageSize":50,"totalCount":3,"items":[]}`,
	} {
		if got := b.call(http.MethodGet, "/pay-statuses"+query, "").Body.String(); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	b.Data(`{"jurisdictions":[]}`)
	if b.call(http.MethodGet, "/jurisdictions?country=US", ""); b.variables(t) != `{"country":"US"}` {
		t.Errorf("%s", b.variables(t))
	}
}

// FuzzSort holds the sort parser to its promises for any text: a clause for
// each part, or a problem about sort for each part that is none.
func FuzzSort(f *testing.F) {
	for _, seed := range []string{"lastName", "lastName desc,startDate", " ,", "lastName asc asc", "id", "lastName\tDESC", "username:asc", "email:desc,username:", ":asc", "username:asc:desc"} {
		f.Add(seed)
	}
	lists := map[string]*input.Sorting{}
	for list, form := range map[string]paths.SortForm{"agents": paths.Spaced, "users": paths.Colon} {
		order := sdl().Query.Fields.ForName(list).Arguments.ForName("orderBy").Type
		lists[order.Name()+"Field"] = input.NewSorting(sdl(), order, form)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for enum, list := range lists {
			clauses, found := list.Parse(text)
			if len(clauses)+len(found) != strings.Count(text, ",")+1 {
				t.Errorf("%d clauses and %d problems", len(clauses), len(found))
			}
			for _, c := range clauses {
				field := c.(map[string]any)["field"].(string)
				if sdl().Types[enum].EnumValues.ForName(field) == nil {
					t.Errorf("%s is not sortable", field)
				}
			}
			for _, p := range found {
				if p.Category != problem.Validation || !slices.Equal(p.Field, []string{"sort"}) {
					t.Errorf("%+v", p)
				}
			}
		}
	})
}

// The rows of a list can be those of a record; a new one of them has a path of
// its own.
func TestListOfARecord(t *testing.T) {
	b := newBench(t)
	const row = `"identifier":"77120","providerCompany":{"code":"BLH"},"createdAt":"2026-01-01T00:00:00Z","createdBy":"a","lastModified":"2026-01-01T00:00:00Z","lastModifiedBy":"a"}`
	want := strings.Replace(`{"id":7,"agentCode":"A 1",`+row, `{"code":"BLH"}`, `"BLH"`, 1)
	b.Graph(`{"agent":{"aliases":{"nodes":[{"databaseId":7,"agent":{"agentCode":"A 1"},` + row + `],"pageInfo":{"hasNextPage":false,"endCursor":null},"totalCount":12}}}`)
	w := b.call(http.MethodGet, "/agents/A%201/aliases?identifier=77120&providerCompany=BLH&sort=createdAt&pageSize=1", "")
	expect(t, w, 200, `{"pageIndex":1,"pageSize":1,"totalCount":12,"items":[`+want+`]}`)
	variables := `{"agentCode":"A 1","first":1,"identifier":"77120","offset":0,"orderBy":[{"direction":"ASC","field":"CREATED_AT"}],"providerCompany":"BLH"}`
	if got := b.variables(t); got != variables {
		t.Errorf("%s", got)
	}
	b.Graph(`{"aliasCreate":{"alias":{"databaseId":7,"agent":{"agentCode":"A 1"},` + row + `,"applied":true,"userErrors":[]}}`)
	w = b.call(http.MethodPost, "/agents/A%2F1/aliases", minimalBodies["agency/aliasCreate"])
	expect(t, w, 201, want)
	if got := w.Header().Get("Location"); got != base+"/aliases/7" {
		t.Errorf("Location %s", got)
	}
}
