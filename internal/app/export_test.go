package app_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/oauth"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/internal/tenants"
)

const (
	exportCreate = `mutation($input: ExportInput!) { exportCreate(input: $input) { applied export { id status format rowCount downloadUrl } userErrors { code field message } } }`
	exportState  = `query($id: ID!) { export(id: $id) { status connectionPath onDate rowCount rowTotal size finishedAt expiresAt downloadUrl error } }`
)

// exported asks for an export, has it written, and returns its id and its state.
func exported(t *testing.T, w *apptest.World, c *apptest.Caller, input object) (id string, state any) {
	t.Helper()
	id = asked(t, c, input)
	for found := true; found; {
		var err error
		if found, err = w.Exports.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return id, apptest.At(c.Query(t, exportState, object{"id": id}), "export")
}

func asked(t *testing.T, c *apptest.Caller, input object) (id string) {
	t.Helper()
	made := c.Query(t, exportCreate, object{"input": input})
	id, ok := apptest.At(made, "exportCreate.export.id").(string)
	if !ok || apptest.At(made, "exportCreate.export.status") != "QUEUED" || apptest.At(made, "exportCreate.applied") != true {
		t.Fatalf("asked for %v: %v", input, made)
	}
	return id
}

// download gets the file of an export that is done.
func download(t *testing.T, c *apptest.Caller, state any) *httptest.ResponseRecorder {
	t.Helper()
	url, _ := apptest.At(state, "downloadUrl").(string)
	path, ok := strings.CutPrefix(url, apptest.Issuer)
	if !ok {
		t.Fatalf("the export is %v", state)
	}
	return c.Send(t, http.MethodGet, path, nil, nil)
}

func query(document, path, format string) object {
	return object{"query": document, "connectionPath": path, "format": format}
}

// A connection becomes a file in every format: the columns in the order of the
// query, the rows of all pages in theirs.
func TestExportFormats(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		for i, name := range []string{"=cmd|' /C calc'!A0", `O"Neil, Ana`, "José 日本", "-5"} {
			if status, _, answer := c.REST(t, "POST", "/agents", object{"agentCode": fmt.Sprint("E", i), "firstName": name, "lastName": "X", "status": "Active", "birthDate": "1980-05-0" + fmt.Sprint(i+1), "startDate": "2026-01-01T12:00:00Z",
				"teams": object{"default": object{"level": 10}}, "initiator": "hr"}); status != 201 {
				t.Fatalf("%d %s", status, answer)
			}
		}
		const document = `query($desc: OrderDirection!) { all: agents(orderBy: [{field: AGENT_CODE, direction: $desc}]) { totalCount nodes { agentCode firstName birthDate startDate status: payStatus { name } isActive tags { name } } } }`
		in := object{"query": document, "variables": object{"desc": "DESC"}, "connectionPath": "all", "format": "CSV"}
		_, state := exported(t, w, c, in)
		answer := download(t, c, state)
		want := "\ufeffagentCode,firstName,birthDate,startDate,status.name,isActive,tags\r\n" +
			"E3,'-5,1980-05-04,2026-01-01T12:00:00Z,Active,true,\r\nE2,José 日本,1980-05-03,2026-01-01T12:00:00Z,Active,true,\r\n" +
			"E1,\"O\"\"Neil, Ana\",1980-05-02,2026-01-01T12:00:00Z,Active,true,\r\nE0,'=cmd|' /C calc'!A0,1980-05-01,2026-01-01T12:00:00Z,Active,true,\r\n"
		if got := answer.Body.String(); got != want {
			t.Errorf("the file is\n%q; want\n%q", got, want)
		}
		for name, want := range map[string]string{"Content-Type": "text/csv; charset=utf-8; header=present", "Content-Disposition": "attachment; filename=all-2026-06-15.csv",
			"Content-Length": fmt.Sprint(len(want)), "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
			if got := answer.Header().Get(name); got != want {
				t.Errorf("%s is %q; want %q", name, got, want)
			}
		}
		if apptest.At(state, "rowCount") == nil || fmt.Sprintf("%v %v %v", apptest.At(state, "rowCount"), apptest.At(state, "rowTotal"), apptest.At(state, "onDate")) != "4 4 2026-06-15" {
			t.Errorf("the export is %v", state)
		}

		in["format"] = "JSONL"
		_, state = exported(t, w, c, in)
		lines := strings.Split(download(t, c, state).Body.String(), "\n")
		if want := `{"agentCode":"E3","firstName":"-5","birthDate":"1980-05-04","startDate":"2026-01-01T12:00:00Z","status":{"name":"Active"},"isActive":true,"tags":[]}`; len(lines) != 5 || lines[0] != want {
			t.Errorf("the lines are %q; want %s first", lines, want)
		}

		in["format"] = "XLSX"
		_, state = exported(t, w, c, in)
		f, err := excelize.OpenReader(download(t, c, state).Body)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := f.GetRows("Export")
		if want := []string{"E0", "=cmd|' /C calc'!A0", "1980-05-01", "2026-01-01 12:00:00", "Active", "TRUE"}; err != nil || len(rows) != 5 || !slices.Equal(rows[4], want) {
			t.Errorf("the workbook has %q, %v; want %q last", rows, err, want)
		}
	})
}

