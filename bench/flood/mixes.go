package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The mixes show who has to wait for whom. Each has a part without the disturbance
// and one with it.

const (
	pageOfFive = `{ agents(first: 5) { nodes { agentCode displayName status } } }`
	insight    = `{ insight(slug: "unlicensed-active-agents", first: 50) { totalCount } }`
	// countsAtOnce counts in one request are just fewer than what is refused for its cost.
	countsAtOnce = 18
	attackers    = 2
	// atRate are the connections of a tenant that asks for a page of 50 a second with each:
	// with --tenant-rate 1800 a third more than it may.
	atRate      = 40
	idleSockets = 700
)

// attacks are what makes a server count many rows in many statements of one request. A
// number that is new each time takes the place of # and a day of it that of @, so that no
// size that is known helps.
var attacks = []struct{ name, field string }{
	{"certification periods", `certificationPeriods(filter: {from: "@"}, first: 1, offset: #)`},
	{"agents by a word", `agents(filter: {search: "a"}, onDate: "@", first: 1)`},
	{"active agents", `agents(filter: {isActive: true}, onDate: "@", first: 1)`},
	{"agents of a pay status", `agents(filter: {payStatus: ["Active"]}, onDate: "@", first: 1, orderBy: [{field: LAST_NAME}])`},
	{"agents by their names", `agents(filter: {firstName: "a", modifiedSince: "@T00:00:00Z"}, first: 1)`},
	{"uplines", `uplinePeriods(filter: {from: "@"}, first: 1)`},
	{"pay statuses", `payStatusPeriods(filter: {from: "@"}, first: 1)`},
	{"agents as they were known", `agents(filter: {isActive: true}, onDate: "@", asKnownAt: "2026-11-01T00:00:00Z", first: 1)`},
	{"far certification periods", `certificationPeriods(filter: {from: "@"}, first: 1, offset: 20000, orderBy: [{field: LAST_MODIFIED}])`},
}

// number is the last one that an attack has had.
var number atomic.Int64

func attack(field string) string {
	query := "{"
	for i := range countsAtOnce {
		n := number.Add(1)
		day := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(n%3650)).Format(time.DateOnly)
		query += fmt.Sprintf(" a%d: %s { totalCount }", i, strings.NewReplacer("@", day, "#", strconv.FormatInt(n%20_000, 10)).Replace(field))
	}
	return query + " }"
}

// mixes runs all of them and prints a table.
func (f *flood) mixes(ctx context.Context) error {
	other := &flood{options: f.options, servers: f.servers, http: f.http}
	other.tenant, other.client, other.secret = f.other, f.other, f.other+"-secret"
	if err := other.signIn(ctx); err != nil {
		return err
	}
	fmt.Printf("| | 200 | others | p50 of 200 | p99 of 200 | longest |\n|---|--:|---|--:|--:|--:|\n")
	page := other.reads(pageOfFive, 1, 10*time.Millisecond)   // so many that the slowest of a hundred are several
	slower := other.reads(pageOfFive, 1, 50*time.Millisecond) // within the rate that the other has, too
	f.beside(ctx, "another tenant's pages of 5, beside one at its rate", slower, f.reads(f.query, atRate, time.Second))
	f.beside(ctx, "16 connections, pages of 50", f.reads(f.query, 16, 0), nil)
	f.beside(ctx, "64 connections, pages of 5", f.reads(pageOfFive, 64, 0), f.reads(insight, 1, 0))
	f.beside(ctx, "pages of 5, 20 a second", f.reads(pageOfFive, 1, 50*time.Millisecond), f.reads(insight, 1, 0))
	for _, a := range attacks {
		f.beside(ctx, "another tenant's pages of 5, beside counts of "+a.name, page, f.asks(func() string { return attack(a.field) }, attackers, 0))
	}
	f.beside(ctx, "the same, beside slow bodies", page, f.trickle)
	return nil
}

// part is something that goes on until its context ends.
type part func(context.Context) round

// beside measures a part alone, and beside a disturbance.
func (f *flood) beside(ctx context.Context, name string, measured, disturbing part) {
	if !strings.Contains(name, f.mix) {
		return
	}
	alone := f.during(ctx, measured)
	fmt.Printf("| %s | %s\n", name, alone.mixRow())
	if disturbing == nil {
		return
	}
	var disturbed, probes round
	var wg sync.WaitGroup
	disturbance, stop := context.WithCancel(ctx)
	wg.Go(func() { disturbed = disturbing(disturbance) })
	wg.Go(func() { probes = f.probe(disturbance) })
	time.Sleep(time.Second)
	busy := f.during(ctx, measured)
	stop()
	wg.Wait()
	fmt.Printf("| … beside it | %s\n| the disturbance | %s\n| health checks | %s\n| p99 | %.1f times | | | | |\n",
		busy.mixRow(), disturbed.mixRow(), probes.mixRow(), float64(busy.quantile(.99))/float64(max(1, alone.quantile(.99))))
}

func (f *flood) during(ctx context.Context, measured part) round {
	ctx, cancel := context.WithTimeout(ctx, f.length)
	defer cancel()
	return measured(ctx)
}

func (r round) mixRow() string {
	return fmt.Sprintf("%d | %s | %v | %v | %v |", len(r.times), r.others(), r.quantile(.5).Round(100*time.Microsecond),
		r.quantile(.99).Round(100*time.Microsecond), r.longest.Round(time.Millisecond))
}

// reads asks over so many connections, each after a pause. What is under way at the
// end is waited for.
func (f *flood) reads(query string, connections int, pause time.Duration) part {
	return f.asks(func() string { return query }, connections, pause)
}

// asks is reads of a query that may be another one each time.
func (f *flood) asks(query func() string, connections int, pause time.Duration) part {
	return func(ctx context.Context) round {
		total := round{statuses: map[int]int{}}
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range connections {
			wg.Go(func() {
				mine := round{statuses: map[int]int{}}
				time.Sleep(rand.N(pause + 1)) // not all at once
				for ctx.Err() == nil {
					body, err := json.Marshal(map[string]string{"query": query()})
					if err != nil {
						panic(err) // texts always encode
					}
					if err := f.ask(context.WithoutCancel(ctx), &mine, http.MethodPost, "/graphql/"+f.tenant, body); err != nil {
						mine.statuses[0]++ // no answer
					}
					time.Sleep(pause)
				}
				mu.Lock()
				defer mu.Unlock()
				total.add(mine)
			})
		}
		wg.Wait()
		return total
	}
}

// trickle holds open sockets with bodies that do not come, without a token.
func (f *flood) trickle(ctx context.Context) round {
	target, err := url.Parse(f.server())
	if err != nil {
		return round{}
	}
	head := "POST /oauth2/introspect HTTP/1.1\r\nHost: " + target.Host + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nab"
	var wg sync.WaitGroup
	for range idleSockets {
		wg.Go(func() {
			for ctx.Err() == nil {
				conn, err := net.Dial("tcp", target.Host)
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte(head))
				end := context.AfterFunc(ctx, func() { _ = conn.Close() })
				_, _ = io.Copy(io.Discard, conn) // until the server gives it up
				end()
				_ = conn.Close()
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	return round{}
}
