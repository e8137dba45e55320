package doors_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// canaries are sensitive values that nothing else looks like.
var canaries = map[string]string{
	"governmentIdentifier": "987-65-4321", "otherIdentifier": "912-34-8765", "taxpayerIdentifier": "98-7654399", "w9Account": "ACCT77123994",
	"applicantIdentifier": "934-55-7788", "applicantEIN": "97-1122334", "applicantAccount": "APPL88442211", "applicantSignature": "Ottilie R. Canary",
	"spouse": "Wolfhard Canarybird", "answer": "A canary was convicted", "notes": "Canary notes of the past",
	"signature": "Zebulon Q. Canary", "routingNumber": "021000021", "accountNumber": "66699912345", "institutionNumber": "0039817", "password": "Zq7canaryPw55",
}

// spellings are the ways in which a value could show itself.
func spellings(value string) []string {
	return []string{value, strings.ReplaceAll(value, "-", ""), url.QueryEscape(value)}
}

// "Tax ids, bank details, secrets and passwords never reach a log, a trace, an
// error, an event or an export" – nor the database in the clear. The test puts
// known values in through both doors, makes every kind of mistake with them, and
// searches all that comes out.
func TestCanary(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		s := &canarySearch{w: w}
		s.put(t)
		s.applications(t)
		s.mistakes(t)
		s.masked(t)
		s.signIns(t)
		w.RebuildNow(t, apptest.Acme)
		s.search(t, "the log", []byte(w.Logged()))
		s.search(t, "the metrics", []byte(w.Metrics()))
		s.searchTables(t)
		s.searchFiles(t)
		if s.searched < 20 {
			t.Errorf("only %d outputs were searched", s.searched)
		}
	})
}

type canarySearch struct {
	w        *apptest.World
	searched int
}

func (s *canarySearch) search(t *testing.T, where string, output []byte) {
	t.Helper()
	s.searched++
	for name, value := range canaries {
		for _, spelling := range spellings(value) {
			if i := bytes.Index(output, []byte(spelling)); i >= 0 {
				t.Errorf("%s shows the %s: …%s…", where, name, output[max(0, i-80):min(len(output), i+len(spelling)+20)])
			}
		}
	}
}

// put stores every canary.
func (s *canarySearch) put(t *testing.T) {
	t.Helper()
	c := s.w.As(apptest.Acme)
	status, _, answer := c.REST(t, http.MethodPost, "/agents", s.registration())
	if status != http.StatusCreated {
		t.Fatalf("register: %d %s", status, answer)
	}
	for _, change := range []struct {
		path string
		body object
	}{
		{"/agents/C1", object{"governmentIdentifier": canaries["otherIdentifier"]}},
		{"/agents/C1", object{"governmentIdentifier": canaries["governmentIdentifier"]}},
		{"/agents/C1/payee", object{"w9": object{"accountNumber": canaries["w9Account"] + "9"}, "directDeposit": deposit()}},
		{"/agents/C1/payee", object{"w9": object{"accountNumber": canaries["w9Account"]}}},
	} {
		change.body["initiator"] = "hr"
		if status, _, answer := c.REST(t, http.MethodPatch, change.path, change.body); status != http.StatusOK {
			t.Fatalf("PATCH %s: %d %s", change.path, status, answer)
		}
	}
	u := s.w.As(apptest.Acme, "write:users")
	key := http.Header{"Idempotency-Key": {"canary"}}
	made := u.Send(t, http.MethodPost, "/identity-management/{tenant}/users", key, []byte(`{"username": "carl", "password": "`+canaries["password"]+`"}`))
	changed := u.Send(t, http.MethodPatch, "/identity-management/{tenant}/users/carl", nil, []byte(`{"password": "`+canaries["password"]+`"}`))
	if made.Code != http.StatusCreated || changed.Code != http.StatusOK {
		t.Fatalf("the user: %d %s, %d %s", made.Code, made.Body, changed.Code, changed.Body)
	}
	s.search(t, "the answers about a user", append(made.Body.Bytes(), changed.Body.Bytes()...))
	// A revealing read of each door leaves audit entries too.
	if answer := c.Send(t, http.MethodGet, "/agency-management/{tenant}/agents/C1", nil, nil); !strings.Contains(answer.Body.String(), canaries["taxpayerIdentifier"]) {
		t.Fatalf("the canary is not in: %s", answer.Body)
	}
	c.Query(t, `{ agent(agentCode: "C1") { governmentIdentifier(reveal: true) payee { directDeposit { accountNumber(reveal: true) } } } }`, nil)
}