// All pages of a long list are read, and of a connection below an object.
func TestExportOfManyPages(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 1600)
		c := w.As(apptest.Acme)
		for path, document := range map[string]string{
			"agents":         `{ agents { nodes { agentCode displayName payStatus { name } uplineChain { agent { agentCode } } } } }`,
			"agent.downline": `{ agent(agentCode: "A1000") { downline { nodes { agentCode displayName } } } }`,
		} {
			_, state := exported(t, w, c, query(document, path, "CSV"))
			all, err := csv.NewReader(download(t, c, state).Body).ReadAll()
			if err != nil || len(all) < 250 || fmt.Sprint(len(all)-1) != fmt.Sprint(apptest.At(state, "rowTotal")) {
				t.Fatalf("%s: %d rows of %v, %v", path, len(all), state, err)
			}
			seen := map[string]bool{}
			for _, row := range all {
				if seen[row[0]] {
					t.Errorf("%s: %s comes twice", path, row[0])
				}
				seen[row[0]] = true
			}
		}
	})
}

// "sensitive values masked unless revealed and audited": the entries name the
// agents, and a tenant that masks shows nothing without the scope.
func TestExportReveals(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		in := query(`{ agents { nodes { agentCode governmentIdentifier } } }`, "agents", "CSV")
		count := len(a.entries(t, "REVEAL"))
		_, state := exported(t, w, a.Caller, in)
		if text := download(t, a.Caller, state).Body.String(); strings.Contains(text, "523-45-678") || !strings.Contains(text, "R1,") || len(a.entries(t, "REVEAL")) != count {
			t.Errorf("masked it is %s, with %d entries", text, len(a.entries(t, "REVEAL"))-count)
		}
		in["query"] = `query($r: Boolean!) { agents(filter: {agentCodes: ["R1", "R2"]}) { nodes { agentCode governmentIdentifier(reveal: $r) } } }`
		in["variables"] = object{"r": true}
		_, state = exported(t, w, a.Caller, in)
		if text := download(t, a.Caller, state).Body.String(); strings.Count(text, "523-45-678") != 2 {
			t.Errorf("revealed it is %s", text)
		}
		entries := a.entries(t, "REVEAL")
		if len(entries) != count+1 {
			t.Fatalf("it left %d entries", len(entries)-count)
		}
		if got := fmt.Sprint(apptest.At(entries[0], "operation"), apptest.At(entries[0], "surface"), apptest.At(entries[0], "subject"), apptest.At(entries[0], "entityKeys"), apptest.At(entries[0], "changes.0.field"), len(apptest.At(entries[0], "changes").([]any))); got != fmt.Sprint("exportCreate", "GRAPHQL", a.client, []any{"R1", "R2"}, "governmentIdentifier", 1) {
			t.Errorf("the entry is %s", got)
		}

		plain, seer := w.As(apptest.Acme, "read:agents"), w.As(apptest.Acme, "read:agents", "read:agents:sensitive")
		states := map[*apptest.Caller]any{}
		for _, c := range []*apptest.Caller{plain, seer} {
			_, states[c] = exported(t, w, c, in)
			if answer := download(t, c, states[c]); answer.Code != http.StatusOK || strings.Count(answer.Body.String(), "523-45-678") != 2 {
				t.Errorf("where nothing is masked: %d %s", answer.Code, answer.Body)
			}
		}
		if _, err := tenants.Update(t.Context(), w.Store, apptest.Acme, tenants.Settings{MaskSensitive: new(true)}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(11 * time.Second)
		if answer := download(t, seer, states[seer]); answer.Code != http.StatusOK {
			t.Errorf("a tenant that masks now, to who may see: %d", answer.Code)
		}
		if answer := download(t, plain, states[plain]); answer.Code != http.StatusForbidden || strings.Contains(answer.Body.String(), "523-45-678") {
			t.Errorf("a tenant that masks now, to who sees masks: %d %s", answer.Code, answer.Body)
		}
		_, state = exported(t, w, plain, in)
		if text := download(t, plain, state).Body.String(); strings.Contains(text, "523-45-678") {
			t.Errorf("a tenant that masks shows %s", text)
		}
		for _, row := range slices.Concat(tables(t, w)["export"], tables(t, w)["export_chunk"], []string{w.Logged()}) {
			if strings.Contains(row, "523-45-678") || strings.Contains(row, "governmentIdentifier") {
				t.Errorf("the row shows what is asked for: %s", row)
			}
		}
	})
}

