package resttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Server is what a transcript runs against.
type Server struct {
	Handler http.Handler
	// Token returns a bearer token with the scopes.
	Token func(scopes ...string) string
	// Actions are the functions that a line Before can name.
	Actions map[string]func()
	// Seen is called with each request of a transcript and its answer, if that is as
	// expected; requests of _before.txt are left out. Nil for no call.
	Seen func(Exchange)
	// Began is called when _before.txt has run. Nil for no call.
	Began func()
	// Ended reports, after a request, whether the transcript ends with it; then its answer
	// is not compared. Nil for a transcript that runs to its end.
	Ended func() bool
}

// Exchange is a request and its answer.
type Exchange struct {
	// Operation is the operation in the document, such as "GET /agents".
	Operation string
	Request   *http.Request
	Body      string
	Response  *httptest.ResponseRecorder
}

// Outcomes are the responses of each operation, such as "GET /agents". A
// success is its status, "201". A problem is its status with a code, "400
// REQUIRED", once for every code in it.
type Outcomes map[string]map[string]bool

// Run runs the transcripts of a folder, each as a test of its own on a server
// of its own. Every response must also be described by the OpenAPI document
// that the servers publish at /openapi.json. It returns the outcomes of each
// transcript, by the name of its file without .txt.
func Run(t *testing.T, dir string, start func(t *testing.T) Server) map[string]Outcomes {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "[^_]*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s (%v)", dir, err)
	}
	before, err := os.ReadFile(filepath.Join(dir, beforeFile))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	outcomes := map[string]Outcomes{}
	var document *Document // of all these servers
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			server := start(t)
			if document == nil {
				if document, err = Published(server.Handler); err != nil {
					t.Fatal(err)
				}
			}
			if outcomes[name], err = runOne(server, document, string(before), string(text)); err != nil {
				t.Error(err)
			}
		})
	}
	return outcomes
}

// runOne runs a transcript, after the one that prepares its server.
func runOne(s Server, document *Document, before, text string) (Outcomes, error) {
	r := &run{Server: s, document: document, kept: values{}}
	r.Seen, r.Ended, r.outcomes = nil, nil, Outcomes{}
	if err := r.replay(before); err != nil {
		return nil, fmt.Errorf("%s: %w", beforeFile, err)
	}
	r.Seen, r.Ended = s.Seen, s.Ended
	if s.Began != nil {
		s.Began()
	}
	r.outcomes = Outcomes{}
	return r.outcomes, r.replay(text)
}

var errEnded = errors.New("the transcript ends here")

// beforeFile is the transcript that runs before each of the others, on the same
// server.
const beforeFile = "_before.txt"

// run is a transcript under way.
type run struct {
	Server
	document *Document
	kept     values
	outcomes Outcomes
}

// Published reads the OpenAPI document of a server.
func Published(handler http.Handler) (*Document, error) {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if w.Code != http.StatusOK {
		return nil, fmt.Errorf("GET /openapi.json answered %d", w.Code)
	}
	return NewDocument(w.Body.Bytes())
}

// replay runs a transcript. It stops at an exchange that fails: those after it
// build on it.
func (r *run) replay(text string) error {
	exchanges, err := parse(text)
	if err != nil {
		return err
	}
	for _, x := range exchanges {
		if err := r.exchange(x); errors.Is(err, errEnded) {
			return nil
		} else if err != nil {
			return fmt.Errorf("line %d, %s: %w", x.line, x.title, err)
		}
	}
	return nil
}

func (r *run) exchange(x exchange) error {
	request, body, err := r.request(x)
	if err != nil {
		return err
	}
	w := httptest.NewRecorder()
	r.Handler.ServeHTTP(w, request)
	if r.Ended != nil && r.Ended() {
		return errEnded
	}
	if err := r.check(x, w); err != nil {
		return err
	}
	operation, err := r.document.Check(request.Method, request.URL.EscapedPath(), w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
	if err == nil && operation != "" {
		r.outcomes.add(operation, w)
		if r.Seen != nil {
			r.Seen(Exchange{operation, request, body, w})
		}
	}
	return err
}

// request makes the request of an exchange and its body, after the actions that its lines
// Before name.
func (r *run) request(x exchange) (request *http.Request, body string, err error) {
	for _, h := range x.request.header {
		if h[0] != "Before" {
			continue
		}
		action := r.Actions[h[1]]
		if action == nil {
			return nil, "", fmt.Errorf("there is no action %q", h[1])
		}
		action()
	}
	start, err := r.kept.fill(x.request.start)
	if err != nil {
		return nil, "", err
	}
	body, err = r.kept.fill(x.request.body)
	if err != nil {
		return nil, "", err
	}
	method, target, ok := strings.Cut(start, " ")
	if !ok {
		return nil, "", fmt.Errorf("%q is not a request line", start)
	}
	request, err = http.NewRequest(method, "http://server.test"+target, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, body, r.setHeader(request, x.request.header)
}

// setHeader sets the headers of a request; its scopes become a token.
func (r *run) setHeader(request *http.Request, lines [][2]string) error {
	for _, h := range lines {
		value, err := r.kept.fill(h[1])
		if err != nil {
			return err
		}
		switch h[0] {
		case "Before":
		case "Scopes":
			request.Header.Set("Authorization", "Bearer "+r.Token(scopes(value)...))
		default:
			request.Header.Set(h[0], value)
		}
	}
	return nil
}

func scopes(value string) []string {
	if value == "none" {
		return nil
	}
	return strings.Fields(value)
}

// check compares a response with the one that the exchange expects.
func (r *run) check(x exchange, w *httptest.ResponseRecorder) error {
	got := w.Body.Bytes()
	if w.Code != x.status {
		return fmt.Errorf("the status is %d, not %d: %s", w.Code, x.status, got)
	}
	for _, h := range x.response.header {
		want, err := r.kept.fill(h[1])
		if err != nil {
			return err
		}
		if err := r.kept.text(want, w.Header().Get(h[0])); err != nil {
			return fmt.Errorf("the header %s %w", h[0], err)
		}
	}
	want, err := r.kept.fill(x.response.body)
	if err != nil {
		return err
	}
	return r.kept.body(want, got)
}

func (o Outcomes) add(operation string, w *httptest.ResponseRecorder) {
	if o[operation] == nil {
		o[operation] = map[string]bool{}
	}
	status := strconv.Itoa(w.Code)
	if w.Code < 400 {
		o[operation][status] = true
		return
	}
	var p struct {
		Code   string
		Errors []struct{ Code string }
	}
	// The document has described the body, so the body is a problem.
	_ = json.Unmarshal(w.Body.Bytes(), &p)
	o[operation][status+" "+p.Code] = true
	for _, e := range p.Errors {
		o[operation][status+" "+e.Code] = true
	}
}