func (s *canarySearch) registration() object {
	return object{"agentCode": "C1", "firstName": "Carl", "lastName": "Canary", "status": "Active", "teams": object{"default": object{"level": 10}},
		"governmentIdentifier": canaries["governmentIdentifier"], "directDeposit": deposit(), "initiator": "hr",
		"w9": object{"name": "Carl", "taxClassification": "Individual", "accountNumber": canaries["w9Account"],
			"taxpayerIdentifier": canaries["taxpayerIdentifier"], "signature": canaries["signature"]}}
}

func deposit() object {
	return object{"country": "US", "accountHolderName": "Carl", "accountType": "Checking",
		"routingNumber": canaries["routingNumber"], "accountNumber": canaries["accountNumber"]}
}

// applications stores every canary of an application: no value of its form is
// anywhere in the clear, save for what lists filter and sort by.
func (s *canarySearch) applications(t *testing.T) {
	t.Helper()
	c := s.w.As(apptest.Acme, allScopes...)
	const path = "/agent-onboarding/{tenant}/applications"
	form := object{"recruiterAgentCode": "C1", "firstName": "Otto", "lastName": "Applicant", "emailAddress": "otto@example.com", "governmentIdentifier": canaries["applicantIdentifier"],
		"spouse": object{"firstName": canaries["spouse"]}, "background": object{"notes": canaries["notes"], "responses": []any{object{"contentItemVersionId": "v", "responseValue": canaries["answer"]}}},
		"w9":       object{"ssn": canaries["applicantIdentifier"], "ein": canaries["applicantEIN"], "accountNumbers": canaries["applicantAccount"], "signature": canaries["applicantSignature"]},
		"contract": object{"versionId": "v", "agreementDate": "2026-06-01", "signature": canaries["applicantSignature"]}}
	id := apptest.CreateApplication(t, c, form)
	form["suffix"] = "Jr."
	if status, _, answer := sendTo(t, c, http.MethodPut, path+"/"+id, form); status != http.StatusOK || !strings.Contains(string(answer), canaries["notes"]) {
		t.Fatalf("PUT: %d %s", status, answer)
	}
	// Mistakes: a duplicate, an agent's tax id, values in wrong places.
	_, _, answer := sendTo(t, c, http.MethodPost, path, form)
	s.search(t, "the answer to a duplicate", answer)
	for name, value := range canaries {
		for _, wrong := range []object{{"birthDate": value}, {"gender": value}, {"homeAddress": object{"jurisdiction": value}}, {"w9": object{"classification": value, "ssn": value + strings.Repeat("1", 30)}},
			{"contract": object{"clientIpAddress": value, "versionId": "", "agreementDate": "2026-06-01", "signature": ""}}, {value: value}, {"w9": value}} {
			body := object{"recruiterAgentCode": "C1", "firstName": "Otto", "lastName": "A", "emailAddress": "other@example.com"}
			for field, v := range wrong {
				body[field] = v
			}
			status, _, answer := sendTo(t, c, http.MethodPost, path, body)
			if status < http.StatusBadRequest {
				t.Errorf("POST /applications with %s as %v: %d", name, wrong, status)
			}
			s.search(t, "the answer to a wrong POST /applications", answer)
		}
		_, _, answer := sendTo(t, c, http.MethodPost, path, object{"recruiterAgentCode": "C1", "firstName": "O", "lastName": "A", "emailAddress": "third@example.com",
			"governmentIdentifier": canaries["governmentIdentifier"], "background": object{"notes": value}})
		s.search(t, "the answer to an agent's application", answer)
	}
	csv := c.Send(t, http.MethodGet, path+"?lastName=Applicant", http.Header{"Accept": {"text/csv"}}, nil)
	if csv.Code != http.StatusOK || !strings.Contains(csv.Body.String(), "***-**-7788") {
		t.Errorf("applications as CSV: %d %s", csv.Code, csv.Body)
	}
	for _, name := range []string{"applicantIdentifier", "applicantEIN", "applicantAccount", "applicantSignature"} {
		if strings.Contains(csv.Body.String(), canaries[name]) {
			t.Errorf("applications as CSV show the %s", name)
		}
	}
}