// Each export and each download leaves an entry, what was refused none.
func TestExportsAreAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "GRAPHQL")
		count := len(a.entries(t, "WRITE"))
		_, state := exported(t, w, a.Caller, query(`{ agents { nodes { agentCode } } }`, "agents", "CSV"))
		if answer := download(t, a.Caller, state); answer.Code != http.StatusOK {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
		path := strings.TrimPrefix(apptest.At(state, "downloadUrl").(string), apptest.Issuer)
		if answer := a.Send(t, http.MethodHead, path, nil, nil); answer.Code != http.StatusOK || answer.Body.Len() > 0 {
			t.Errorf("HEAD: %d %s", answer.Code, answer.Body)
		}
		if answer := w.As(apptest.Acme, "write:agents").Send(t, http.MethodGet, path, nil, nil); answer.Code != http.StatusNotFound {
			t.Errorf("somebody else: %d", answer.Code)
		}
		a.Query(t, exportCreate, object{"input": query(`{ agents { totalCount } }`, "agents", "CSV")})
		entries := a.entries(t, "WRITE")
		var got []string
		for _, e := range entries[:len(entries)-count] {
			var fields []string
			for _, change := range apptest.At(e, "changes").([]any) {
				fields = append(fields, apptest.At(change, "field").(string))
			}
			got = append(got, fmt.Sprint(apptest.At(e, "operation"), " ", apptest.At(e, "surface"), " ", apptest.At(e, "entityType"), " ", apptest.At(e, "initiator") == a.client, fields))
		}
		if want := []string{"exportDownload REST Export true [file]", "exportCreate GRAPHQL Export true [connectionPath format]"}; !slices.Equal(got, want) {
			t.Errorf("the entries are %q; want %q", got, want)
		}
	})
}

// Only who asked for an export sees it, by whichever way.
func TestExportBelongsToWhoAsked(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		id, state := exported(t, w, c, query(`{ agents { nodes { agentCode } } }`, "agents", "CSV"))
		path := strings.TrimPrefix(apptest.At(state, "downloadUrl").(string), apptest.Issuer)
		for name, other := range map[string]*apptest.Caller{"another client": w.As(apptest.Acme, allScopes...), "a foreign tenant": w.As(apptest.Umbra),
			"a user": w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "ana", "", "Administrator"))} {
			seen := other.Query(t, `query($id: ID!) { export(id: $id) { id } node(id: $id) { id } }`, object{"id": id})
			if apptest.At(seen, "export") != nil || apptest.At(seen, "node") != nil {
				t.Errorf("%s sees %v", name, seen)
			}
			here := strings.Replace(path, "/"+apptest.Acme+"/", "/{tenant}/", 1)
			if answer := other.Send(t, http.MethodGet, here, nil, nil); answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "agentCode") {
				t.Errorf("%s downloads: %d %s", name, answer.Code, answer.Body)
			}
		}
		if seen := c.Query(t, `query($id: ID!) { node(id: $id) { ... on Export { status } } }`, object{"id": id}); apptest.At(seen, "node.status") != "COMPLETED" {
			t.Errorf("the owner sees %v", seen)
		}
		for name, token := range map[string]*apptest.Caller{"no token": w.WithToken(apptest.Acme, "none"), "a wrong token": w.WithToken(apptest.Acme, "x.y.z"), "a token of another tenant": w.As(apptest.Umbra)} {
			answer := token.Send(t, http.MethodGet, path, nil, nil)
			if answer.Code != http.StatusUnauthorized && answer.Code != http.StatusForbidden || answer.Header().Get("Content-Type") != "application/json" && !strings.Contains(answer.Header().Get("Content-Type"), "json") {
				t.Errorf("%s downloads: %d %s", name, answer.Code, answer.Body)
			}
		}
		id36 := path[len(path)-36:]
		for _, wrong := range []string{path[:len(path)-36] + "urn:uuid:" + id36, path[:len(path)-36] + "%7B" + id36 + "%7D", path[:len(path)-36] + strings.ReplaceAll(id36, "-", ""), path + "x", path[:len(path)-36] + "00000000-0000-0000-0000-000000000000", path[:len(path)-36] + "nonsense"} {
			if answer := c.Send(t, http.MethodGet, wrong, nil, nil); answer.Code != http.StatusNotFound {
				t.Errorf("%s: %d %s", wrong, answer.Code, answer.Body)
			}
		}
	})
}

