package ledger_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
)

// What a child process is told by its environment.
const (
	// childURL is the database that it serves until it is killed.
	childURL = "UPLINE_TEST_APP_CHILD"
	// childAhead is how much its clock is fast.
	childAhead = "UPLINE_TEST_APP_CHILD_AHEAD"
	// childPoint is where it kills itself, and when: "before the row 7".
	childPoint = "UPLINE_TEST_APP_CHILD_POINT"
	// childRead is its read replica.
	childRead = "UPLINE_TEST_APP_CHILD_READ"
	// childNumber is what the ids that it makes end with.
	childNumber = "UPLINE_TEST_APP_CHILD_NUMBER"
)

// child is a server in a process of its own.
type child struct {
	cmd *exec.Cmd
	url string // empty when it ended before it served
	out *bufio.Reader
	// When gone is closed, it died at that time, and had said besides where it killed itself.
	gone chan struct{}
	died time.Time
	said string
}

// startChild starts the test binary as a server on a database.
func startChild(t testing.TB, database string, environment ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0]), gone: make(chan struct{})}
	c.cmd.Env = append(append(os.Environ(), childURL+"="+database), environment...)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	switch line, err := c.out.ReadString('\n'); {
	case strings.HasPrefix(line, saysPassed):
		c.said = line
	case err == nil:
		c.url = "http://" + strings.TrimSpace(line)
	}
	go func() {
		defer close(c.gone)
		said, _ := io.ReadAll(c.out) // to the end of the process
		c.said += string(said)
		c.died = time.Now()
	}()
	return c
}

// saysPassed begins the line in which a child says that it kills itself.
const saysPassed = "passed "

// passed reports whether it killed itself at a point. It was killed.
func (c *child) passed(point string) bool {
	return point != "" && strings.Contains(c.said, saysPassed+point+"\n")
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.gone
	_ = c.cmd.Wait()
}

// remote sends a request to a child.
func remote(ctx context.Context, base, method, path string, header http.Header, body any) (status int, answer []byte, err error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(encoded))
	if err != nil {
		return 0, nil, err
	}
	r.Header = header
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// ahead is the machine's clock, somewhat fast.
type ahead time.Duration

// Now implements clock.Clock.
func (a ahead) Now() time.Time { return clock.System{}.Now().Add(time.Duration(a)) }

// endsWith makes random bytes that end with a number. As the source of ids it says which
// process made one.
type endsWith uint16

// Read implements io.Reader.
func (n endsWith) Read(p []byte) (int, error) {
	_, _ = rand.Read(p)
	binary.BigEndian.PutUint16(p[len(p)-2:], uint16(n))
	return len(p), nil
}

// madeBy returns the number of the child that made an id.
func madeBy(id string) (n uint64, err error) {
	return strconv.ParseUint(id[max(0, len(id)-4):], 16, 16)
}

// serveChild is the other process. It does not return.
func serveChild(url string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
	}
	if n, err := strconv.ParseUint(os.Getenv(childNumber), 10, 16); err == nil {
		uuid.SetRand(endsWith(n))
	}
	ctx := context.Background()
	s, err := store.OpenWith(ctx, url, store.Options{ReadDatabase: os.Getenv(childRead)})
	fail(err)
	fast, _ := time.ParseDuration(os.Getenv(childAhead))
	a, err := app.New(ctx, app.Config{Store: s, Clock: ahead(fast), Key: bytes.Repeat([]byte{7}, 32), Issuer: apptest.Issuer, Log: slog.New(slog.DiscardHandler),
		Development: true, ApplySubscriptionRetryPolicy: true})
	fail(err)
	a.Webhooks.Passed = killAt(os.Getenv(childPoint))
	a.Exports.Passed = a.Webhooks.Passed
	jobs, err := a.Jobs()
	fail(err)
	fail(jobs.Start(ctx))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	fmt.Println(listener.Addr())
	fail(http.Serve(listener, a.Handler()))
}

// killAt has the process kill itself when it passes a point for the nth time.
func killAt(at string) func(point string) {
	name, n := "", 0
	if i := strings.LastIndexByte(at, ' '); i > 0 {
		name = at[:i]
		n, _ = strconv.Atoi(at[i+1:])
	}
	var passed atomic.Int32
	return func(point string) {
		if point != name || passed.Add(1) != int32(n) {
			return
		}
		fmt.Println(saysPassed + name)
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			os.Exit(1)
		}
		select {} // it is on its way
	}
}
