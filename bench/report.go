package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// machine is what the figures depend on besides the servers.
type machine struct {
	postgres string
	agents   int
	certs    int64
	closure  int64
}

func readMachine(ctx context.Context, database string, agents int) (machine, error) {
	m := machine{agents: agents}
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return m, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `SELECT split_part(current_setting('server_version'), ' ', 1),
		(SELECT count(*) FROM agency_certification), (SELECT count(*) FROM hierarchy_closure)`).Scan(&m.postgres, &m.certs, &m.closure)
	return m, err
}

const reading = `
Requests/s are medians of the rounds; the ratio is the median of the ratios of
rounds that ran one after the other. CPU is the server process alone, per
request; PG is PostgreSQL's for the same request. p50 and p99 hold with all
connections busy. Statements are those of one GraphQL request; by hand it is one,
for the write begin, three statements and commit. Peak is the resident memory of
the server process. The GraphQL server runs with the settings of upline serve;
the handler by hand with Go's default.
`

// table writes the results as Markdown.
func table(o options, m machine, results []result) string {
	var b strings.Builder
	title, one, other := "the GraphQL server against a handler written by hand", "GraphQL", "by hand"
	if o.policies {
		title, one, other = "row-level security", "with policies", "as the owner"
	}
	fmt.Fprintf(&b, "# Benchmark: %s\n\n", title)
	fmt.Fprintf(&b, "%d agents, %d certifications, %d pairs of the flattened hierarchy. %d cores for PostgreSQL %s, both servers and the load generator; %s on %s/%s. %d connections, %d rounds of %s.\n%s\n",
		m.agents, m.certs, m.closure, runtime.NumCPU(), m.postgres, runtime.Version(), runtime.GOOS, runtime.GOARCH, o.connections, o.rounds, o.length, reading)
	fmt.Fprintf(&b, "| question | | requests/s | ratio | CPU | PG | p50 | p99 | statements | peak |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range results {
		ratio := fmt.Sprintf("**%.2f**", r.ratio())
		if r.target > 0 && !o.policies {
			ratio += fmt.Sprintf(" (target %.1f)", r.target)
		}
		row(&b, r.title, one, r.upline, ratio, r.statements)
		row(&b, "", other, r.hand, "", "")
	}
	return b.String()
}

func row(b *strings.Builder, title, who string, s side, ratio, statements string) {
	fmt.Fprintf(b, "| %s | %s | %.0f | %s | %s | %s | %s | %s | %s | %d MiB |\n", title, who, median(s.perSecond), ratio,
		short(s.each(s.cpu)), short(s.each(s.pgCPU)), short(quantile(s.times, 0.5)), short(quantile(s.times, 0.99)), statements, s.peak>>20)
}

// short writes a time with what matters of it.
func short(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%d µs", d.Microseconds())
	}
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
