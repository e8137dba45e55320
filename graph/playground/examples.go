package playground

import (
	"embed"
	"encoding/json"
)

//go:embed examples/*.graphql
var queries embed.FS

// DefaultExamples returns the queries that come with the playground, about the
// agent of the code.
func DefaultExamples(agentCode string) []Example {
	agent := map[string]any{"agentCode": agentCode}
	return []Example{
		example("An agent and its uplines", "agent", agent),
		example("Active agents by last name", "agents", nil),
		example("Two levels of downline", "downline", agent),
		example("Is the flattened hierarchy current?", "build", nil),
		example("Try a change to a certification", "certification", map[string]any{
			"id":    "",
			"input": map[string]any{"isVerified": true, "note": "Seen the letter of the state", "initiator": "playground"},
		}),
	}
}

func example(name, file string, variables map[string]any) Example {
	query, err := queries.ReadFile("examples/" + file + ".graphql")
	if err != nil {
		panic(err) // Cannot happen: a test asks for every example.
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
