package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// errand is something that people of an agency do all day.
type errand struct {
	name string
	// weight is how often it is done, of a hundred errands.
	weight int
	// request makes one, about agents at random.
	request func(d *day, r *rand.Rand) (method, path string, body any)
}

func query(text string) func(d *day, r *rand.Rand) (string, string, any) {
	return func(d *day, r *rand.Rand) (string, string, any) {
		return http.MethodPost, "/graphql/" + d.tenant, map[string]any{"query": text, "variables": map[string]any{"code": d.agent(r)}}
	}
}

var errands = []errand{
	{"an agent, as the workbench shows it", 34, query(`query($code: String!) { agent(agentCode: $code) { displayName payStatus { name } upline { displayName } membership { level { value } } certifications(first: 10) { totalCount nodes { type { code } status effectiveThrough } } } }`)},
	{"the uplines of an agent", 12, query(`query($code: String!) { agent(agentCode: $code) { uplineChain { depth agent { agentCode displayName } } } }`)},
	{"a downline and its size", 12, query(`query($code: String!) { agent(agentCode: $code) { downline(first: 50) { totalCount nodes { agentCode displayName } } downlineSummary { totalCount activeCount } } }`)},
	{"a page of agents over REST", 14, func(d *day, r *rand.Rand) (string, string, any) {
		return http.MethodGet, fmt.Sprintf("%s/agents?pageSize=50&pageIndex=%d", d.base(), 1+r.IntN(20)), nil
	}},
	{"an agent over REST", 12, func(d *day, r *rand.Rand) (string, string, any) {
		return http.MethodGet, d.base() + "/agents/" + d.agent(r), nil
	}},
	{"what changed in a minute", 2, func(d *day, r *rand.Rand) (string, string, any) {
		since := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
		return http.MethodGet, d.base() + "/agents?pageSize=50&sort=lastModified&modifiedSince=" + since, nil
	}},
	{"an insight", 1, query(`{ insight(slug: "expiring-certifications", first: 50) { totalCount } }`)},
	{"a certification", 6, func(d *day, r *rand.Rand) (string, string, any) {
		return http.MethodPost, d.base() + "/certifications", map[string]any{"agentCode": d.agent(r), "type": "LIFE", "jurisdiction": "US-TX",
			"identifier": fmt.Sprintf("DAY-%d-%d", d.run, r.Int64()), "isResidentCertification": true, "isVerified": true, "initiator": "day"}
	}},
	{"another address", 4, func(d *day, r *rand.Rand) (string, string, any) {
		return http.MethodPatch, d.base() + "/agents/" + d.agent(r) + "/contact", map[string]any{"homeAddress": map[string]any{"line1": fmt.Sprint(r.IntN(9999), " Oak St")}, "initiator": "day"}
	}},
	{"another level", 2, func(d *day, r *rand.Rand) (string, string, any) {
		return http.MethodPatch, d.base() + "/teams/default/members/" + d.agent(r), map[string]any{"membership": map[string]any{"level": 10 * (1 + r.IntN(3))}, "initiator": "day"}
	}},
	{"another upline", 1, func(d *day, r *rand.Rand) (string, string, any) {
		return http.MethodPatch, d.base() + "/teams/default/members/" + d.agents[len(d.agents)/2+r.IntN(len(d.agents)/2)],
			map[string]any{"membership": map[string]any{"directUpline": d.agents[r.IntN(len(d.agents)/4)]}, "initiator": "day"}
	}},
}

// day is the work of an agency, at a rate that one client may have.
type day struct {
	*flood
	agents []string
	run    int64
}

func (d *day) base() string              { return "/agency-management/" + d.tenant }
func (d *day) agent(r *rand.Rand) string { return d.agents[r.IntN(len(d.agents))] }

// spend sends so many errands a second for so long, at even distances, and prints what
// became of them, with the memory of the server once a minute.
func (f *flood) spend(ctx context.Context, rate int, length time.Duration) error {
	d := &day{flood: f, run: time.Now().Unix()}
	if err := d.meet(ctx); err != nil {
		return err
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		done  = make([]round, len(errands))
		hands = make(chan struct{}, mostInHand)
	)
	for i := range done {
		done[i].statuses = map[int]int{}
	}
	start, minute, r := time.Now(), 0, rand.New(rand.NewPCG(1, 1))
	for sent := 0; time.Since(start) < length; time.Sleep(time.Millisecond) {
		for due := int(time.Since(start).Seconds() * float64(rate)); sent < due; sent++ {
			which := choose(r)
			method, path, body := errands[which].request(d, r)
			encoded, err := json.Marshal(body)
			if err != nil {
				return err
			}
			if body == nil {
				encoded = nil
			}
			hands <- struct{}{}
			wg.Go(func() {
				mine := round{statuses: map[int]int{}}
				if err := f.ask(ctx, &mine, method, path, encoded); err != nil {
					mine.statuses[0]++ // no answer
				}
				<-hands
				mu.Lock()
				defer mu.Unlock()
				done[which].add(mine)
			})
		}
		if n := int(time.Since(start).Minutes()); n > minute {
			minute = n
			fmt.Printf("minute %d: %s\n", n, f.memory(ctx))
		}
	}
	wg.Wait()
	fmt.Printf("\n| | requests/s | 200 | others | p50 | p99 |\n|---|--:|--:|---|--:|--:|\n")
	for i, e := range errands {
		fmt.Printf("| %s | %s\n", e.name, done[i].row(length))
	}
	return nil
}

func choose(r *rand.Rand) int {
	n := r.IntN(100)
	for i, e := range errands {
		if n -= e.weight; n < 0 {
			return i
		}
	}
	return 0
}

// meet reads the codes of some agents, of pages all over the agency.
func (d *day) meet(ctx context.Context) error {
	for page := 1; page <= 40; page++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.server()+fmt.Sprintf("%s/agents?pageSize=50&pageIndex=%d", d.base(), page), nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+d.token)
		response, err := d.http.Do(request)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		for _, part := range strings.Split(string(text), `"agentCode":"`)[1:] {
			code, _, _ := strings.Cut(part, `"`)
			d.agents = append(d.agents, code)
		}
	}
	if len(d.agents) < 100 {
		return fmt.Errorf("only %d agents were found", len(d.agents))
	}
	return nil
}
