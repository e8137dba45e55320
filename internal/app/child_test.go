package app_test

import (
	"bufio"
	"bytes"
	"context"
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

	"github.com/uplinehq/upline/internal/app"
	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/clock"
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
)

// child is a server in a process of its own.
type child struct {
	cmd *exec.Cmd
	url string // empty when it ended before it served
	out *bufio.Reader
	// said is what it said besides: the point where it killed itself.
	said string
}

// startChild starts the test binary as a server on a database.
func startChild(t *testing.T, database string, environment ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0])}
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
	said, _ := io.ReadAll(c.out) // to the end of the process
	c.said += string(said)
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

// serveChild is the other process. It does not return.
func serveChild(url string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
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
