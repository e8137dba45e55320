package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync/atomic"
)

//go:embed queries/*.graphql
var queries embed.FS

// question is what both servers are asked.
type question struct {
	// name is that of the document in queries and of the path by hand.
	name, title string
	// target is the least ratio of requests a second; 0 for none.
	target float64
	// ask makes one request at random.
	ask func(s *sample, r *rand.Rand) ask
	// proof is what every right answer contains.
	proof string
}

// ask is one request: the variables of the document, and the same for the
// server by hand, in the path or as a body.
type ask struct {
	variables map[string]any
	values    url.Values
	body      any
}

var questions = []question{
	{name: "agent", title: "one agent", target: 0.5, ask: oneAgent, proof: `"agentCode"`},
	{name: "agentStatus", title: "one agent with pay status and upline", ask: oneAgent, proof: `"agentCode"`},
	{name: "uplines", title: "agent, upline, upline, each with status and certifications", ask: oneAgent, proof: `"agentCode"`},
	{name: "page", title: "page of 50 with status, upline and certifications", target: 0.5, ask: onePage, proof: `"nodes"`},
	{name: "downlines", title: "downline of the downline, with certifications", ask: oneUpline, proof: `"agentCode"`},
	{name: "flattened", title: "flattened downline, first 100 with the count", ask: oneUpline, proof: `"totalCount"`},
	{name: "write", title: "write: a new certification with its first period", ask: newCertification, proof: `"isNew":true`},
}

func (q question) document() string {
	text, err := queries.ReadFile("queries/" + q.name + ".graphql")
	if err != nil {
		panic(err) // the documents are embedded
	}
	return string(text)
}

// sample is what requests choose from.
type sample struct {
	agents  []string // all agent codes
	uplines []string // those with a downline
	pages   []place  // where pages may begin
	written atomic.Int64
	run     int64 // keeps identifiers of one run apart from those of another
}

type place struct{ cursor, agentCode string }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func askAgent(code string) ask {
	return ask{variables: map[string]any{"agentCode": code}, values: url.Values{"agentCode": {code}}}
}

func oneAgent(s *sample, r *rand.Rand) ask  { return askAgent(pick(r, s.agents)) }
func oneUpline(s *sample, r *rand.Rand) ask { return askAgent(pick(r, s.uplines)) }

func onePage(s *sample, r *rand.Rand) ask {
	p := pick(r, s.pages)
	return ask{variables: map[string]any{"after": p.cursor}, values: url.Values{"after": {p.agentCode}}}
}

func newCertification(s *sample, r *rand.Rand) ask {
	input := map[string]any{
		"agentCode": pick(r, s.agents), "type": "LIFE", "jurisdiction": "US-TX",
		"identifier":              fmt.Sprintf("BENCH-%d-%d", s.run, s.written.Add(1)),
		"isResidentCertification": true, "isVerified": true, "status": "ACTIVE", "effectiveFrom": "2026-01-01", "initiator": "bench",
	}
	return ask{variables: map[string]any{"input": input}, body: input}
}
