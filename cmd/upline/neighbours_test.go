package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// topology is how servers reach a database: as themselves, and as nothing is between.
type topology struct{ url, direct, read string }

var topologies = []struct {
	name    string
	servers int
	start   func(testing.TB) topology
}{
	{"SQLite", 1, func(t testing.TB) topology {
		file := filepath.Join(t.TempDir(), "upline.db")
		return topology{url: file, direct: file}
	}},
	{"PostgreSQL", 1, func(t testing.TB) topology {
		url := dbtest.NewCluster(t).URL()
		return topology{url: url, direct: url}
	}},
	{"three servers", 3, func(t testing.TB) topology {
		url := dbtest.NewCluster(t).URL()
		return topology{url: url, direct: url}
	}},
	{"pooler", 1, func(t testing.TB) topology {
		cluster := dbtest.NewCluster(t)
		return topology{url: cluster.Pooler(t).URL(cluster.URL()), direct: cluster.URL()}
	}},
	{"replica", 1, func(t testing.TB) topology {
		cluster := dbtest.NewCluster(t)
		return topology{url: cluster.URL(), direct: cluster.URL(), read: cluster.Replica(t).URL(cluster.URL())}
	}},
	{"Citus", 1, func(t testing.TB) topology {
		url := dbtest.NewCitus(t).URL()
		return topology{url: url, direct: url}
	}},
}

// tenantRate is what servers allow a tenant in a minute, all of them together. One asks for
// two thirds more, and soon has used up what its bucket holds; the other for a fifth less.
const tenantRate = 1500

// BenchmarkNeighbours shows for each topology how much longer a tenant's pages take beside
// another tenant at its rate: "a noisy tenant at its limit moves another tenant's p99 by
// less than 20 %". The servers are processes of their own, which bench/flood asks.
func BenchmarkNeighbours(b *testing.B) {
	for _, c := range topologies {
		b.Run(c.name, func(b *testing.B) {
			n := &neighbours{B: b, topology: c.start(b), key: filepath.Join(b.TempDir(), "upline.key")}
			n.run(n.upline("demo", "--load-only", "--agents", "5000", "--data", filepath.Dir(n.key), "--database", n.direct))
			if c.name == "Citus" {
				n.run(n.upline("migrate", "--citus", "--database", n.direct))
			}
			var servers []string
			for range c.servers {
				servers = append(servers, "http://"+n.serve(tenantRate/c.servers))
			}
			var times []float64
			for b.Loop() {
				out := n.run(exec.Command("go", "run", "../../bench/flood", "-url", strings.Join(servers, ","), "-mixes", "-mix", "at its rate", "-length", "20s"))
				found := timesOfAlone.FindStringSubmatch(out)
				if found == nil || !onlyOneRefused.MatchString(out) {
					b.Fatal(out)
				}
				ratio, _ := strconv.ParseFloat(found[1], 64)
				times = append(times, ratio)
				b.Log("\n" + out)
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "times-alone")
		})
	}
}

var (
	timesOfAlone = regexp.MustCompile(`p99 \| ([0-9.]+) times`)
	// onlyOneRefused fits when the one was at its rate, and the other below.
	onlyOneRefused = regexp.MustCompile(`(?s)beside it \| \d+ \|  \|.*the disturbance \| \d+ \| 429: `)
)

type neighbours struct {
	*testing.B
	topology
	key string
}

// upline prepares a command of this binary.
func (n *neighbours) upline(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asUpline+"=1", "UPLINE_KEY_FILE="+n.key)
	return cmd
}

func (n *neighbours) run(cmd *exec.Cmd) string {
	n.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		n.Fatalf("%v: %v: %s", cmd.Args, err, out)
	}
	return string(out)
}

// serve starts a server, and returns its address when it is ready.
func (n *neighbours) serve(rate int) string {
	n.Helper()
	addr := dbtest.FreeAddress(n)
	cmd := n.upline("serve", "--allow-demo", "--database", n.url, "--addr", addr, "--admin-addr", "off", "--issuer", "http://127.0.0.1:1",
		"--client-rate", "0", "--client-cost", "0", "--tenant-rate", strconv.Itoa(rate))
	cmd.Env = append(cmd.Env, "UPLINE_READ_DATABASE="+n.read)
	if err := cmd.Start(); err != nil {
		n.Fatal(err)
	}
	n.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for end := time.Now().Add(30 * time.Second); !isReady(addr); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			n.Fatal("a server is not ready")
		}
	}
	return addr
}
