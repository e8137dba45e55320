// Command bench compares the GraphQL server with a handler written by hand for
// each question (net/http, pgx, one tuned statement, no authentication): what
// the graph, its rules and its access control cost.
//
//	go run ./bench                 # 100,000 agents in a PostgreSQL of its own
//	go run ./bench -agents 2000    # a smoke run
//
// Both run as processes of their own on the same machine as PostgreSQL and the
// load generator, and are asked the same in turns, so that what else the
// machine does falls on both. Compare figures of one run only.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

type options struct {
	agents, rounds, connections int
	length                      time.Duration
	database, only, profile     string
	write                       string
	policies                    bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if which := os.Getenv(childVariable); which != "" {
		return serveChild(ctx, contestant(which), os.Getenv("UPLINE_BENCH_DATABASE"))
	}
	var o options
	flag.IntVar(&o.agents, "agents", 100_000, "agents of the agency")
	flag.StringVar(&o.database, "database", "", "postgres://… to use; it is filled when it holds no agency. A PostgreSQL of its own by default")
	flag.StringVar(&o.only, "only", "", "questions to ask, by name and comma; all by default")
	flag.IntVar(&o.rounds, "rounds", 7, "rounds of each server")
	flag.DurationVar(&o.length, "length", 2*time.Second, "length of a round")
	flag.IntVar(&o.connections, "connections", 16, "connections of the load generator")
	flag.StringVar(&o.profile, "profile", "", "folder for profiles of the GraphQL server: CPU, and what was allocated")
	flag.StringVar(&o.write, "write", "", "file to write the results to as well")
	flag.BoolVar(&o.policies, "policies", false, "compare the server as a role for which row-level security holds with itself as the owner, instead")
	flag.Parse()
	if o.database == "" {
		c, err := startCluster(ctx)
		if err != nil {
			return err
		}
		defer c.stop()
		o.database = c.url
	}
	results, facts, err := measureAll(ctx, o)
	if err != nil {
		return err
	}
	report := table(o, facts, results)
	fmt.Print(report)
	if o.write == "" {
		return nil
	}
	return os.WriteFile(o.write, []byte(report), 0o644)
}

// measureAll makes the agency and asks every question.
func measureAll(ctx context.Context, o options) (results []result, facts machine, err error) {
	s, err := store.Open(ctx, o.database)
	if err != nil {
		return nil, facts, err
	}
	defer s.Close()
	if err := s.Migrate(ctx); err != nil {
		return nil, facts, err
	}
	a, err := assemble(ctx, s, wide)
	if err != nil {
		return nil, facts, err
	}
	fmt.Fprintln(os.Stderr, "making the agency")
	if err := fill(ctx, a, o.agents); err != nil {
		return nil, facts, err
	}
	if err := settle(ctx, o.database); err != nil {
		return nil, facts, err
	}
	if o.policies {
		if err := makeRole(ctx, o.database); err != nil {
			return nil, facts, err
		}
	}
	b := &bench{options: o, app: a}
	if b.sample, err = b.walk(ctx); err != nil {
		return nil, facts, err
	}
	for _, q := range questions {
		if o.only != "" && !strings.Contains(","+o.only+",", ","+q.name+",") {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring:", q.title)
		r, err := b.measure(ctx, q)
		if err != nil {
			return nil, facts, fmt.Errorf("%s: %w", q.name, err)
		}
		results = append(results, r)
	}
	facts, err = readMachine(ctx, o.database, len(b.sample.agents))
	return results, facts, err
}
