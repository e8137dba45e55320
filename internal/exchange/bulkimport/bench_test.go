package bulkimport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// BenchmarkImport brings agents with an upline, an address, a telephone number, an
// SSN and two certifications each into an empty PostgreSQL, and then the same rows
// of the same tables with COPY, indexes and constraints in place. The uplines come
// first in the file, as where a file is sorted by rank, or in any order.
//
//	UPLINE_BENCH_AGENTS=100000 go test -run '^$' -bench Import -benchtime 1x ./internal/exchange/bulkimport
func BenchmarkImport(b *testing.B) {
	n := 2000
	if text := os.Getenv("UPLINE_BENCH_AGENTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	for _, order := range []string{"sorted", "shuffled"} {
		b.Run(order, func(b *testing.B) {
			for b.Loop() {
				w := newBenchWorld(b)
				agents, certifications := w.files(n, order == "shuffled")
				imported, cpu := w.timed(func() {
					w.bring(bulkimport.Agent, agents, n)
					w.bring(bulkimport.Certification, certifications, 2*n)
				})
				copied := w.copyAgain()
				b.ReportMetric(float64(3*n)/imported.Seconds(), "rows/s")
				b.ReportMetric(imported.Seconds(), "s(import)")
				b.ReportMetric(cpu.Seconds(), "cpu-s(import)")
				b.ReportMetric(copied.Seconds(), "s(copy)")
				b.ReportMetric(imported.Seconds()/copied.Seconds(), "x-of-copy")
				b.ReportMetric(w.peak(), "MiB-peak")
			}
		})
	}
}

type benchWorld struct {
	*testing.B
	url string
	ctx context.Context
	all *bulkimport.Service
	dir string
}

