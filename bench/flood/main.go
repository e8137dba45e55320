// Command flood sends a running server more than it can do, and says what became
// of it.
//
//	upline demo --load-only && upline serve --allow-demo … &
//	go run ./bench/flood -url http://127.0.0.1:8080
//	go run ./bench/flood -url http://127.0.0.1:8080 -mixes
//
// First one connection asks for pages, one after the other; then so many do as the
// server has room for, which shows its capacity; then requests come at many times
// that rate, whether they are answered or not. With -mixes it shows instead who has to
// wait for whom: quick reads beside slow ones, one tenant beside another. With -day it sends
// the work of an agency's day instead, so many errands a second, which is no flood. Compare
// the figures of one run only: server and flood share the machine.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type options struct {
	url, admin, tenant, client, secret, query, other, mix string
	connections, times                                    int
	length                                                time.Duration
	mixes                                                 bool
	day                                                   int
}

func main() {
	var o options
	flag.StringVar(&o.url, "url", "http://127.0.0.1:8080", "the server; several, separated by commas, are asked in turns")
	flag.StringVar(&o.admin, "admin", "http://127.0.0.1:9464", "its address for those who run it")
	flag.StringVar(&o.tenant, "tenant", "demo", "tenant")
	flag.StringVar(&o.client, "client", "demo", "client")
	flag.StringVar(&o.secret, "secret", "demo-secret", "its secret")
	flag.StringVar(&o.query, "query", `{ agents(first: 50) { nodes { displayName payStatus { name } upline { displayName } certifications(first: 5) { nodes { status } } } } }`, "operation")
	flag.IntVar(&o.connections, "connections", 4, "connections that show the capacity")
	flag.IntVar(&o.times, "times", 10, "the rate of the flood, in capacities")
	flag.BoolVar(&o.mixes, "mixes", false, "show who has to wait for whom")
	flag.StringVar(&o.mix, "mix", "", "part of the names of the mixes to show; all by default")
	flag.StringVar(&o.other, "other", "acme", "another tenant of the demo, for -mixes")
	flag.IntVar(&o.day, "day", 0, "errands of a day's work a second, for -length")
	flag.DurationVar(&o.length, "length", 10*time.Second, "length of each part")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "flood:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	f := &flood{options: o, servers: strings.Split(o.url, ","), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: mostInHand}}}
	if err := f.signIn(ctx); err != nil {
		return err
	}
	if o.mixes {
		return f.mixes(ctx)
	}
	if o.day > 0 {
		return f.spend(ctx, o.day, o.length)
	}
	var err error
	if f.body, err = json.Marshal(map[string]string{"query": o.query}); err != nil {
		return err
	}
	alone, err := f.pour(ctx, 1)
	if err != nil {
		return err
	}
	busy, err := f.pour(ctx, o.connections)
	if err != nil {
		return err
	}
	rate := o.times * len(busy.times) * int(time.Second) / int(o.length)
	probed := make(chan round, 1)
	probing, stop := context.WithCancel(ctx)
	go func() { probed <- f.probe(probing) }()
	many := f.rain(ctx, rate)
	stop()
	probes := <-probed
	fmt.Printf("| | requests/s | 200 | others | p50 of 200 | p99 of 200 |\n|---|--:|--:|---|--:|--:|\n")
	fmt.Printf("| 1 connection | %s\n| %d connections | %s\n", alone.row(o.length), o.connections, busy.row(o.length))
	fmt.Printf("| %d requests/s | %s\n| health checks meanwhile | %s\n", rate, many.row(o.length), probes.row(o.length))
	if p := alone.quantile(.99); p > 0 {
		fmt.Printf("\np99 of what was accepted: %.1f times that of one connection. Resident memory at the end: %s.\n", float64(many.quantile(.99))/float64(p), f.memory(ctx))
	}
	return nil
}

type flood struct {
	options
	servers []string
	turn    atomic.Int64
	http    *http.Client
	token   string
	body    []byte
}

// server is the next to be asked.
func (f *flood) server() string { return f.servers[int(f.turn.Add(1))%len(f.servers)] }

// round is what was answered, and how long what was accepted took.
type round struct {
	statuses map[int]int
	times    []time.Duration
	longest  time.Duration // of all answers
}