// What a caller lacks when it asks is refused at once; what it loses until the
// export is written ends that.
func TestExportScopes(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		made := w.As(apptest.Acme, "read:agents").Query(t, exportCreate, object{"input": query(`{ users { nodes { username agent { agentCode } } } }`, "users", "CSV")})
		if apptest.At(made, "exportCreate.userErrors.0.code") != "FORBIDDEN" || apptest.At(made, "exportCreate.userErrors.1") != nil || apptest.At(made, "exportCreate.export") != nil {
			t.Errorf("without read:users: %v", made)
		}
		for name, test := range map[string]struct {
			in          object
			code, field string
		}{
			"a variable": {in: object{"query": `query($n: Int!) { agents(filter: {agentCodes: ["x"]}) { nodes { agentCode } } certificationPeriods(first: $n) { totalCount } }`, "connectionPath": "agents", "format": "CSV"}},
			"a missing variable": {in: object{"query": `query($n: String!) { agent(agentCode: $n) { downline { nodes { agentCode } } } }`, "connectionPath": "agent.downline", "format": "CSV"},
				code: "INVALID_FORMAT", field: "[input variables]"},
			"a value in the message": {in: object{"query": `{ agents(filter: {agentCodes: 523456789}, orderBy: "523456789") { nodes { agentCode } } }`, "connectionPath": "agents", "format": "CSV"},
				code: "INVALID_FORMAT", field: "[input query]"},
		} {
			made := w.As(apptest.Acme).Query(t, exportCreate, object{"input": test.in})
			code, _ := apptest.At(made, "exportCreate.userErrors.0.code").(string)
			if code != test.code || test.field != "" && fmt.Sprint(apptest.At(made, "exportCreate.userErrors.0.field")) != test.field || strings.Contains(fmt.Sprint(made), "523456789") {
				t.Errorf("%s: %v", name, made)
			}
		}
		for found := true; found; { // that of the first row
			found, _ = w.Exports.WorkNext(t.Context())
		}

		c := w.As(apptest.Acme)
		in := query(`{ agents { nodes { agentCode } } }`, "agents", "CSV")
		id := asked(t, c, in)
		client, _ := c.Credentials(t)
		clients := oauth.NewEntStore(w.Store)
		if err := clients.SetClientDisabled(t.Context(), client, true); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Exports.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := clients.SetClientDisabled(t.Context(), client, false); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(11 * time.Second)
		if state := apptest.At(c.Query(t, exportState, object{"id": id}), "export"); apptest.At(state, "status") != "FAILED" || apptest.At(state, "error") != "Who asked for the export may not act any more" {
			t.Errorf("of a disabled client it is %v", state)
		}

		w.AddUser(t, apptest.Acme, "bob", "", "Administrator")
		ana := w.AddUser(t, apptest.Acme, "ana", "", "Administrator")
		u := w.AsUser(t, apptest.Acme, ana)
		_, done := exported(t, w, u, in)
		if _, _, err := w.Identity.UpdateUser(w.Context(t, apptest.Acme), ana.Username, identity.UserInput{Roles: patch.Set([]string{})}); err != nil {
			t.Fatal(err)
		}
		if answer := download(t, u, done); answer.Code != http.StatusForbidden || strings.Contains(answer.Body.String(), "E0") {
			t.Errorf("a user without the role downloads: %d %s", answer.Code, answer.Body)
		}
	})
}

