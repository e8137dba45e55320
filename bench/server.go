package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof" // for -profile
	"net/url"
	"os"
	"os/exec"
	"strings"

	"github.com/uplinehq/upline/internal/platform/process"
	"github.com/uplinehq/upline/internal/platform/store"
)

// contestant is one of the two servers.
type contestant string

const (
	upline contestant = "upline"
	hand   contestant = "hand"
	// policies is upline as a role for which row-level security holds.
	policies contestant = "policies"
)

// childVariable makes a process of this program one of the servers. Each runs
// in a process of its own, so that its CPU time and memory can be told apart.
const childVariable = "UPLINE_BENCH_SERVE"

// serveChild serves until standard input ends, which it does with the parent.
func serveChild(ctx context.Context, which contestant, database string) error {
	handler, err := handlerOf(ctx, which, database)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.HandleFunc("GET /usage", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(ownUsage()) })
	mux.Handle("/debug/pprof/", http.DefaultServeMux)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	served := make(chan error, 1)
	go func() { served <- http.Serve(listener, mux) }()
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		served <- err
	}()
	return <-served
}

func handlerOf(ctx context.Context, which contestant, database string) (http.Handler, error) {
	if which == hand {
		h, err := newByHand(ctx, database)
		if err != nil {
			return nil, err
		}
		return h.handler(), nil
	}
	process.RelaxGC() // as upline serve does
	s, err := store.Open(ctx, database)
	if err != nil {
		return nil, err
	}
	a, err := assemble(ctx, s, wide)
	if err != nil {
		return nil, err
	}
	jobs, err := a.Jobs()
	if err != nil {
		return nil, err
	}
	if err := jobs.Start(ctx); err != nil {
		return nil, err
	}
	return a.Handler(), nil
}

// server is a running contestant.
type server struct {
	contestant
	address string
	token   string // of the one that asks for it
	cmd     *exec.Cmd
	stdin   io.Closer
}

// start starts a contestant. Its connections carry its name, so that
// PostgreSQL's part can be told apart as well.
func start(ctx context.Context, which contestant, database string) (*server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), childVariable+"="+string(which), "UPLINE_BENCH_DATABASE="+named(database, which))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s did not start: %w", which, err)
	}
	s := &server{contestant: which, address: strings.TrimSpace(line), cmd: cmd, stdin: stdin}
	if which != hand {
		s.token, err = s.fetchToken(ctx)
	}
	return s, err
}

func (s *server) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
}

func named(database string, which contestant) string {
	u, err := url.Parse(database)
	if err != nil {
		return database // opening it tells
	}
	q := u.Query()
	q.Set("application_name", applicationName(which))
	if which == policies {
		q.Set("role", policiesRole)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func applicationName(which contestant) string { return "upline-bench-" + string(which) }

func (s *server) fetchToken(ctx context.Context) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.address+"/oauth2/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(clientID, clientSecret)
	var answer struct {
		Token string `json:"access_token"`
	}
	err = fetch(r, &answer)
	return answer.Token, err
}

func (s *server) usage(ctx context.Context) (u usage, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/usage", nil)
	if err != nil {
		return u, err
	}
	return u, fetch(r, &u)
}

// fetch reads a JSON answer.
func fetch(r *http.Request, into any) error {
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", r.URL.Path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}
