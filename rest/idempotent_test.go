package rest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/resttest"
)

// fakeAnswers keeps the answers of one client in memory.
type fakeAnswers struct {
	requests map[string]string
	answers  map[string]idempotency.Answer
	err      error
}

func (f *fakeAnswers) Begin(_ context.Context, key, request string) (*idempotency.Attempt, *idempotency.Answer, error) {
	if f.err != nil {
		return nil, nil, f.err
	}
	if f.requests == nil {
		f.requests, f.answers = map[string]string{}, map[string]idempotency.Answer{}
	}
	if first, ok := f.requests[key]; ok && first != request {
		return nil, nil, idempotency.ErrReused
	}
	if answer, ok := f.answers[key]; ok {
		return nil, &answer, nil
	}
	f.requests[key] = request
	return &idempotency.Attempt{}, nil, nil
}

func (f *fakeAnswers) Finish(_ context.Context, _ *idempotency.Attempt, answer idempotency.Answer) error {
	for key := range f.requests {
		if _, ok := f.answers[key]; !ok {
			f.answers[key] = answer
		}
	}
	return nil
}

const tagOne = `{"name":"Gold","description":null,"isActive":true,"canBePaid":true,"sortOrder":1,"createdAt":"2026-01-01T00:00:00Z","lastModified":"2026-01-01T00:00:00Z","lastModifiedBy":"hr"}`

const (
	newStatus    = `{"name":"Gold","isActive":true,"initiator":"hr"}`
	createdReply = `{"payStatusCreate":{"_":` + tagOne + `,"applied":true,"userErrors":[]}}`
)

// The answer to a repeated request is the first one's, byte for byte.
func TestARepeatedRequestIsReplayed(t *testing.T) {
	b := newBench(t)
	b.Data(createdReply)
	first := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", "k1")
	again := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", "k1")
	if first.Code != http.StatusCreated || b.Calls != 1 {
		t.Fatalf("%d after %d calls: %s", first.Code, b.Calls, first.Body)
	}
	if again.Code != first.Code || again.Body.String() != first.Body.String() {
		t.Errorf("the replay differs: %d %s", again.Code, again.Body)
	}
	for _, name := range []string{"Location", "Etag", "Content-Type"} {
		if got := again.Header().Get(name); got == "" || got != first.Header().Get(name) {
			t.Errorf("%s of the replay is %q, not %q", name, got, first.Header().Get(name))
		}
	}
	if first.Header().Get(replayedHeader) != "" || again.Header().Get(replayedHeader) != "true" {
		t.Errorf("only the replay says that it is one: %v %v", first.Header(), again.Header())
	}
	other := b.call(http.MethodPost, "/pay-statuses", strings.Replace(newStatus, "Gold", "Silver", 1), "Idempotency-Key", "k1")
	if p := problemOf(t, other); p.Status != 422 || p.Code != "IDEMPOTENCY_KEY_REUSED" || b.Calls != 1 {
		t.Errorf("another request with the key: %d %s, %d calls", p.Status, p.Code, b.Calls)
	}
}

// Of a password nothing is kept, not even as a part of the fingerprint: with
// another one it is the same request, with another name it is not.
func TestPasswordsAreNoPartOfTheFingerprint(t *testing.T) {
	b := newBench(t)
	b.Data(`{"userCreate":{"_":{"username":"ana","email":null,"agentCode":null,"roles":[],"status":"PENDING","createdAt":"2026-01-01T00:00:00Z","lastModified":"2026-01-01T00:00:00Z","lastSignInAt":null},"applied":true,"userErrors":[]}}`)
	send := func(body string) int {
		return b.send(http.MethodPost, "/identity-management/demo/users", body, "Idempotency-Key", "k1").Code
	}
	if code := send(`{"username":"ana","password":"Tulip-bucket-91"}`); code != http.StatusCreated {
		t.Fatalf("%d", code)
	}
	for _, request := range b.answers.requests {
		if strings.Contains(request, "Tulip") || strings.Contains(request, "password") || !strings.Contains(request, `"ana"`) {
			t.Errorf("the fingerprint is made of %q", request)
		}
	}
	if code := send(`{ "password": "another", "username": "ana" }`); code != http.StatusCreated || b.Calls != 1 {
		t.Errorf("with another password: %d after %d calls", code, b.Calls)
	}
	if code := send(`{"username":"ben","password":"Tulip-bucket-91"}`); code != http.StatusUnprocessableEntity {
		t.Errorf("another user: %d", code)
	}
}

// A refused request leaves no answer behind, so that it can be corrected.
func TestRefusedRequestsAreNotKept(t *testing.T) {
	b := newBench(t)
	b.Data(`{"payStatusCreate":{"_":null,"applied":false,"userErrors":[{"code":"DUPLICATE_KEY","category":"CONFLICT","message":"x","field":["input","name"]}]}}`)
	if w := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", "k1"); w.Code != http.StatusConflict || len(b.answers.answers) != 0 {
		t.Errorf("%d, %d answers kept", w.Code, len(b.answers.answers))
	}
}

