package main

import (
	"context"

	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/app"
	"github.com/uplinehq/upline/internal/insights"
)

// demoExamples are the examples of the demo's playground: about an agent far down, who
// has a long chain of uplines, one with a downline of several levels, and one of each
// curated query.
func demoExamples(ctx context.Context, a *app.App, deepest string) ([]playground.Example, error) {
	leading, err := leadingAgent(ctx, a)
	if err != nil {
		return nil, err
	}
	examples := playground.DefaultExamples(deepest, leading)
	for _, q := range insights.Queries() {
		parameters := map[string]any{}
		for _, p := range q.AllParameters() {
			if p.Required { // everything but an agent has a default
				parameters[p.Name] = leading
			}
		}
		examples = append(examples, playground.InsightExample(q.Title, q.Slug, parameters))
	}
	return examples, nil
}