// mistakes sends the values in wrong places; no answer repeats them.
func (s *canarySearch) mistakes(t *testing.T) {
	t.Helper()
	c := s.w.As(apptest.Acme)
	graphql := func(query string) *httptest.ResponseRecorder {
		return c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, fmt.Appendf(nil, "{\"query\": %q}", query))
	}
	u := s.w.As(apptest.Acme, "write:users", "read:users")
	for name, value := range canaries {
		at := "/agency-management/{tenant}"
		for _, body := range []string{`{"password": ["` + value + `"]}`, `{"password": "` + value + strings.Repeat("x", 200) + `"}`, `{"email": "` + value + `"}`, `{"status": "` + value + `"}`,
			`{"roles": ["` + value + `"]}`, `{"agentCode": "` + value + `"}`, `{"` + value + `": 1}`, `{"password": "` + value + `", "email": "no"}`} {
			answer := u.Send(t, http.MethodPatch, "/identity-management/{tenant}/users/carl", nil, []byte(body))
			if answer.Code != http.StatusBadRequest {
				t.Errorf("PATCH /users with %s: %d", name, answer.Code)
			}
			s.search(t, "the answer to a wrong PATCH of a user", answer.Body.Bytes())
		}
		wrong := deposit()
		wrong["institutionNumber"], wrong["accountNumber"] = value, value
		bodies := []object{
			{"governmentIdentifier": []any{value}}, {value: "x"}, {"birthDate": value}, {"startDate": value}, {"email": value}, {"isDedicated": value},
			{"governmentIdentifier": value + strings.Repeat("1", 30)},
		}
		for i, body := range bodies {
			body["initiator"] = "hr"
			status, _, answer := c.REST(t, http.MethodPatch, "/agents/C1", body)
			if status < http.StatusBadRequest {
				t.Errorf("PATCH /agents with %s, %d: %d", name, i, status)
			}
			s.search(t, fmt.Sprintf("the answer to PATCH /agents with a wrong body %d", i), answer)
		}
		for _, body := range []object{{"directDeposit": wrong}, {"w9": value}, {"w9": object{"taxClassification": value}}, {"status": value}} {
			body["initiator"] = "hr"
			_, _, answer := c.REST(t, http.MethodPatch, "/agents/C1/payee", body)
			s.search(t, "the answer to a wrong PATCH payee", answer)
		}
		for _, answer := range []*httptest.ResponseRecorder{
			c.Send(t, http.MethodPost, at+"/agents", nil, []byte(`{"governmentIdentifier": "`+value+`", "x`)),
			c.Send(t, http.MethodGet, at+"/agents/"+url.PathEscape(value), nil, nil),
			c.Send(t, http.MethodGet, at+"/agents?governmentIdentifier="+url.QueryEscape(value)+"&pageSize=1000", nil, nil),
			c.Send(t, http.MethodGet, at+"/agents?modifiedSince="+url.QueryEscape(value), nil, nil),
			c.Send(t, http.MethodGet, at+"/agents?sort="+url.QueryEscape(value), nil, nil),
			graphql(`{ agents(filter: {governmentIdentifier: 5, email: ` + value + `}) { totalCount } }`),
			graphql(`mutation { agentUpdate(input: {agentCode: "C1", governmentIdentifier: "` + value + `", birthDate: "` + value + `", initiator: "x"}) { applied userErrors { message details } } }`),
			graphql(`{ agents(filter: {governmentIdentifier: "` + value + `"}, first: 5000) { totalCount } }`),
		} {
			s.search(t, "the answer to a mistake", answer.Body.Bytes())
		}
	}
}