func TestWhatCanBeTheMatterWithAKey(t *testing.T) {
	b := newBench(t)
	for err, want := range map[error]string{
		idempotency.ErrReused:     "422 IDEMPOTENCY_KEY_REUSED ",
		idempotency.ErrInProgress: "409 IDEMPOTENCY_IN_PROGRESS 1",
		idempotency.ErrAnswerLost: "409 IDEMPOTENCY_ANSWER_LOST ",
		context.DeadlineExceeded:  "500 INTERNAL_SERVER_ERROR ",
	} {
		b.answers.err = err
		w := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", "k1")
		p := problemOf(t, w)
		if got := http.StatusText(p.Status); got != p.Title {
			t.Errorf("the title of %d is %q", p.Status, p.Title)
		}
		if got := w.Result().Status[:3] + " " + p.Code + " " + w.Header().Get("Retry-After"); got != want {
			t.Errorf("%v: %s, not %s", err, got, want)
		}
	}
	if b.Calls != 0 {
		t.Error("an operation ran")
	}
}

// "1–255 visible ASCII characters"; the problem names the header and is reported
// with the others of the request.
func TestMalformedKeys(t *testing.T) {
	b := newBench(t)
	for _, key := range []string{"", " ", "a b", "é", "tab\t", strings.Repeat("k", 256)} {
		p := problemOf(t, b.call(http.MethodPost, "/pay-statuses", `{"name":"On leave","isActive":1,"initiator":"hr"}`, "Idempotency-Key", key))
		if got := strings.Join(fields(p), ", "); p.Status != 400 || got != "Idempotency-Key INVALID_FORMAT, isActive INVALID_FORMAT" {
			t.Errorf("%q: %d %s", key, p.Status, got)
		}
	}
	b.Data(createdReply)
	for _, key := range []string{"!", "~", strings.Repeat("k", 255), `"8e03978e-40d5-43dd-bc93-6894a57f9324"`} {
		if w := b.call(http.MethodPost, "/pay-statuses", newStatus, "Idempotency-Key", key); w.Code != http.StatusCreated {
			t.Errorf("%q: %d", key, w.Code)
		}
	}
}

// Requests that can be repeated as they are, and previews, leave no key.
func TestOnlyPostsThatChangeUseTheKey(t *testing.T) {
	b := newBench(t)
	b.Data(`{"agentUpdate":{"_":{"agentCode":"A1"},"applied":true,"userErrors":[]}}`)
	if w := b.call(http.MethodPatch, "/agents/A1", `{"initiator":"hr"}`, "Idempotency-Key", "k 1"); w.Code != 200 {
		t.Errorf("PATCH: %d %s", w.Code, w.Body)
	}
	b.Data(`{"payStatusPeriodApply":{"_":null,"changes":null,"applied":false,"userErrors":[]}}`)
	if w := b.call(http.MethodPost, "/payees/assigned-statuses?dryRun=true", period, "Idempotency-Key", "k1"); w.Code != 200 {
		t.Errorf("dry run: %d %s", w.Code, w.Body)
	}
	if len(b.answers.requests) != 0 {
		t.Errorf("keys were used: %v", b.answers.requests)
	}
}

// leaving is an executor whose client leaves in the middle of the operation.
type leaving struct {
	*resttest.Fake
	leave context.CancelFunc
	err   error
}

func (l *leaving) Execute(ctx context.Context, document, name string, variables map[string]any) *graphql.Response {
	l.leave()
	l.err = ctx.Err()
	return l.Fake.Execute(ctx, document, name, variables)
}

// A client that leaves comes back for the answer: with a key, its request is not
// interrupted.
func TestAClientThatLeavesComesBack(t *testing.T) {
	for key, want := range map[string]error{"k1": nil, "": context.Canceled} {
		ctx, leave := context.WithCancel(t.Context())
		b := newBench(t)
		b.Data(createdReply)
		executor := &leaving{Fake: b.Fake, leave: leave}
		handler, err := New(Config{Executor: executor, TagKey: testTagKey, Idempotency: b.answers, Reveals: b.reveals, Authorize: func(r *http.Request, _ *string) (context.Context, error) { return r.Context(), nil }})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, base+"/pay-statuses", strings.NewReader(newStatus))
		r.Header.Set("Content-Type", "application/json")
		if key != "" {
			r.Header.Set(input.IdempotencyKey, key)
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if executor.err != want || (len(b.answers.answers) == 1) != (key != "") {
			t.Errorf("key %q: the operation was told %v; %d answers", key, executor.err, len(b.answers.answers))
		}
	}
}

// What an answer shows depends on the scopes of its token, so one with fewer is not given
// it again.
func TestReplayNeedsTheScopesOfItsAnswer(t *testing.T) {
	as := func(scopes ...string) context.Context {
		return tenant.WithCaller(t.Context(), tenant.Caller{Subject: "c", Scopes: scopes})
	}
	answer := (&reply{status: http.StatusCreated, body: []byte("{}")}).stored(as("write:agents", "read:agents"))
	if again, err := replay(as("read:agents", "write:agents", "read:users"), &answer, nil); err != nil || again.status != http.StatusCreated {
		t.Errorf("with more scopes: %v", err)
	}
	_, err := replay(as("write:agents"), &answer, nil)
	var refused *problem.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		t.Errorf("with fewer scopes: %v", err)
	}
}
