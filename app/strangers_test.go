package app_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// dial sends a text to a server and returns the connection.
func dial(t *testing.T, server *httptest.Server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// status waits for the first line of an answer.
func status(conn net.Conn) string {
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line)
}

// metricSoon waits until the metrics show a line.
func metricSoon(t *testing.T, w *apptest.World, line string) {
	t.Helper()
	for range 60_000 {
		if strings.Contains(w.Metrics(), line+"\n") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("the metrics never show %s", line)
}

// Bodies that do not come, and WebSockets that say nothing, of who has shown no token,
// take a few seats, end soon, and take nothing from who has one.
func TestStrangersTakeNothingFromOthers(t *testing.T) {
	t.Parallel() // it waits
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		// Two at once are 256 requests in hand: 32 seats for strangers, 8 for an address.
		w := apptest.New(t, s, apptest.Options{Limits: admission.Limits{Concurrency: 2, Streams: 4, Wait: time.Minute}})
		server := httptest.NewServer(w)
		defer server.Close()
		defer server.CloseClientConnections()
		good := w.As(apptest.Acme).Token(t)
		slow := "POST /oauth2/introspect HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nab"
		socket := "GET /graphql/acme HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
		first := dial(t, server, slow)
		for range 7 {
			dial(t, server, slow)
		}
		metricSoon(t, w, "upline_strangers 8")
		for range 8 {
			if got := status(dial(t, server, socket)); !strings.Contains(got, "101") {
				t.Fatalf("a WebSocket: %s", got)
			}
		}
		metricSoon(t, w, "upline_strangers 16")
		for name, text := range map[string]string{"body": slow, "WebSocket": socket} {
			if got := status(dial(t, server, text)); !strings.Contains(got, "503") {
				t.Errorf("the ninth %s of an address: %s", name, got)
			}
		}
		// Who shows a token is served, and finds the seats of streams free.
		f := &flood{server: server}
		response, answer, err := f.send(t.Context(), http.MethodGet, "/agency-management/acme/agents", good, "")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("a good token: %v %s", err, answer)
		}
		for range 3 {
			held := strings.Replace(socket, "Host: x\r\n", "Host: x\r\nAuthorization: Bearer "+good+"\r\n", 1)
			if got := status(dial(t, server, held)); !strings.Contains(got, "101") {
				t.Errorf("a WebSocket with a token: %s", got)
			}
		}
		// A body that trickles in with a token holds a seat for it, and none of requests.
		trickling := "POST /graphql/acme HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + good + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
		for range 192 { // three quarters
			dial(t, server, trickling)
		}
		metricSoon(t, w, "upline_requests 192")
		if got := status(dial(t, server, trickling)); !strings.Contains(got, "503") {
			t.Errorf("one more: %s", got)
		}
		if response, answer, err = f.send(t.Context(), http.MethodGet, "/agency-management/acme/agents", good, ""); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("a read beside them: %v %s", err, answer)
		}
		if got := status(first); !strings.HasPrefix(got, "HTTP/1.1 4") { // after five seconds
			t.Errorf("a body that did not come: %s", got)
		}
	})
}