// A limited user exports what it sees.
func TestExportOfALimitedUser(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		_, state := exported(t, w, l.caller, query(`{ agents(orderBy: [{field: AGENT_CODE, direction: ASC}]) { nodes { agentCode displayName email } } }`, "agents", "JSONL"))
		text := download(t, l.caller, state).Body.String()
		if canary := leaksOutside([]byte(text)); canary != "" || strings.Count(text, "\n") != len(own) || !strings.Contains(text, `"SEER"`) {
			t.Errorf("the limited user exports %s, with %q", text, canary)
		}
	})
}

// Who follows an export through another server sees how it stands, and its end.
func TestExportUpdated(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		c := r.As(apptest.Acme)
		id := asked(t, c, query(`{ agents { nodes { agentCode } } }`, "agents", "CSV"))
		document := fmt.Sprintf(`subscription { exportUpdated(id: %q) { status rowCount downloadUrl } }`, id)
		f := r.follow(t, c, document)
		f.expect(`"status":"QUEUED"`)
		events := r.stream(t, c, document)
		if first := <-events; !strings.Contains(first, `"status":"QUEUED"`) {
			t.Errorf("the stream begins with %s", first)
		}
		if _, err := r.Exports.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
		last := ""
		for event := range events { // it ends with the export
			if strings.Contains(event, "status") {
				last = event
			}
		}
		if !strings.Contains(last, `"status":"COMPLETED"`) || !strings.Contains(last, apptest.Issuer+"/exports/acme/") {
			t.Errorf("the stream ends with %s", last)
		}
		for got := ""; !strings.Contains(got, `"type":"complete"`); {
			var err error
			if got, err = f.next(); err != nil {
				t.Fatal(err)
			}
		}
		r.follow(t, c, document).expect(`"status":"COMPLETED"`, `"type":"complete"`)
		r.follow(t, r.As(apptest.Acme, allScopes...), document).expect(`There is no such export`)
	})
}

// A server that is killed while it writes leaves nothing that is served; the next
// one writes the whole file.
func TestKilledExport(t *testing.T) {
	for name, newURL := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "upline.db") },
		"postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			url := newURL(t)
			s := openStore(t, url)
			if err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			w := apptest.New(t, s, apptest.Options{Now: clock.System{}.Now()})
			w.LoadDemo(t, apptest.Acme, 2500)
			c := w.As(apptest.Acme)
			in := query(`{ agents { nodes { id agentCode displayName firstName lastName startDate createdAt lastModified payStatus { name } uplineChain { agent { agentCode displayName } } } } }`, "agents", "JSONL")
			_, state := exported(t, w, c, in)
			want := download(t, c, state).Body.Bytes()
			if len(want) < 3*256<<10 {
				t.Fatalf("%d bytes are no test of chunks", len(want))
			}
			id := asked(t, c, in)
			_ = startChild(t, url, childPoint+"=chunk 2 1").cmd.Wait() // it kills itself
			state = apptest.At(c.Query(t, exportState, object{"id": id}), "export")
			n, err := store.Collect(t.Context(), s, store.ScanOne[int], "SELECT count(*) FROM export_chunk WHERE export_id = (SELECT max(id) FROM export)")
			if err != nil || n[0] != 2 || apptest.At(state, "status") != "RUNNING" || apptest.At(state, "downloadUrl") != nil {
				t.Fatalf("killed, it is %v with %d chunks, %v", state, n, err)
			}
			child := startChild(t, url, childAhead+"=2m")
			defer child.kill()
			for range 1200 {
				if state = apptest.At(c.Query(t, exportState, object{"id": id}), "export"); apptest.At(state, "status") == "COMPLETED" {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			if got := download(t, c, state).Body.Bytes(); !bytes.Equal(got, want) {
				t.Errorf("the next server wrote %d bytes; want %d", len(got), len(want))
			}
		})
	}
}
