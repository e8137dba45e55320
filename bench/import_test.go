package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// BenchmarkImport brings agents, in any order, into a fresh database: twice as many
// rows are to take twice as long, in chunks and as one transaction.
//
//	go test -run '^$' -bench 'Import/.*/.*/(10000|30000)$' -benchtime 1x -timeout 30m ./bench
func BenchmarkImport(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner, "policies": dbtest.PostgresRole} {
		for _, policy := range []bulkimport.Policy{bulkimport.RejectFailedRows, bulkimport.RejectEverything} {
			for _, rows := range []int{10_000, 30_000, 100_000} {
				if name == "sqlite" && policy == bulkimport.RejectEverything && rows > 50_000 {
					continue // refused: one transaction would keep the writer for too long
				}
				b.Run(fmt.Sprintf("%s/%s/%d", name, policy, rows), func(b *testing.B) {
					for b.Loop() {
						importAgents(b, open(b), policy, rows)
					}
				})
			}
		}
	}
}

func importAgents(b *testing.B, s *store.Store, policy bulkimport.Policy, rows int) {
	w := apptest.New(b, s, apptest.Options{Now: clock.System{}.Now()})
	file := strings.NewReader(agentFile(rows))
	cpu, begun := cpuTime(b), time.Now()
	done, err := w.Imports.Run(w.Context(b, apptest.Acme), bulkimport.Import{Entity: bulkimport.Agent, File: file, Policy: policy, Initiator: "bench"})
	if err != nil || done.Created != rows || done.Rejected != 0 {
		b.Fatalf("%+v, %v", done, err)
	}
	took, used := time.Since(begun), cpuTime(b)-cpu
	b.ReportMetric(took.Seconds(), "s")
	b.ReportMetric(used.Seconds(), "cpu-s")
	b.ReportMetric(float64(used.Microseconds())/float64(rows), "cpu-µs/row")
	b.ReportMetric(0, "ns/op")
}

var importRows = flag.Int("import-rows", 20_000, "rows of each kind of BenchmarkImportKinds")

// BenchmarkImportKinds brings so many rows of each kind, in chunks: "imports ≥ 10,000 rows/s
// of each kind". All rows are new; each agent has one of the kind.
func BenchmarkImportKinds(b *testing.B) {
	kinds := []struct {
		entity string
		header string
		row    func(i int) string
	}{
		{bulkimport.Certification, "agentCode,type,jurisdiction,identifier,effectiveFrom", func(i int) string { return fmt.Sprintf("N%06d,HEALTH,US-TX,L%d,2021-01-01", i, i) }},
		{bulkimport.LevelPeriod, "agentCode,level,effectiveFrom", func(i int) string { return fmt.Sprintf("N%06d,10,2021-01-01", i) }},
		{bulkimport.PayStatusPeriod, "agentCode,status,effectiveFrom", func(i int) string { return fmt.Sprintf("N%06d,Suspended,2021-01-01", i) }},
		{bulkimport.UplinePeriod, "agentCode,uplineAgentCode,effectiveFrom", func(i int) string { return fmt.Sprintf("N%06d,N%06d,2021-01-01", i, i/9) }},
		{bulkimport.ProductionRecord, "agentCode,providerCompany,policyNumber,submittedOn,annualPremium", func(i int) string { return fmt.Sprintf("N%06d,ACME,P%d,2022-01-01,1200.00", i, i) }},
		{bulkimport.Commission, "agentCode,paidOn,amount,reference", func(i int) string { return fmt.Sprintf("N%06d,2022-01-01,100.00,R%d", i, i) }},
	}
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner} {
		b.Run(name, func(b *testing.B) {
			w := apptest.New(b, open(b), apptest.Options{Now: clock.System{}.Now()})
			importKind(b, w, bulkimport.ProviderCompany, "code,name,isEnabled\nACME,Acme,true\n", 1)
			b.Run(bulkimport.Agent, func(b *testing.B) {
				for b.Loop() { // with -benchtime 1x
					importKind(b, w, bulkimport.Agent, agentFile(*importRows), *importRows)
				}
			})
			for _, kind := range kinds {
				lines := make([]string, *importRows)
				for i := range lines {
					lines[i] = kind.row(i + 1) // N000000 is the root
				}
				lines[len(lines)-1] = kind.row(0)
				if kind.entity == bulkimport.UplinePeriod {
					lines = lines[:len(lines)-1]
				}
				b.Run(kind.entity, func(b *testing.B) {
					for b.Loop() {
						importKind(b, w, kind.entity, kind.header+"\n"+strings.Join(lines, "\n"), len(lines))
					}
				})
			}
		})
	}
}

