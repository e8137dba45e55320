package main

import (
	"context"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/insights"
)

// demoExamples are the examples of the demo's playground: about an agent far down with a
// long chain of uplines, about one with a downline of several levels, and one of each
// curated query.
func demoExamples(ctx context.Context, a *app.App, deepest string) ([]playground.Example, error) {
	leading, err := leadingAgent(ctx, a)
	if err != nil {
		return nil, err
	}
	t, err := a.Tenants.Find(ctx, demoTenants[0].identifier)
	if err != nil {
		return nil, err
	}
	aYearAgo := clock.Today(system, t.Zone).AddDays(-364).String()
	examples := playground.DefaultExamples(deepest, leading)
	for _, q := range insights.Queries() {
		parameters := map[string]any{}
		for _, p := range q.AllParameters() {
			switch {
			case p.Name == "from": // the month until today, otherwise, which may have just begun
				parameters[p.Name] = aYearAgo
			case p.Required && p.Name == "product":
				parameters[p.Name] = "TERM-LIFE"
			case p.Required && p.Name == "jurisdiction":
				parameters[p.Name] = "US-TX"
			case p.Required: // an agent
				parameters[p.Name] = leading
			}
		}
		examples = append(examples, playground.InsightExample(q.Title, q.Slug, parameters))
	}
	return examples, nil
}
