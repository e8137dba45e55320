// Command oapicodegen uses the client that oapi-codegen makes of the OpenAPI document.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"upline.example/clients/generated/oapi"
)

func main() {
	if err := use(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func use(ctx context.Context, base, token string) error {
	client, err := oapi.NewClientWithResponses(base, oapi.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		return err
	}
	sort, two := "lastName", int32(2)
	page, err := client.AgentsWithResponse(ctx, "demo", &oapi.AgentsParams{Sort: &sort, PageSize: &two})
	if err != nil {
		return err
	}
	if page.JSON200 == nil || len(page.JSON200.Items) != 2 {
		return fmt.Errorf("a list: %s", page.Status())
	}
	code := page.JSON200.Items[0].AgentCode

	yes, level := true, int32(10)
	change, err := client.AgentMembershipUpdateWithResponse(ctx, "demo", "default", code, &oapi.AgentMembershipUpdateParams{DryRun: &yes},
		oapi.AgentMembershipUpdateInput{Initiator: "clients", Membership: oapi.TeamMembershipInput{Level: &level}})
	if err != nil {
		return err
	}
	if change.JSON200 == nil {
		return fmt.Errorf("a dry run: %s", change.Status())
	}
	if preview, err := change.JSON200.AsPreviews(); err != nil || preview.Applied {
		return fmt.Errorf("a dry run: %v", err)
	}

	zero := int32(0)
	refused, err := client.AgentsWithResponse(ctx, "demo", &oapi.AgentsParams{PageSize: &zero})
	if err != nil {
		return err
	}
	if refused.ApplicationproblemJSON400 == nil || refused.ApplicationproblemJSON400.Code != "OUT_OF_RANGE" {
		return fmt.Errorf("a page of no rows: %s", refused.Status())
	}

	one, err := client.AgentWithResponse(ctx, "demo", code, nil)
	if err != nil {
		return err
	}
	if one.JSON200 == nil || one.JSON200.AgentCode != code {
		return fmt.Errorf("a record: %s", one.Status())
	}
	return nil
}