// signIns types the values as usernames and as passwords, one the right one.
func (s *canarySearch) signIns(t *testing.T) {
	t.Helper()
	for _, value := range canaries {
		answer := s.signIn(t, value, value)
		if answer.status != http.StatusForbidden {
			t.Errorf("the sign-in: %d", answer.status)
		}
		s.search(t, "the answer to a refused sign-in", []byte(answer.text))
	}
	u := s.w.As(apptest.Acme, "write:users")
	u.Send(t, http.MethodPatch, "/identity-management/{tenant}/users/carl", nil, []byte(`{"status": "Approved"}`))
	answer := s.signIn(t, "carl", canaries["password"])
	if answer.status != http.StatusSeeOther {
		t.Errorf("the right password: %d", answer.status)
	}
	s.search(t, "the answer to a sign-in", []byte(answer.text))
}

// typed is the answer to a form.
type typed struct {
	status int
	text   string
}

// signIn types a name and a password on the page of the sign-in.
func (s *canarySearch) signIn(t *testing.T, username, password string) typed {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Transport: s.w, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	send := func(method string, form url.Values) typed {
		r, err := http.NewRequestWithContext(t.Context(), method, apptest.Issuer+oauth.SignInPath, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return typed{answer.StatusCode, string(text)}
	}
	_, rest, _ := strings.Cut(send(http.MethodGet, nil).text, `name="form_token" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	return send(http.MethodPost, url.Values{"form_token": {token}, "tenant": {apptest.Acme}, "username": {username}, "password": {password}, "do": {"sign-in"}})
}

// masked reads everything without asking for whole values.
func (s *canarySearch) masked(t *testing.T) {
	t.Helper()
	c := s.w.As(apptest.Acme)
	answer := c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(`{"query": "{ agents(first: 5) { nodes { governmentIdentifier payee { w9 { accountNumber taxpayerIdentifier signature } directDeposit { routingNumber institutionNumber transitNumber accountNumber } } w9Periods(first: 3) { nodes { w9 { taxpayerIdentifier } } } auditLog(first: 20) { nodes { operation initiator changes { field fingerprint } } } } } auditLog { nodes { entityKeys changes { field fingerprint } } } }"}`))
	if answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), `"errors"`) {
		t.Fatalf("masked read: %d %s", answer.Code, answer.Body)
	}
	s.search(t, "a read without reveal", answer.Body.Bytes())
	for _, path := range []string{"/agents", "/payees/w9s"} {
		csv := c.Send(t, http.MethodGet, "/agency-management/{tenant}"+path, http.Header{"Accept": {"text/csv"}}, nil)
		if csv.Code != http.StatusOK || !strings.Contains(csv.Body.String(), "C1") {
			t.Errorf("%s as CSV: %d %s", path, csv.Code, csv.Body)
		}
		s.search(t, path+" as CSV", csv.Body.Bytes())
	}
}

// searchTables reads every row of every table as text: events, jobs and the
// audit trail are among them.
func (s *canarySearch) searchTables(t *testing.T) {
	t.Helper()
	for table, rows := range tables(t, s.w) {
		for _, row := range rows {
			s.search(t, "table "+table, []byte(row))
		}
	}
}

// searchFiles reads the database file and its write-ahead log.
func (s *canarySearch) searchFiles(t *testing.T) {
	t.Helper()
	if s.w.Store.Postgres() {
		return // its files belong to the cluster of all tests; the rows were read above
	}
	ctx := tenant.System(t.Context(), "the test looks for sensitive values in the file")
	files, err := store.Collect(ctx, s.w.Store, store.ScanOne[string], "SELECT file FROM pragma_database_list WHERE name = 'main'")
	if err != nil || len(files) != 1 {
		t.Fatalf("database file: %v, %v", files, err)
	}
	for _, file := range []string{files[0], files[0] + "-wal"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(content) == 0 {
			t.Errorf("%s is empty", file)
		}
		s.search(t, file, content)
	}
}
