package journey

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// root is the code of the agent that every tenant has.
const root = "ROOT"

// path is a path of REST that can be read.
type path struct {
	url, operation string
	parameters     []string
	isList         bool
}

// served are the paths of the router's table that GET serves, which are the same for
// every server and caller.
var (
	served   []path
	servedMu sync.Mutex
)

// paths returns served, as the published document lists them.
func (s *sweeper) paths() (all []path) {
	s.Helper()
	servedMu.Lock()
	defer servedMu.Unlock()
	if served != nil {
		return served
	}
	var document object
	if err := json.Unmarshal(s.caller.Send(s, http.MethodGet, "/openapi.json", nil, nil).Body.Bytes(), &document); err != nil {
		s.Fatal(err)
	}
	for url, methods := range document["paths"].(object) {
		get, ok := methods.(object)["get"].(object)
		if !ok {
			continue
		}
		p := path{url: strings.ReplaceAll(url, "{tenantIdentifier}", "{tenant}"), operation: get["operationId"].(string)}
		content, _ := apptest.At(get, "responses.200.x-content").(object)
		_, p.isList = content["text/csv"]
		for part := range strings.SplitSeq(strings.ReplaceAll(p.url, "{tenant}", ""), "/") {
			if strings.HasPrefix(part, "{") {
				p.parameters = append(p.parameters, strings.Trim(part, "{}"))
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b path) int { return strings.Compare(a.url, b.url) })
	served = all
	return all
}

// rest reads every path: lists as JSON and as CSV, records by the keys that the
// lists name.
func (s *sweeper) rest() {
	s.Helper()
	paths := s.paths()
	for _, p := range paths {
		for _, url := range s.filled(paths, p) {
			if p.isList && !(s.moving && strings.Contains(strings.ReplaceAll(strings.ReplaceAll(p.url, "{tenant}", ""), "{team}", ""), "{")) {
				s.list(p, url)
			} else {
				s.get(url, "")
			}
		}
	}
}

// filled returns the URLs of a path with the parameters put in, those of the first
// few records where it is about one.
func (s *sweeper) filled(paths []path, p path) []string {
	s.Helper()
	known := map[string]string{"team": "default", "onDate": "2026-06-15"}
	urls := []string{p.url}
	for _, name := range p.parameters {
		if name == "slug" {
			return nil // curated runs them
		}
		var next []string
		for _, u := range urls {
			before, after, _ := strings.Cut(u, "{"+name+"}")
			values := []string{known[name]}
			if known[name] == "" {
				values = s.keys(paths, p, strings.TrimSuffix(before, "/"), name)
			}
			for _, v := range values {
				next = append(next, before+url.PathEscape(v)+after)
			}
		}
		urls = next
	}
	return urls
}

// keys are the first few values of a parameter: what the list before it says of
// its rows.
func (s *sweeper) keys(paths []path, p path, list, name string) (keys []string) {
	s.Helper()
	if name == "id" && strings.HasSuffix(list, "/versions") { // the list of versions is the contract itself
		if id, _ := apptest.At(s.read(`{ contract { versionId } }`), "contract.versionId").(string); id != "" {
			return []string{id}
		}
		return nil
	}
	lists := []string{list, strings.ReplaceAll(list, "/{tenant}", "")} // recipes have their list outside the tenants
	i := slices.IndexFunc(lists, func(list string) bool {
		return slices.ContainsFunc(paths, func(o path) bool { return o.isList && strings.ReplaceAll(o.url, "{team}", "default") == list })
	})
	if i < 0 {
		s.Fatalf("the sweep does not know what to give %s for %s", p.url, name)
	}
	items, _ := apptest.At(s.get(lists[i], "").json(s), "items").([]any)
	for _, item := range items[:min(3, len(items))] {
		key := apptest.At(item, name)
		if key == nil {
			s.Fatalf("the rows of %s have no %s", lists[i], name)
		}
		keys = append(keys, fmt.Sprint(key))
	}
	return keys
}

// list reads a list as JSON and as CSV and compares both, and with GraphQL.
func (s *sweeper) list(p path, url string) {
	s.Helper()
	shown := s.get(url+"?pageSize=100", "")
	if _, asked := s.totals[p.operation]; s.limited && (asked || s.refused[p.operation]) && s.refused[p.operation] != (shown.Code == http.StatusForbidden) {
		s.Errorf("%s: %s answers %d to a limited user, whom GraphQL refuses: %v", s.tenant, url, shown.Code, s.refused[p.operation])
	}
	if shown.Code == http.StatusForbidden {
		return
	}
	body := shown.json(s)
	items, _ := body["items"].([]any)
	total := number(body["totalCount"])
	if len(items) != min(total, 100) {
		s.Errorf("%s: %s has %d items of %d", s.tenant, url, len(items), total)
	}
	answer := s.get(url+"?pageSize=100", "text/csv")
	rows, err := csv.NewReader(answer.Body).ReadAll()
	s.shown(url+" as CSV", table(rows), true)
	if s.moving {
		items, total = make([]any, len(rows)-1), number(answer.Header().Get("Total-Count"))
	}
	if err != nil || len(rows)-1 != min(total, 100) || len(rows)-1 != len(items) || answer.Header().Get("Total-Count") != strconv.Itoa(total) {
		s.Errorf("%s: %s has %d rows of %s as CSV, %d of %d as JSON (%v)", s.tenant, url, len(rows)-1, answer.Header().Get("Total-Count"), len(items), total, err)
	}
	if !s.moving && err == nil && len(rows) == len(items)+1 {
		s.cells(url, rows, items)
	}
	if nodes, ok := s.lists[p.operation]; !s.moving && ok && (len(p.parameters) == 0 || slices.Equal(p.parameters, []string{"team"})) {
		s.compare(p, items, nodes, total)
	}
}

// compare holds the rows of a list of REST against those of the connection that
// has the name of its operation: how many, and what both have under one name.
func (s *sweeper) compare(p path, items, nodes []any, total int) {
	s.Helper()
	if total != s.totals[p.operation] {
		s.Errorf("%s: %s has %d rows, the connection %s %d", s.tenant, p.url, total, p.operation, s.totals[p.operation])
		return
	}
	for i := range min(len(items), len(nodes)) {
		for name, inGraphQL := range nodes[i].(object) {
			inREST, both := items[i].(object)[name]
			if name == "agent" {
				name, inGraphQL = "agentCode", apptest.At(inGraphQL, "agentCode")
				inREST, both = items[i].(object)[name]
			}
			if both && name != "id" && isLeaf(inGraphQL) && isLeaf(inREST) && !s.alike(inGraphQL, inREST) {
				s.Errorf("%s: row %d of %s says %s %v, the connection %v", s.tenant, i, p.url, name, inREST, inGraphQL)
			}
		}
	}
}

func isLeaf(v any) bool {
	switch v.(type) {
	case object, []any:
		return false
	}
	return true
}

// spelled is a value without what the doors spell differently: the words of an
// enumeration.
func spelled(v any) string { return strings.ToLower(strings.ReplaceAll(fmt.Sprint(v), "_", "")) }

// answer is what a path answered, with its body as JSON where it is that.
type answer struct {
	*httptest.ResponseRecorder
	body any
}

// get reads a path that has to answer.
func (s *sweeper) get(url, accept string) answer {
	s.Helper()
	var header http.Header
	if accept != "" {
		header = http.Header{"Accept": {accept}}
	}
	w := s.caller.Send(s, http.MethodGet, url, header, nil)
	if w.Code != http.StatusOK && !(s.limited && w.Code == http.StatusForbidden) && !(s.moving && w.Code == http.StatusNotFound) {
		s.Errorf("%s: GET %s: %d %.300s", s.tenant, url, w.Code, w.Body)
	}
	a := answer{ResponseRecorder: w}
	if strings.Contains(w.Header().Get("Content-Type"), "json") {
		decode := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
		decode.UseNumber()
		if err := decode.Decode(&a.body); err != nil {
			s.Errorf("%s: GET %s: no JSON: %v", s.tenant, url, err)
		}
		s.shown(url, a.body, s.limited)
	}
	return a
}

func (a answer) json(t testing.TB) (body object) {
	t.Helper()
	body, ok := a.body.(object)
	if !ok && a.Code == http.StatusOK {
		t.Errorf("no object of JSON: %.300s", a.Body)
	}
	return body
}

func (s *sweeper) read(text string) object {
	s.Helper()
	data, _ := s.query(text, 1, nil)
	return data
}

func number(v any) int {
	n, _ := strconv.Atoi(fmt.Sprint(v))
	return n
}

// forgetExports makes room: a tenant may have 50 files, and the stories share one.
func (s *sweeper) forgetExports() {
	s.Helper()
	err := s.world.Store.InTx(s.world.Context(s, s.tenant), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM export_chunk WHERE tenant_id = $1", s.world.Tenants[s.tenant].ID)
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM export WHERE tenant_id = $1", s.world.Tenants[s.tenant].ID)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}
