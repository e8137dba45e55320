package journey

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// sweeper reads all that a caller can read.
type sweeper struct {
	testing.TB
	world  *apptest.World
	caller *apptest.Caller
	tenant string
	schema schema
	// lists are the rows of the root connections, totals how many there are.
	lists  map[string][]any
	totals map[string]int
	// moving says that rows come and go meanwhile: each answer is right by itself,
	// and a record may be gone.
	moving bool
	// limited says that the caller sees a downline only, and no sensitive value in full;
	// refused are the connections that it has no scope for, strangers the words that
	// name one of the outsiders: the agents who are not of the downline.
	limited   bool
	refused   map[string]bool
	strangers map[string]bool
	outsiders int
}

// sweep reads every list of REST, as JSON and as CSV, every connection of the
// schema and of the objects in it, every export and every curated query of each
// tenant, and demands that all answer, that both doors say the same, and that
// every value is one of its type; and that a doctor finds nothing wrong.
func sweep(t testing.TB, w *apptest.World) { sweepAs(t, w, false) }

// sweepAs is sweep, and again the same as the limited user of each tenant.
func sweepAs(t testing.TB, w *apptest.World, limitedToo bool) {
	t.Helper()
	for _, tenant := range slices.Sorted(maps.Keys(w.Tenants)) {
		w.RebuildNow(t, tenant)
		whole := newSweeper(t, w, tenant)
		whole.all()
		if limitedToo {
			part := newLimitedSweeper(whole)
			part.all()
			part.within(whole)
		}
	}
	apptest.Sound(t, w.Store, w.Clock)
}

// all reads all of it.
func (s *sweeper) all() {
	s.Helper()
	s.connections()
	s.others()
	s.rest()
	s.curated()
	s.exports()
}

func newSweeper(t testing.TB, w *apptest.World, tenant string) *sweeper {
	t.Helper()
	s := &sweeper{TB: t, world: w, tenant: tenant, lists: map[string][]any{}, totals: map[string]int{}, refused: map[string]bool{}}
	s.caller = w.WithToken(tenant, w.As(tenant, allScopes...).Token(t))
	s.schema = introspect(t, s.caller)
	return s
}

// query sends a query that has to answer without errors, with smaller pages as
// long as it costs too much. The page size stands for %d in its text.
func (s *sweeper) query(text string, size int, variables object) (data object, first int) {
	s.Helper()
	for {
		r := s.caller.GraphQLWith(s, nil, strings.ReplaceAll(text, "%d", fmt.Sprint(size)), variables)
		if len(r.Errors) > 0 && size > 1 && r.Errors[0].Code() == "COST_LIMIT_EXCEEDED" {
			size /= 2
			continue
		}
		if s.limited && len(r.Errors) > 0 && r.Errors[0].Code() == "FORBIDDEN" {
			return nil, size
		}
		if r.Errors != nil {
			s.Errorf("%s: %s\n%.900s", s.tenant, errorTexts(r.Errors), text)
		}
		data, _ = r.Data.(object)
		for _, wrong := range s.schema.checkObject("query", "Query", data) {
			s.Errorf("%s: %s", s.tenant, wrong)
		}
		s.shown(text, data, true)
		return data, size
	}
}

func errorTexts(errs []apptest.Error) string {
	var texts []string
	for _, e := range errs[:min(3, len(errs))] {
		texts = append(texts, fmt.Sprintf("%s %s %v", e.Code(), e.Message, e.Path))
	}
	return strings.Join(texts, "; ")
}

// connections reads each connection of the schema, whole, and below its rows each
// connection that these have.
func (s *sweeper) connections() {
	s.Helper()
	for _, f := range s.schema["Query"].Fields {
		if !f.isConnection() {
			continue
		}
		args, ok := s.arguments(f)
		if !ok { // there is nothing to ask about
			continue
		}
		rows := s.schema.nodes(f)
		data, size := s.query("{ "+f.Name+"(first: %d"+args+") { totalCount pageInfo { hasNextPage startCursor endCursor } edges { cursor } nodes"+s.schema.selection(rows, 2)+" } }", 100, nil)
		if data == nil {
			s.refused[f.Name] = true
			continue
		}
		nodes, _ := apptest.At(data, f.Name+".nodes").([]any)
		total := number(apptest.At(data, f.Name+".totalCount"))
		if want := min(total, size); len(nodes) != want || apptest.At(data, f.Name+".pageInfo.hasNextPage") != (total > size) {
			s.Errorf("%s: %s has %d rows of %d, and more: %v", s.tenant, f.Name, len(nodes), total, apptest.At(data, f.Name+".pageInfo"))
		}
		s.lists[f.Name], s.totals[f.Name] = nodes, total
		for _, below := range s.schema[rows].Fields {
			if below.isConnection() && len(below.required()) == 0 {
				s.query("{ "+f.Name+"(first: %d"+args+") { nodes { "+below.Name+"(first: 5) { totalCount nodes"+s.schema.selection(s.schema.nodes(below), 2)+" } } } }", 20, nil)
			}
		}
	}
}

