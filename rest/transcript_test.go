package rest_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/rest"
	"github.com/uplinehq/upline/rest/resttest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// transcripts are the folders of the areas, by the beginning of their paths.
var transcripts = map[string]string{"/agency-management/": "testdata/agency", "/agent-onboarding/": "testdata/onboarding", "/webhooks/": "testdata/webhooks",
	"/identity-management/": "testdata/identity", "/business-insights/": "testdata/insights"}

// transcriptOf returns the transcript of an operation.
func transcriptOf(path, operationID string) string {
	for beginning, dir := range transcripts {
		if _, below, _ := strings.Cut(path, " "); strings.HasPrefix(below, beginning) {
			return filepath.Join(dir, operationID+".txt")
		}
	}
	return ""
}

// transcriptsBegin is when every transcript begins.
var transcriptsBegin = time.Date(2026, time.March, 2, 15, 0, 0, 0, time.UTC)

// The documented paths behave as the transcripts say, which read as their
// documentation: on the whole server, on every database, and as the published
// OpenAPI document describes. What a path answers it answers in part, too: see choosing.
func TestTranscripts(t *testing.T) {
	dbtest.EachKind(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		outcomes, recorded, parts := map[string]resttest.Outcomes{}, newRecording(), choosing{map[string]bool{}}
		for _, dir := range slices.Sorted(maps.Values(transcripts)) { // what is seen first is always the same
			maps.Copy(outcomes, resttest.Run(t, dir, func(t *testing.T) resttest.Server {
				server := newServer(t, open(t))
				server.Seen = func(x resttest.Exchange) {
					recorded.add(t, server.Handler, x)
					parts.ask(t, server.Handler, x)
				}
				return server
			}))
		}
		recorded.compare(t, len(outcomes))
		if len(outcomes) == len(operations(t)) {
			parts.all(t)
		}
		for path, o := range operations(t) {
			// Transcripts that did not run, or failed, show nothing.
			if shown, ran := outcomes[o.OperationID]; ran && !t.Failed() {
				o.check(t, path, shown[path])
			}
		}
	})
}

// Each documented path has one transcript, with the id of its operation as the
// name.
func TestEveryPathHasItsTranscript(t *testing.T) {
	files, err := filepath.Glob("testdata/*/[^_]*.txt")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for path, o := range operations(t) {
		file := transcriptOf(path, o.OperationID)
		named[file] = true
		if !slices.Contains(files, file) {
			t.Errorf("%s has no transcript %s", path, file)
		}
	}
	for _, file := range files {
		if !named[file] {
			t.Errorf("%s has the name of no operation", file)
		}
	}
}

// newServer returns the whole server, to which requests come with tokens of the
// tenant acme.
func newServer(t *testing.T, s *store.Store) resttest.Server {
	t.Helper()
	return serverOf(t, newWorld(t, s))
}

func newWorld(t *testing.T, s *store.Store) *apptest.World {
	t.Helper()
	return apptest.New(t, s, apptest.Options{Now: transcriptsBegin, Development: true})
}

// serverOf is the server of a world.
func serverOf(t *testing.T, w *apptest.World) resttest.Server {
	t.Helper()
	return resttest.Server{
		Handler: w,
		Token:   func(scopes ...string) string { return w.As(apptest.Acme, scopes...).Token(t) },
		Actions: map[string]func(){
			"a configuration is published": func() {
				publish(t, w, `appConfigurationUpdate(input: {collectEmploymentInfo: false, requiresPayment: true,
					products: [{id: "kit", name: "Starter kit", price: "49.90", currency: "USD"}]})`)
			},
			"nothing more is collected": func() {
				publish(t, w, `appConfigurationUpdate(input: {collectTaxId: false, collectBirthDate: false, collectMaritalInfo: false,
					collectHomeAddress: false, collectPrimaryPhone: false, collectCellPhone: false, collectLicenseInfo: false,
					collectEmploymentInfo: false, collectTaxInfo: false, collectContract: false, collectPersonalHistory: false})`)
			},
			"a question is published": func() {
				publish(t, w, `backgroundQuestionPublish(input: {sequence: 10, text: "How many companies have you been appointed by?",
					responseType: SINGLE_CHOICE, choices: ["None", "One", "More"], requiresExplanationWhen: ["More"]})`)
			},
			"a contract is published": func() {
				publish(t, w, `contractPublish(input: {title: "Agent Agreement", body: "Be fair.", bodyFormat: "text",
					covenants: [{sequence: 1, title: "Truthful application", text: "All of it is true."}]})`)
			},
			"two policies are recorded": func() {
				publish(t, w, `providerCompanyUpsert(input: {code: "ACO", name: "A Co", initiator: "hr"})`)
				for _, p := range []string{`policyNumber: "1", issuedOn: "2026-02-20", annualPremium: "1200.50"`, `policyNumber: "2", submittedOn: "2026-01-20", issuedOn: "2026-02-01", annualPremium: "800"`} {
					publish(t, w, `productionRecordUpsert(input: {agentCode: "A1", providerCompany: "ACO", initiator: "hr", `+p+`})`)
				}
			},
			"a minute passes":          func() { w.Clock.Move(time.Minute) },
			"a day passes":             func() { w.Clock.Move(24 * time.Hour) },
			"the hierarchy is rebuilt": func() { w.RebuildNow(t, apptest.Acme) },
			"an event is delivered": func() {
				w.Raise(t, apptest.Acme, events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated,
					events.AgentChange{AgentID: 1, AgentCode: "A1", Operation: "agentUpdate", ChangedFields: []string{"email"}, Initiator: "admin"}))
				w.DeliverNow(t, apptest.Acme)
			},
		},
	}
}

