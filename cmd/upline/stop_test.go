package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// asUpline is a variable that makes this test binary the program.
const asUpline = "UPLINE_TEST_AS_UPLINE"

func TestMain(m *testing.M) {
	if os.Getenv(asUpline) != "" {
		main()
		return
	}
	dbtest.Main(m)
}

// A server that is told to stop while it writes an export gives that back at once, also
// while a request takes all of the time that is left, and it costs the export none of its
// attempts: the next server writes the file.
func TestStoppedDuringAnExport(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		w.LoadDemo(t, apptest.Acme, 1500)
		c := w.As(apptest.Acme)
		asked := c.Query(t, `mutation { exportCreate(input: {query: "{ agents { nodes { id agentCode displayName firstName lastName startDate createdAt lastModified uplineChain { agent { agentCode displayName } } } } }",
			connectionPath: "agents", format: JSONL}) { export { id } } }`, nil)
		if apptest.At(asked, "exportCreate.export.id") == nil {
			t.Fatal(asked)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var once atomic.Bool
		hangs, enough := make(chan struct{}), make(chan struct{})
		w.Exports.Passed = func(string) {
			if once.CompareAndSwap(false, true) {
				<-hangs
				stop()                  // SIGTERM
				time.Sleep(time.Second) // the next page is read in a process that stops
			}
		}
		stopped := make(chan error, 1)
		go func() {
			stopped <- run(ctx, w.App, loopback(t), slog.New(slog.DiscardHandler), func(addr string) { go hang(t, addr, c.Token(t), hangs, enough) })
		}()
		<-hangs
		await(t, s, "QUEUED", 0, stopWithin-5*time.Second) // the request is waited for longer
		close(enough)
		if err := <-stopped; err != nil {
			t.Logf("stopped: %v", err) // the request was not waited for
		}

		next, err := app.New(t.Context(), app.Config{Store: s, Clock: w.Clock, Key: bytes.Repeat([]byte{7}, 32), Issuer: apptest.Issuer, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop = context.WithCancel(t.Context())
		go func() { stopped <- run(ctx, next, loopback(t), slog.New(slog.DiscardHandler), func(string) {}) }()
		await(t, s, "COMPLETED", 1, time.Minute)
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

func loopback(t *testing.T) net.Listener {
	listener, err := listen("127.0.0.1:0")
	if err != nil {
		t.Error(err)
	}
	return listener
}

// hang sends a part of a request, and no more until it is enough.
func hang(t *testing.T, addr, token string, sent chan<- struct{}, enough <-chan struct{}) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		close(sent)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /graphql/acme HTTP/1.1\r\nHost: upline\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", token)
	time.Sleep(100 * time.Millisecond) // the request is in hand
	close(sent)
	<-enough
}

// await waits until the export has a status, and demands so many attempts of it.
func await(t *testing.T, s *store.Store, status string, attempts int, within time.Duration) {
	t.Helper()
	var got string
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		rows, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT status || ' ' || attempts FROM export")
		if err != nil {
			t.Fatal(err)
		}
		if got = rows[0]; got == fmt.Sprint(status, " ", attempts) && (status != "QUEUED" || begun(t, s)) {
			return
		}
	}
	t.Fatalf("the export is %s; want %s %d", got, status, attempts)
}

// begun reports whether the export was ever begun: each change counts its version.
func begun(t *testing.T, s *store.Store) bool {
	t.Helper()
	rows, err := store.Collect(t.Context(), s, store.ScanOne[int64], "SELECT version FROM export")
	if err != nil {
		t.Fatal(err)
	}
	return rows[0] > 1
}
