package doors_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
)

// "sensitive values masked unless revealed and audited": the entries name the
// agents, and a tenant that masks shows nothing without the scope.
func TestExportReveals(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		in := apptest.Export(`{ agents { nodes { agentCode governmentIdentifier } } }`, "agents", "CSV")
		count := len(a.entries(t, "REVEAL"))
		_, state := apptest.Exported(t, w, a.Caller, in)
		if text := apptest.Download(t, a.Caller, state).Body.String(); strings.Contains(text, "523-45-678") || !strings.Contains(text, "R1,") || len(a.entries(t, "REVEAL")) != count {
			t.Errorf("masked it is %s, with %d entries", text, len(a.entries(t, "REVEAL"))-count)
		}
		in["query"] = `query($r: Boolean!) { agents(filter: {agentCodes: ["R1", "R2"]}) { nodes { agentCode governmentIdentifier(reveal: $r) } } }`
		in["variables"] = object{"r": true}
		_, state = apptest.Exported(t, w, a.Caller, in)
		if text := apptest.Download(t, a.Caller, state).Body.String(); strings.Count(text, "523-45-678") != 2 {
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
			_, states[c] = apptest.Exported(t, w, c, in)
			if answer := apptest.Download(t, c, states[c]); answer.Code != http.StatusOK || strings.Count(answer.Body.String(), "523-45-678") != 2 {
				t.Errorf("where nothing is masked: %d %s", answer.Code, answer.Body)
			}
		}
		if _, err := directory.Update(t.Context(), w.Store, w.Clock, apptest.Acme, directory.Settings{MaskSensitive: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(11 * time.Second)
		if answer := apptest.Download(t, seer, states[seer]); answer.Code != http.StatusOK {
			t.Errorf("a tenant that masks now, to who may see: %d", answer.Code)
		}
		if answer := apptest.Download(t, plain, states[plain]); answer.Code != http.StatusForbidden || strings.Contains(answer.Body.String(), "523-45-678") {
			t.Errorf("a tenant that masks now, to who sees masks: %d %s", answer.Code, answer.Body)
		}
		_, state = apptest.Exported(t, w, plain, in)
		if text := apptest.Download(t, plain, state).Body.String(); strings.Contains(text, "523-45-678") {
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
		_, state := apptest.Exported(t, w, a.Caller, apptest.Export(`{ agents { nodes { agentCode } } }`, "agents", "CSV"))
		if answer := apptest.Download(t, a.Caller, state); answer.Code != http.StatusOK {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
		path := strings.TrimPrefix(apptest.At(state, "downloadUrl").(string), apptest.Issuer)
		if answer := a.Send(t, http.MethodHead, path, nil, nil); answer.Code != http.StatusOK || answer.Body.Len() > 0 {
			t.Errorf("HEAD: %d %s", answer.Code, answer.Body)
		}
		if answer := w.As(apptest.Acme, "write:agents").Send(t, http.MethodGet, path, nil, nil); answer.Code != http.StatusNotFound {
			t.Errorf("somebody else: %d", answer.Code)
		}
		a.Query(t, apptest.ExportCreate, object{"input": apptest.Export(`{ agents { totalCount } }`, "agents", "CSV")})
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
		id, state := apptest.Exported(t, w, c, apptest.Export(`{ agents { nodes { agentCode } } }`, "agents", "CSV"))
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
		made := w.As(apptest.Acme, "read:agents").Query(t, apptest.ExportCreate, object{"input": apptest.Export(`{ users { nodes { username agent { agentCode } } } }`, "users", "CSV")})
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
			made := w.As(apptest.Acme).Query(t, apptest.ExportCreate, object{"input": test.in})
			code, _ := apptest.At(made, "exportCreate.userErrors.0.code").(string)
			if code != test.code || test.field != "" && fmt.Sprint(apptest.At(made, "exportCreate.userErrors.0.field")) != test.field || strings.Contains(fmt.Sprint(made), "523456789") {
				t.Errorf("%s: %v", name, made)
			}
		}
		for found := true; found; { // that of the first row
			found, _ = w.Exports.WorkNext(t.Context())
		}

		c := w.As(apptest.Acme)
		in := apptest.Export(`{ agents { nodes { agentCode } } }`, "agents", "CSV")
		id := apptest.AskExport(t, c, in)
		client, _ := c.Credentials(t)
		clients := app.Operator(w.Store)
		if err := clients.AmendClient(t.Context(), client, identity.ClientInput{IsDisabled: patch.Set(true)}, w.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Exports.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := clients.AmendClient(t.Context(), client, identity.ClientInput{IsDisabled: patch.Set(false)}, w.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(11 * time.Second)
		if state := apptest.At(c.Query(t, apptest.ExportState, object{"id": id}), "export"); apptest.At(state, "status") != "FAILED" || apptest.At(state, "error") != "Who asked for the export may not act any more" {
			t.Errorf("of a disabled client it is %v", state)
		}

		w.AddUser(t, apptest.Acme, "bob", "", "Administrator")
		ana := w.AddUser(t, apptest.Acme, "ana", "", "Administrator")
		u := w.AsUser(t, apptest.Acme, ana)
		_, done := apptest.Exported(t, w, u, in)
		if _, _, err := w.Identity.UpdateUser(w.Context(t, apptest.Acme), ana.Username, identity.UserInput{Roles: patch.Set([]string{})}); err != nil {
			t.Fatal(err)
		}
		if answer := apptest.Download(t, u, done); answer.Code != http.StatusForbidden || strings.Contains(answer.Body.String(), "E0") {
			t.Errorf("a user without the role downloads: %d %s", answer.Code, answer.Body)
		}
	})
}

// A limited user exports what it sees.
func TestExportOfALimitedUser(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		_, state := apptest.Exported(t, w, l.caller, apptest.Export(`{ agents(orderBy: [{field: AGENT_CODE, direction: ASC}]) { nodes { agentCode displayName email } } }`, "agents", "JSONL"))
		text := apptest.Download(t, l.caller, state).Body.String()
		if canary := leaksOutside([]byte(text)); canary != "" || strings.Count(text, "\n") != len(own) || !strings.Contains(text, `"SEER"`) {
			t.Errorf("the limited user exports %s, with %q", text, canary)
		}
	})
}