func (r round) quantile(q float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	slices.Sort(r.times)
	return r.times[int(q*float64(len(r.times)-1))]
}

func (r round) row(length time.Duration) string {
	all := 0
	for _, n := range r.statuses {
		all += n
	}
	return fmt.Sprintf("%.0f | %d | %s | %v | %v |", float64(all)/length.Seconds(), len(r.times), r.others(),
		r.quantile(.5).Round(10*time.Microsecond), r.quantile(.99).Round(10*time.Microsecond))
}

// others are the answers that were refusals or faults.
func (r round) others() string {
	var others []string
	for _, status := range slices.Sorted(maps.Keys(r.statuses)) {
		if status/100 != 2 {
			others = append(others, fmt.Sprintf("%d: %d", status, r.statuses[status]))
		}
	}
	return strings.Join(others, ", ")
}

func (r *round) add(other round) {
	for status, n := range other.statuses {
		r.statuses[status] += n
	}
	r.times = append(r.times, other.times...)
	r.longest = max(r.longest, other.longest)
}

func (f *flood) signIn(ctx context.Context) error {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {f.client}, "client_secret": {f.secret}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.server()+"/oauth2/token", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := f.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	if f.token = answer.Token; err == nil && f.token == "" {
		err = fmt.Errorf("no token: %s", response.Status)
	}
	return err
}

// pour sends operations over so many connections.
func (f *flood) pour(ctx context.Context, connections int) (round, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	total, end := round{statuses: map[int]int{}}, time.Now().Add(f.length)
	for range connections {
		wg.Go(func() {
			mine := round{statuses: map[int]int{}}
			var err error
			for err == nil && time.Now().Before(end) {
				err = f.ask(ctx, &mine, http.MethodPost, "/graphql/"+f.tenant, f.body)
			}
			mu.Lock()
			defer mu.Unlock()
			total.add(mine)
			if first == nil {
				first = err
			}
		})
	}
	wg.Wait()
	return total, first
}

// mostInHand bounds the requests of a flood that are not answered.
const mostInHand = 1000

// rain sends so many operations a second, at even distances.
func (f *flood) rain(ctx context.Context, rate int) round {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		total = round{statuses: map[int]int{}}
		hands = make(chan struct{}, mostInHand)
	)
	start := time.Now()
	for sent := 0; time.Since(start) < f.length; {
		for due := int(time.Since(start).Seconds() * float64(rate)); sent < due; sent++ {
			hands <- struct{}{}
			wg.Go(func() {
				mine := round{statuses: map[int]int{}}
				if err := f.ask(ctx, &mine, http.MethodPost, "/graphql/"+f.tenant, f.body); err != nil {
					mine.statuses[0]++ // no answer
				}
				<-hands
				mu.Lock()
				defer mu.Unlock()
				total.add(mine)
			})
		}
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
	return total
}

// ask sends one request.
func (f *flood) ask(ctx context.Context, into *round, method, path string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, method, f.server()+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+f.token)
	r.Header.Set("Content-Type", "application/json")
	sent := time.Now()
	response, err := f.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	into.statuses[response.StatusCode]++
	into.longest = max(into.longest, time.Since(sent))
	if response.StatusCode/100 == 2 {
		into.times = append(into.times, time.Since(sent))
	}
	return nil
}

// probe asks how the server does, ten times a second.
func (f *flood) probe(ctx context.Context) round {
	r := round{statuses: map[int]int{}}
	for ctx.Err() == nil {
		for _, path := range []string{"/healthz", "/readyz"} {
			if err := f.ask(context.WithoutCancel(ctx), &r, http.MethodGet, path, nil); err != nil {
				r.statuses[0]++ // no answer
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return r
}

// memory reads the server's own figure.
func (f *flood) memory(ctx context.Context) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.admin+"/metrics", nil)
	if err != nil {
		return "unknown"
	}
	response, err := f.http.Do(r)
	if err != nil {
		return "unknown"
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	_, after, _ := strings.Cut(string(text), "\nprocess_resident_memory_bytes ")
	var bytes float64
	if _, err := fmt.Sscan(after, &bytes); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f MiB", bytes/(1<<20))
}