// arguments returns the required ones of a root connection, and false when
// there is nothing that they could name.
func (s *sweeper) arguments(f *fieldDef) (text string, ok bool) {
	s.Helper()
	for _, name := range f.required() {
		switch name {
		case "subscriptionId":
			id, _ := apptest.At(s.read(`{ webhookSubscriptions(first: 1) { nodes { id } } }`), "webhookSubscriptions.nodes.0.id").(string)
			if id == "" {
				return "", false
			}
			text += fmt.Sprintf(", %s: %q", name, id)
		case "kind":
			text += ", kind: VIEW"
		case "clientId":
			all, _ := apptest.At(s.read(`{ clients { clientId } }`), "clients").([]any)
			if len(all) == 0 {
				return "", false
			}
			text += fmt.Sprintf(", %s: %q", name, apptest.At(all[0], "clientId"))
		default:
			s.Fatalf("the sweep does not know what to give %s for %s", f.Name, name)
		}
	}
	return text, true
}

// others reads every other field of Query that can be asked for without more, and
// a few agents by themselves.
func (s *sweeper) others() {
	s.Helper()
	for _, f := range s.schema["Query"].Fields {
		if !f.isConnection() && len(f.required()) == 0 && f.Name != "__typename" && f.Name != "_service" { // the text of the schema has examples
			s.query("{ "+f.Name+s.schema.selection(f.Type.named(), 3)+" }", 1, nil)
		}
	}
	agents := s.lists["agents"]
	for _, row := range agents[:min(5, len(agents))] {
		s.query("query($code: String!) { agent(agentCode: $code)"+s.schema.selection("Agent", 2)+" }", 1, object{"code": apptest.At(row, "agentCode")})
	}
}

// curated runs every curated query, through both doors.
func (s *sweeper) curated() {
	s.Helper()
	data, _ := s.query(`{ insightQueries { slug parameters { name required } } }`, 1, nil)
	for _, q := range apptest.At(data, "insightQueries").([]any) {
		slug, parameters := apptest.At(q, "slug").(string), object{}
		path, nothing := "/business-insights/{tenant}/queries/"+slug+"?", false
		for _, p := range apptest.At(q, "parameters").([]any) {
			if apptest.At(p, "required") == true {
				name := apptest.At(p, "name").(string)
				switch name {
				case "agentCode":
					parameters[name] = s.top()
				case "product":
					code, ok := apptest.At(s.read(`{ products { code } }`), "products.0.code").(string)
					parameters[name], nothing = code, !ok
				case "jurisdiction":
					parameters[name] = "US-TX"
				default:
					s.Fatalf("the sweep does not know what to give %s for %s", slug, name)
				}
				path += "&" + name + "=" + parameters[name].(string)
			}
		}
		if nothing {
			continue
		}
		inGraphQL, _ := s.query(`query($slug: String!, $parameters: JSON) { insight(slug: $slug, parameters: $parameters) { totalCount rows columns { key } } }`, 1, object{"slug": slug, "parameters": parameters})
		inREST := s.get(path, "").json(s)
		if total := apptest.At(inREST, "totalCount"); fmt.Sprint(total) != fmt.Sprint(apptest.At(inGraphQL, "insight.totalCount")) {
			s.Errorf("%s: %s has %v rows in REST, %v in GraphQL", s.tenant, slug, total, apptest.At(inGraphQL, "insight.totalCount"))
		}
		if rows := apptest.At(inREST, "items"); fmt.Sprint(rows) != fmt.Sprint(apptest.At(inGraphQL, "insight.rows")) {
			s.Errorf("%s: %s has in REST the rows\n%.500v\nin GraphQL\n%.500v", s.tenant, slug, rows, apptest.At(inGraphQL, "insight.rows"))
		}
	}
}

// exports exports every root connection and looks at the files.
func (s *sweeper) exports() {
	s.Helper()
	const create = `mutation($input: ExportCreateInput!) { exportCreate(input: $input) { export { id } userErrors { message } } }`
	ids := map[string]string{}
	for i, f := range s.schema["Query"].Fields {
		if !f.isConnection() || len(f.required()) > 0 || s.refused[f.Name] {
			continue
		}
		made := s.caller.Query(s, create, object{"input": object{"query": "{ " + f.Name + " { nodes" + s.schema.selection(s.schema.nodes(f), 1) + " } }",
			"connectionPath": f.Name, "format": []string{"CSV", "JSONL", "XLSX"}[i%3]}})
		ids[f.Name], _ = apptest.At(made, "exportCreate.export.id").(string)
		if ids[f.Name] == "" {
			s.Errorf("%s: no export of %s: %v", s.tenant, f.Name, made)
			continue
		}
		if _, err := s.world.Exports.WorkNext(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	for name, id := range ids {
		state := apptest.At(s.caller.Query(s, `query($id: ID!) { export(id: $id) { status error rowCount downloadUrl } }`, object{"id": id}), "export")
		url, _ := apptest.At(state, "downloadUrl").(string)
		path, ok := strings.CutPrefix(url, apptest.Issuer)
		if !ok {
			s.Errorf("%s: the export of %s is %v", s.tenant, name, state)
			continue
		}
		// What is read leaves no rows, but the audit trail and the feed grow with the sweep.
		if n := number(apptest.At(state, "rowCount")); n != s.totals[name] && name != "auditLog" && name != "changes" && name != "events" {
			s.Errorf("%s: %d rows of %s were exported, of %d", s.tenant, n, name, s.totals[name])
		}
		answer := s.caller.Send(s, http.MethodGet, path, nil, nil)
		if answer.Code != http.StatusOK {
			s.Errorf("%s: the file of %s: %d %s", s.tenant, name, answer.Code, answer.Body)
		}
		s.file(name, answer)
	}
	s.forgetExports()
}
