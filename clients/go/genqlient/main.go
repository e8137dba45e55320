// Command genqlient uses the client that genqlient makes of the GraphQL schema.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/Khan/genqlient/graphql"

	"upline.example/clients/generated/gql"
)

// bearer adds a token to requests.
type bearer string

// Do implements graphql.Doer.
func (b bearer) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultClient.Do(r)
}

func main() {
	if err := use(context.Background(), graphql.NewClient(os.Args[1]+"/graphql/demo", bearer(os.Args[2]))); err != nil {
		log.Fatal(err)
	}
}

func use(ctx context.Context, client graphql.Client) error {
	page, err := gql.Agents(ctx, client, 2)
	if err != nil {
		return err
	}
	if len(page.Agents.Nodes) != 2 || page.Agents.TotalCount < 2 {
		return fmt.Errorf("a list: %+v", page.Agents)
	}
	code, day := page.Agents.Nodes[0].AgentCode, "2020-01-15"
	then, err := gql.Agent(ctx, client, code, &day)
	if err != nil || then.Agent == nil || then.Agent.AsOf != day {
		return fmt.Errorf("a day: %+v, %w", then, err)
	}
	nobody, err := gql.Agent(ctx, client, "nobody", nil)
	if err != nil || nobody.Agent != nil {
		return fmt.Errorf("nobody: %+v, %w", nobody, err)
	}
	change, err := gql.Rehearse(ctx, client, code, "2026-01-01")
	if err != nil || change.PayStatusPeriodApply.Applied || len(change.PayStatusPeriodApply.UserErrors) > 0 {
		return fmt.Errorf("a dry run: %+v, %w", change, err)
	}
	return nil
}