func importKind(b *testing.B, w *apptest.World, entity, file string, rows int) {
	database, begun, own := below(os.Getpid()), time.Now(), ownUsage().CPU
	done, err := w.Imports.Run(w.Context(b, apptest.Acme), bulkimport.Import{Entity: entity, File: strings.NewReader(file), Policy: bulkimport.RejectFailedRows, Initiator: "bench"})
	if err != nil || done.Created+done.Updated != rows || done.Rejected != 0 {
		b.Fatalf("%s: %+v, %v", entity, done, err)
	}
	b.ReportMetric(float64((ownUsage().CPU-own).Microseconds())/float64(rows), "own-µs/row")
	b.ReportMetric(float64(rows)/time.Since(begun).Seconds(), "rows/s")
	b.ReportMetric(float64((below(os.Getpid())-database).Microseconds())/float64(rows), "db-µs/row")
	b.ReportMetric(0, "ns/op")
}

var numberingEvents = flag.Int("numbering-events", 50_000, "events of BenchmarkNumbering")

// BenchmarkNumbering stores events, a thousand in each transaction, and gives them
// their positions in the feed: afterwards, as for the events of single requests, or as
// they are stored, as an import does. A run of the job that does it afterwards has a
// minute; longest-run-s is how long the longest took.
func BenchmarkNumbering(b *testing.B) {
	const each = 1000
	transactions := *numberingEvents / each
	perEvent := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(transactions) / each }
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner} {
		for when, mark := range map[string]func(context.Context) context.Context{"afterwards": func(ctx context.Context) context.Context { return ctx }, "at once": events.NumberedAtOnce} {
			b.Run(name+"/"+when, func(b *testing.B) {
				for b.Loop() {
					w := apptest.New(b, open(b), apptest.Options{})
					ctx := w.Context(b, apptest.Acme)
					some := make([]events.Event, each)
					for i := range some {
						code := fmt.Sprintf("N%06d", i)
						some[i] = events.Event{Type: events.AgentUpdated, AgentCode: code, Initiator: "bench", Data: map[string]any{"agentCode": code, "changedFields": []string{"npn"}, "operation": "import"}}
					}
					cpu := cpuTime(b)
					for range transactions {
						if err := w.Store.InTx(mark(ctx), func(ctx context.Context, tx *store.Tx) error {
							return events.WriteAll(ctx, tx, w.Clock.Now(), some)
						}); err != nil {
							b.Fatal(err)
						}
					}
					stored := cpuTime(b) - cpu
					b.ReportMetric(numberAll(b, w).Seconds(), "longest-run-s")
					b.ReportMetric(perEvent(stored), "cpu-µs/stored")
					b.ReportMetric(perEvent(cpuTime(b)-cpu-stored), "cpu-µs/numbered")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// numberAll runs the job until nothing is left, and returns how long its longest run took.
func numberAll(b *testing.B, w *apptest.World) (longest time.Duration) {
	b.Helper()
	feed := events.NewFeed(w.Store)
	for more := true; more; {
		begun := time.Now()
		var err error
		if more, err = feed.NumberAll(b.Context(), func(context.Context, int64) (*tenant.Tenant, error) { return w.Tenants[apptest.Acme], nil }); err != nil {
			b.Fatal(err)
		}
		longest = max(longest, time.Since(begun))
	}
	return longest
}

// agentFile is a file of agents, each below one that may come later.
func agentFile(rows int) string {
	lines := make([]string, rows)
	for i := range lines {
		upline := ""
		if i > 0 {
			upline = fmt.Sprintf("N%06d", (i-1)/8)
		}
		lines[i] = fmt.Sprintf("N%06d,Ada,Lovelace %d,ada%d@example.com,%d,Active,2020-01-01,%s,1 Main Street,Boise,US-ID,512,555%04d\n", i, i, i, 1_000_000+i, upline, i%10000)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(rows, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return "agentCode,firstName,lastName,email,npn,status,startDate,teams.default.directUpline,homeAddress.line1,homeAddress.city,homeAddress.jurisdiction,cellPhone.areaCode,cellPhone.phoneNumber\n" +
		strings.Join(lines, "")
}

// cpuTime is the processor time of this process and of the PostgreSQL below it.
func cpuTime(b *testing.B) time.Duration {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	return time.Duration(own.Utime.Nano()+own.Stime.Nano()) + below(os.Getpid())
}

// below is the processor time of all processes below one, ended ones included. Linux
// counts it in hundredths of a second.
func below(parent int) (sum time.Duration) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 15 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		for _, field := range fields[11:15] { // utime, stime, and those of children that ended
			ticks, _ := strconv.Atoi(field)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		sum += below(pid)
	}
	return sum
}