func newBenchWorld(b *testing.B) *benchWorld {
	b.Helper()
	w := &benchWorld{B: b, url: dbtest.OwnerURL(dbtest.PostgresURL(b)), dir: b.TempDir()}
	s, err := store.Open(b.Context(), w.url)
	w.must(err)
	b.Cleanup(s.Close)
	w.must(s.Migrate(b.Context()))
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
	w.must(err)
	now := clock.System{}
	t, err := directory.Create(b.Context(), s, v, now, directory.NewTenant{Identifier: "bench", Name: "Bench", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	w.must(err)
	w.ctx = tenant.With(b.Context(), t)
	a := agency.New(s, now, v)
	w.all = bulkimport.New(s, now, v, a.Lexicon(), past.New(s, now, v, a.Kinds()...), map[string]bulkimport.Entity{bulkimport.Agent: a.ImportAgents(), bulkimport.Certification: a.ImportCertifications()})
	return w
}

func (w *benchWorld) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// files writes the agents and their certifications.
func (w *benchWorld) files(n int, shuffled bool) (agents, certifications string) {
	made := demo.Generate(demo.Options{Agents: n, Seed: 1, Today: clock.Today(clock.System{}, time.UTC)}).Agents
	people := [][]string{{"agentCode", "firstName", "lastName", "email", "npn", "governmentIdentifier", "birthDate", "status", "startDate", "teams.default.directUpline",
		"teams.default.level", "homeAddress.line1", "homeAddress.city", "homeAddress.jurisdiction", "homeAddress.postalCode", "homeAddress.country", "cellPhone.areaCode", "cellPhone.phoneNumber"}}
	licences := [][]string{{"agentCode", "type", "jurisdiction", "identifier", "isVerified", "effectiveFrom"}}
	for i := range made {
		a := &made[i]
		upline := ""
		if u := a.UplinePeriods[0].Value; u != demo.NoUpline {
			upline = made[u].Code
		}
		people = append(people, []string{a.Code, a.FirstName, a.LastName, a.Email, a.NPN, a.GovernmentIdentifier, a.BirthDate.String(), "Active", a.StartDate.String(), upline,
			"10", a.HomeAddress.Line1, a.HomeAddress.City, a.HomeAddress.Jurisdiction, a.HomeAddress.PostalCode, a.HomeAddress.Country, a.CellPhone.AreaCode, a.CellPhone.PhoneNumber})
		for _, jurisdiction := range []string{"US-TX", "US-FL"} {
			licences = append(licences, []string{a.Code, "HEALTH", jurisdiction, a.NPN, "true", a.StartDate.String()})
		}
	}
	if shuffled {
		body, r := people[1:], rand.New(rand.NewPCG(1, 1))
		r.Shuffle(len(body), func(i, j int) { body[i], body[j] = body[j], body[i] })
	}
	return w.csv("agents.csv", people), w.csv("certifications.csv", licences)
}

func (w *benchWorld) csv(name string, rows [][]string) string {
	path := filepath.Join(w.dir, name)
	f, err := os.Create(path)
	w.must(err)
	defer f.Close()
	out := csv.NewWriter(f)
	w.must(out.WriteAll(rows))
	return path
}

func (w *benchWorld) bring(entity, path string, rows int) {
	f, err := os.Open(path)
	w.must(err)
	defer f.Close()
	report, err := w.all.Run(w.ctx, bulkimport.Import{Entity: entity, File: f, Policy: bulkimport.RejectFailedRows, Initiator: "bench"})
	w.must(err)
	if report.Created != rows || report.Rejected != 0 {
		w.Fatalf("%s: %+v", entity, report)
	}
}

// timed measures the time that f takes, and the processor time of this process.
func (w *benchWorld) timed(f func()) (took, cpu time.Duration) {
	used := func() time.Duration {
		var u syscall.Rusage
		w.must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before, start := used(), time.Now()
	f()
	return time.Since(start), used() - before
}

// peak is the most memory that the process ever had, the making of the files
// included.
func (w *benchWorld) peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	w.must(err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	w.must(err)
	return kib / 1024
}

// filled are the tables that an import fills, in the order in which they refer to
// each other.
var filled = []string{"agency_agent", "agency_address", "agency_phone", "agency_pay_status_period", "agency_upline_period", "agency_level_period",
	"agency_certification", "agency_certification_period", "outbox_event", "audit_entry", "audit_entry_key"}

// copyAgain takes the rows out and measures how long COPY needs for them.
func (w *benchWorld) copyAgain() time.Duration {
	c, err := pgx.Connect(w.ctx, w.url)
	w.must(err)
	defer c.Close(w.ctx)
	for _, table := range filled {
		w.file(table, os.O_CREATE|os.O_WRONLY, func(f *os.File) error {
			out := bufio.NewWriterSize(f, 1<<20)
			_, err := c.PgConn().CopyTo(w.ctx, out, "COPY "+table+" TO STDOUT (FORMAT binary)")
			w.must(out.Flush())
			return err
		})
	}
	for _, statement := range []string{
		"ALTER TABLE audit_entry DISABLE TRIGGER USER", "ALTER TABLE audit_entry_key DISABLE TRIGGER USER", // the trail is append-only
		"TRUNCATE " + strings.Join(filled, ", ") + " CASCADE",
		"ALTER TABLE audit_entry ENABLE TRIGGER USER", "ALTER TABLE audit_entry_key ENABLE TRIGGER USER",
	} {
		_, err = c.Exec(w.ctx, statement)
		w.must(err)
	}
	took, _ := w.timed(func() {
		for _, table := range filled {
			w.file(table, os.O_RDONLY, func(f *os.File) error {
				_, err := c.PgConn().CopyFrom(w.ctx, io.Reader(f), "COPY "+table+" FROM STDIN (FORMAT binary)")
				return err
			})
		}
	})
	return took
}

func (w *benchWorld) file(table string, mode int, f func(*os.File) error) {
	file, err := os.OpenFile(filepath.Join(w.dir, table), mode, 0o600)
	w.must(err)
	defer file.Close()
	if err := f(file); err != nil {
		w.Fatal(fmt.Errorf("%s: %w", table, err))
	}
}
