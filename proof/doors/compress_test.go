package doors_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/klauspost/compress/zstd"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// unpack returns the body of an answer as it was before it was compressed.
func unpack(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var r io.Reader = w.Body
	var err error
	switch w.Header().Get("Content-Encoding") {
	case "gzip":
		r, err = gzip.NewReader(w.Body)
	case "zstd":
		r, err = zstd.NewReader(w.Body)
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Answers of some size come as the client takes them, and say the same.
func TestCompression(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	w.LoadDemo(t, apptest.Acme, 60)
	c := withToken(t, w)
	for _, path := range []string{"/openapi.json", "/agency-management/{tenant}/agents", "/graphql/{tenant}?query={agents(first:50){nodes{id%20displayName%20asOf}}}"} {
		plain := c.Send(t, http.MethodGet, path, nil, nil)
		if plain.Code != http.StatusOK || plain.Header().Get("Content-Encoding") != "" || !strings.Contains(strings.Join(plain.Header().Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s: %d %v", path, plain.Code, plain.Header())
		}
		for accepted, coding := range map[string]string{"gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "br": "", "gzip;q=0": "", "identity": ""} {
			packed := c.Send(t, http.MethodGet, path, http.Header{"Accept-Encoding": {accepted}}, nil)
			size := packed.Body.Len()
			if packed.Header().Get("Content-Encoding") != coding || coding != "" && size*2 > plain.Body.Len() || unpack(t, packed) != plain.Body.String() {
				t.Errorf("%s, %s: %d bytes of %d, %v", path, accepted, size, plain.Body.Len(), packed.Header())
			}
		}
	}
	for _, path := range []string{"/agency-management/{tenant}/agents?pageSize=1&agentCodes=nobody", "/graphql/{tenant}?query={viewer{subject}}"} {
		if h := c.Send(t, http.MethodGet, path, http.Header{"Accept-Encoding": {"gzip"}}, nil).Header(); h.Get("Content-Encoding") != "" {
			t.Errorf("%s is small and was compressed: %v", path, h)
		}
	}
}

// The ETag of a compressed answer names its coding: it is another one than that of the
// plain answer. Both are good for 304, and for a change.
func TestCompressedETag(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	w.LoadDemo(t, apptest.Acme, 12)
	c := withToken(t, w)
	const path = "/agency-management/{tenant}/agents/A1001"
	plain := c.Send(t, http.MethodGet, path, nil, nil).Header().Get("ETag")
	for _, coding := range []string{"gzip", "zstd"} {
		packed := c.Send(t, http.MethodGet, path, http.Header{"Accept-Encoding": {coding}}, nil)
		tag := packed.Header().Get("ETag")
		if tag != strings.TrimSuffix(plain, `"`)+"-"+coding+`"` {
			t.Fatalf("%s: %s beside %s", coding, tag, plain)
		}
		for _, sent := range []string{plain, tag, "W/" + tag} {
			again := c.Send(t, http.MethodGet, path, http.Header{"Accept-Encoding": {coding}, "If-None-Match": {sent}}, nil)
			if again.Code != http.StatusNotModified || again.Header().Get("ETag") != strings.TrimPrefix(sent, "W/") || again.Body.Len() != 0 {
				t.Errorf("%s: %d %v", sent, again.Code, again.Header())
			}
		}
		if other := c.Send(t, http.MethodGet, path, http.Header{"If-None-Match": {`"other-gzip"`}}, nil); other.Code != http.StatusOK {
			t.Errorf("another tag: %d", other.Code)
		}
		changed := c.Send(t, http.MethodPatch, path, http.Header{"If-Match": {tag}}, []byte(`{"npn":"1","initiator":"hr"}`))
		if changed.Code != http.StatusOK {
			t.Errorf("If-Match: %d %s", changed.Code, changed.Body)
		}
		plain = c.Send(t, http.MethodGet, path, nil, nil).Header().Get("ETag")
	}
}

// What holds secrets beside what a client sends is never compressed, however long; nor
// are the events of a stream.
func TestNotCompressed(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	w.LoadDemo(t, apptest.Acme, 60)
	c := w.As(apptest.Acme)
	h := http.Header{"Accept-Encoding": {"gzip, zstd"}, "Accept": {"text/event-stream"}}
	events := c.Send(t, http.MethodPost, "/graphql/{tenant}", h, []byte(`{"query":"{agents(first:50){nodes{id displayName asOf}}}"}`))
	if events.Header().Get("Content-Encoding") != "" || !bytes.HasPrefix(events.Body.Bytes(), []byte(":\n\nevent: next\n")) || events.Body.Len() < 2000 {
		t.Errorf("%v %.50s", events.Header(), events.Body)
	}
	id, secret := c.Credentials(t)
	r := httptest.NewRequest(http.MethodPost, oauth.TokenPath, strings.NewReader("grant_type=client_credentials&client_id="+id+"&client_secret="+secret+strings.Repeat("&more=0123456789", 200)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept-Encoding", "gzip, zstd")
	tokens := httptest.NewRecorder()
	w.ServeHTTP(tokens, r)
	if tokens.Header().Get("Content-Encoding") != "" {
		t.Errorf("%d %v", tokens.Code, tokens.Header())
	}
}

// A WebSocket takes the connection over, whatever codings its client names.
func TestCompressionLeavesSocketsAlone(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	server := httptest.NewServer(w)
	defer server.Close()
	token := w.As(apptest.Acme).Token(t)
	for _, accepted := range []string{"gzip, deflate, br, zstd", "br", "gzip;q=0", ""} {
		header := http.Header{"Authorization": {"Bearer " + token}}
		if accepted != "" {
			header.Set("Accept-Encoding", accepted)
		}
		conn, _, err := websocket.Dial(t.Context(), server.URL+"/graphql/acme", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: header})
		if err != nil {
			t.Errorf("%q: %v", accepted, err)
			continue
		}
		err = conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"connection_init"}`))
		if _, message, readErr := conn.Read(t.Context()); err != nil || readErr != nil || !strings.Contains(string(message), "connection_ack") {
			t.Errorf("%q: %v, %v, %s", accepted, err, readErr, message)
		}
		conn.CloseNow()
	}
}
