package playground

import (
	"embed"
	"encoding/json"
)

//go:embed examples/*.graphql
var queries embed.FS

// DefaultExamples returns the queries that come with the playground: about an agent who
// has uplines, and about one who has a downline.
func DefaultExamples(below, above string) []Example {
	agent, leader := map[string]any{"agentCode": below}, map[string]any{"agentCode": above}
	return []Example{
		example("An agent and its uplines", "agent", agent),
		example("Active agents by last name", "agents", nil),
		example("Two levels of downline", "downline", leader),
		example("Is the flattened hierarchy current?", "build", nil),
		example("What would a suspension change?", "suspension", map[string]any{
			"input": map[string]any{"agentCode": below, "status": "Suspended", "effectiveFrom": "2030-01-01", "initiator": "playground"},
		}),
	}
}

// InsightExample returns a query of the example menu that runs a curated query.
func InsightExample(title, slug string, parameters map[string]any) Example {
	return example(title, "insight", map[string]any{"slug": slug, "parameters": parameters})
}

func example(name, file string, variables map[string]any) Example {
	query, err := queries.ReadFile("examples/" + file + ".graphql")
	if err != nil {
		panic(err) // Cannot happen: a test renders every example.
	}
	e := Example{Name: name, Query: string(query)}
	if variables != nil {
		text, err := json.MarshalIndent(variables, "", "  ")
		if err != nil {
			panic(err) // Cannot happen: the values are strings and flags.
		}
		e.Variables = string(text)
	}
	return e
}
