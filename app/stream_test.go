package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// replicas are two servers on one database: w, and another one that listens.
type replicas struct {
	*apptest.World
	other *app.App
	url   string // of the other
}

// onTwo runs a test on two servers that share nothing but a database, of every
// kind.
func onTwo(t *testing.T, f func(t *testing.T, r *replicas)) {
	t.Helper()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		first, second := openStore(t, url), openStore(t, url)
		r := &replicas{World: apptest.New(t, first, apptest.Options{Development: true})}
		var err error
		r.other, err = app.New(t.Context(), app.Config{Store: second, Clock: r.Clock, Key: bytes.Repeat([]byte{7}, 32), Issuer: apptest.Issuer,
			Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(r.other.Handler())
		t.Cleanup(server.Close)
		t.Cleanup(r.other.EndStreams)
		r.url = server.URL
		f(t, r)
	})
}

func openStore(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// change writes the event of a change of an agent, through the first server.
func (r *replicas) change(t *testing.T, in, eventType, agentCode string) {
	t.Helper()
	err := r.Store.InTx(r.Context(t, in), func(ctx context.Context, tx *store.Tx) error {
		_, err := events.Write(ctx, tx, r.Clock.Now(), events.AgentEvent(tenant.From(ctx), eventType, events.AgentChange{
			AgentID: 1, AgentCode: agentCode, Operation: "agentUpdate", ChangedFields: []string{"npn"}, Initiator: "hr"}))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (r *replicas) register(t *testing.T, code, upline string) {
	t.Helper()
	membership := map[string]any{"level": 10}
	if upline != "" {
		membership["directUpline"] = upline
	}
	status, _, body := r.As(apptest.Acme).REST(t, http.MethodPost, "/agents", map[string]any{"agentCode": code, "firstName": "Ana", "lastName": "Diaz",
		"status": "Active", "teams": map[string]any{"default": membership}, "initiator": "hr"})
	if status != http.StatusCreated {
		t.Fatalf("register %s: %d %s", code, status, body)
	}
}

// follower is a client of the second server's WebSocket.
type follower struct {
	*websocket.Conn
	t *testing.T
}

// connect opens a WebSocket and greets with a token in the payload, as browsers
// have to.
func (r *replicas) connect(t *testing.T, in, token string) follower {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), r.url+"/graphql/"+in, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	f := follower{conn, t}
	payload := "{}"
	if token != "" {
		payload = fmt.Sprintf(`{"Authorization":"Bearer %s"}`, token)
	}
	f.send(`{"type":"connection_init","payload":` + payload + `}`)
	return f
}

func (r *replicas) follow(t *testing.T, c *apptest.Caller, documents ...string) follower {
	t.Helper()
	f := r.connect(t, apptest.Acme, c.Token(t))
	f.expect(`{"type":"connection_ack"}`)
	for id, document := range documents {
		f.send(fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":%q}}`, id, document))
	}
	return f
}

func (f follower) send(text string) {
	f.t.Helper()
	if err := f.Write(f.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		f.t.Fatal(err)
	}
}

func (f follower) next() (string, error) {
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	_, data, err := f.Read(ctx)
	return string(data), err
}

// expect reads messages that have to contain texts.
func (f follower) expect(want ...string) {
	f.t.Helper()
	for _, w := range want {
		if got, err := f.next(); err != nil || !strings.Contains(got, w) {
			f.t.Fatalf("received %s, want %s (%v)", got, w, err)
		}
	}
}

// listening waits until the second server has so many subscribers.
func (r *replicas) listening(t *testing.T, n int) {
	t.Helper()
	want := fmt.Sprintf("\nupline_event_subscribers %d\n", n)
	for range 6000 {
		w := httptest.NewRecorder()
		r.other.Admin().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		if strings.Contains(w.Body.String(), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there are no %d subscribers", n)
}

// stream follows an operation as server-sent events and returns the data of
// each.
func (r *replicas) stream(t *testing.T, c *apptest.Caller, document string) <-chan string {
	t.Helper()
	return r.streamWith(t, http.Header{"Authorization": {"Bearer " + c.Token(t)}}, document)
}

func (r *replicas) streamWith(t *testing.T, header http.Header, document string) <-chan string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": document})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/graphql/"+apptest.Acme, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	header.Set("Accept", "text/event-stream")
	header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered with %d", response.StatusCode)
	}
	data := make(chan string, 100)
	go func() {
		defer close(data)
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				data <- text
			}
		}
	}()
	return data
}