// publish runs a mutation for which there is no path, a minute later.
func publish(t *testing.T, w *apptest.World, mutation string) {
	t.Helper()
	w.Clock.Move(time.Minute)
	data := w.As(apptest.Acme, "agent-onboarding:app-configuration:write", "write:agents", "write:production").Query(t, "mutation { publication: "+mutation+" { applied userErrors { message } } }", nil)
	if apptest.At(data, "publication.applied") != true {
		t.Errorf("%s: %v", mutation, data)
	}
}

// described is an operation of the OpenAPI document, as far as it says what its
// transcript must show.
type described struct {
	OperationID string
	Parameters  []struct{ In, Name string }
	RequestBody *struct{}
	Responses   map[string]struct{}
}

// printed is the OpenAPI document, which takes a while to make.
var printed = sync.OnceValues(func() ([]byte, error) { return rest.OpenAPI(graph.Schema(), "") })

// operations returns those of the OpenAPI document, by method and path.
func operations(t *testing.T) map[string]described {
	t.Helper()
	document, err := printed()
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Paths map[string]map[string]described
	}
	if err := json.Unmarshal(document, &parsed); err != nil {
		t.Fatal(err)
	}
	all := map[string]described{}
	for path, item := range parsed.Paths {
		for method, o := range item {
			all[strings.ToUpper(method)+" "+path] = o
		}
	}
	return all
}

// check demands that the transcript of a path shows every success the path can
// have, and the refusals that its kind of path has.
func (o described) check(t *testing.T, path string, shown map[string]bool) {
	t.Helper()
	for _, outcome := range o.outcomes() {
		if !shown[outcome] {
			t.Errorf("%s.txt does not show %s of %s", o.OperationID, outcome, path)
		}
	}
	unknown := func(code string) bool { return shown["404 "+code] }
	if o.names() && !slices.ContainsFunc([]string{"NOT_FOUND", "UNKNOWN_AGENT", "UNKNOWN_TEAM"}, unknown) {
		t.Errorf("%s.txt does not show what is unknown of %s", o.OperationID, path)
	}
}

// outcomes are those that the transcript of an operation must show.
func (o described) outcomes() []string {
	want := []string{"401 UNAUTHENTICATED", "403 FORBIDDEN"}
	for status := range o.Responses {
		if strings.HasPrefix(status, "2") {
			want = append(want, status)
		}
	}
	for _, p := range o.Parameters {
		if p.Name == "pageSize" {
			want = append(want, "400 PAGE_SIZE_EXCEEDED", "400 UNKNOWN_SORT_FIELD")
		}
	}
	if o.RequestBody != nil && o.OperationID != "applicationReplace" { // what GET answers can be sent back
		want = append(want, "400 UNKNOWN_FIELD")
	}
	if o.RequestBody != nil {
		want = append(want, "400 REQUIRED", "400 NULL_NOT_ALLOWED", "400 INVALID_FORMAT", "415 UNSUPPORTED_MEDIA_TYPE")
	}
	return want
}

// names reports whether the path names a record or a team besides the tenant.
func (o described) names() bool {
	return slices.ContainsFunc(o.Parameters, func(p struct{ In, Name string }) bool {
		return p.In == "path" && p.Name != "tenantIdentifier"
	})
}
