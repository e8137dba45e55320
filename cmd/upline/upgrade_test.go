package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// previousBinary is a variable that names the binary of an earlier version.
const previousBinary = "UPLINE_TEST_PREVIOUS"

// upgrade is an installation that goes on working while its version changes.
type upgrade struct {
	t             *testing.T
	url, key, old string

	mu      sync.Mutex
	servers []string // their addresses
	// ready are those that a load balancer sends requests to.
	ready atomic.Pointer[[]string]
	token string

	sent, failed atomic.Int64
	faults       sync.Map
	// logs are those of the servers, to be read when they have ended.
	logs []*bytes.Buffer
}

// program prepares a command of the earlier version, or of this one.
func (u *upgrade) program(isOld bool, args ...string) *exec.Cmd {
	path := os.Args[0]
	if isOld {
		path = u.old
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), asUpline+"=1", "UPLINE_DATABASE="+u.url, "UPLINE_KEY_FILE="+u.key)
	return cmd
}

func (u *upgrade) do(isOld bool, args ...string) string {
	u.t.Helper()
	out, err := u.program(isOld, args...).CombinedOutput()
	if err != nil {
		u.t.Fatalf("upline %v: %v: %s", args, err, out)
	}
	return string(out)
}

// serve starts a server and waits until it is ready.
func (u *upgrade) serve(isOld bool) *exec.Cmd {
	u.t.Helper()
	addr := dbtest.FreeAddress(u.t)
	cmd := u.program(isOld, "serve", "--addr", addr, "--admin-addr", "off", "--issuer", "http://127.0.0.1:1", "--client-rate", "0", "--tenant-rate", "0", "--client-cost", "0")
	log := new(bytes.Buffer)
	cmd.Stderr = log
	u.logs = append(u.logs, log)
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = cmd.Process.Kill() })
	for range 400 {
		if isReady(addr) {
			u.mu.Lock()
			u.servers = append(u.servers, addr)
			u.mu.Unlock()
			return cmd
		}
		time.Sleep(50 * time.Millisecond)
	}
	u.t.Fatal("a server is not ready")
	return nil
}

func isReady(addr string) bool {
	answer, err := http.Get("http://" + addr + "/readyz")
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusNoContent
}

// balance asks the servers a few times a second which of them is ready.
func (u *upgrade) balance(ctx context.Context) {
	for ctx.Err() == nil {
		u.mu.Lock()
		all := slices.Clone(u.servers)
		u.mu.Unlock()
		ready := slices.DeleteFunc(all, func(addr string) bool { return !isReady(addr) })
		u.ready.Store(&ready)
		time.Sleep(100 * time.Millisecond)
	}
}

// end asks a server to end, as a supervisor does, and waits for it.
func (u *upgrade) end(cmd *exec.Cmd) {
	u.t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		u.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		u.t.Errorf("a server that was asked to end: %v", err)
	}
}

// work registers, reads, changes and lists agents until ctx ends.
func (u *upgrade) work(ctx context.Context, worker int) {
	for n := 0; ctx.Err() == nil; n++ {
		code := fmt.Sprintf("W%d-%d", worker, n)
		u.ask(n, http.MethodPost, "/agents", map[string]any{"agentCode": code, "firstName": "A", "lastName": "B", "status": "Active", "initiator": "upgrade",
			"teams": map[string]any{"default": map[string]any{"level": 10}}})
		u.ask(n+1, http.MethodGet, "/agents/"+code, nil)
		u.ask(n+2, http.MethodPatch, "/agents/"+code, map[string]any{"lastName": "C", "initiator": "upgrade"})
		u.ask(n+3, http.MethodGet, "/agents", nil)
	}
}

func (u *upgrade) ask(n int, method, path string, body any) {
	ready := *u.ready.Load()
	u.sent.Add(1)
	if len(ready) == 0 {
		u.fail("nobody is ready")
		return
	}
	encoded, _ := json.Marshal(body)
	r, err := http.NewRequest(method, "http://"+ready[n%len(ready)]+"/agency-management/acme"+path, bytes.NewReader(encoded))
	if err != nil {
		u.t.Error(err)
		return
	}
	r.Header = http.Header{"Authorization": {"Bearer " + u.token}, "Content-Type": {"application/json"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		u.fail(method + ": " + err.Error())
		return
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode/100 != 2 {
		u.fail(fmt.Sprintf("%s %s: %d %s", method, path, answer.StatusCode, text))
	}
}

func (u *upgrade) fail(what string) {
	u.failed.Add(1)
	u.faults.Store(what, true)
}

// signIn makes a client, and gets its token.
func (u *upgrade) signIn() {
	u.t.Helper()
	u.do(true, "tenant", "create", "acme")
	out := u.do(true, "client", "create", "upgrade", "--tenant", "acme", "--scopes", "read:agents,write:agents")
	secret := ""
	for word := range strings.FieldsSeq(out) {
		secret = word // the last one
	}
	answer, err := http.PostForm("http://"+u.servers[0]+"/oauth2/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {"upgrade"}, "client_secret": {secret}})
	if err != nil {
		u.t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		AccessToken string `json:"access_token"`
	}
	text, _ := io.ReadAll(answer.Body)
	if json.Unmarshal(text, &got) != nil || got.AccessToken == "" {
		u.t.Fatalf("no token: %s %s", text, out)
	}
	u.token = got.AccessToken
	// A key that was just made is known to the other servers within a second or two.
	for range 10 {
		before := u.failed.Load()
		for n := range u.servers {
			u.ask(n, http.MethodGet, "/agents", nil)
		}
		if u.failed.Load() == before {
			break
		}
		time.Sleep(time.Second)
	}
	u.sent.Store(0)
	u.failed.Store(0)
	u.faults.Clear()
}

// Two servers of an earlier version go on while this version migrates the database, and
// are replaced one after the other: "two versions of the binary beside each other on one
// database during a migration, requests going on, no error above 0.1 %". "make
// upgrade-check" builds the earlier version.
func TestRollingUpgrade(t *testing.T) {
	old := os.Getenv(previousBinary)
	if old == "" {
		t.Skip(previousBinary + " names no earlier binary; make upgrade-check builds one")
	}
	u := &upgrade{t: t, url: dbtest.NewEmptyCluster(t).URL(), key: filepath.Join(t.TempDir(), "key"), old: old}
	if err := os.WriteFile(u.key, []byte(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	u.do(true, "migrate")
	first, second := u.serve(true), u.serve(true)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { u.balance(ctx) })
	for u.ready.Load() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	u.signIn()
	for n := range 4 {
		all.Go(func() { u.work(ctx, n) })
	}
	const meanwhile = 2 * time.Second
	time.Sleep(meanwhile)
	t.Log(u.do(false, "migrate")) // the earlier servers go on
	time.Sleep(meanwhile)
	third := u.serve(false)
	time.Sleep(meanwhile) // both versions at once
	u.end(first)
	fourth := u.serve(false)
	u.end(second)
	time.Sleep(meanwhile)
	stop()
	all.Wait()
	sent, failed := u.sent.Load(), u.failed.Load()
	t.Logf("%d requests, %d failed", sent, failed)
	u.faults.Range(func(what, _ any) bool { t.Log(what); return true })
	if sent < 100 || failed*1000 > sent {
		t.Errorf("%d of %d requests failed, more than one of a thousand", failed, sent)
	}
	u.end(third)
	u.end(fourth)
	for _, log := range u.logs {
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `"level":"ERROR"`) {
				t.Log(strings.TrimSpace(line))
			}
		}
	}
	u.do(false, "doctor")
}
