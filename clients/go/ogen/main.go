// Command ogen uses the client that ogen makes of the OpenAPI document.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	ogenapi "upline.example/clients/generated/ogen"
)

// token is an access token.
type token string

// OAuth2 implements ogenapi.SecuritySource.
func (t token) OAuth2(context.Context, ogenapi.OperationName) (ogenapi.OAuth2, error) {
	return ogenapi.OAuth2{Token: string(t)}, nil
}

// ApiKey implements ogenapi.SecuritySource.
func (t token) ApiKey(context.Context, ogenapi.OperationName) (ogenapi.ApiKey, error) {
	return ogenapi.ApiKey{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	if err := use(context.Background(), os.Args[1], token(os.Args[2])); err != nil {
		log.Fatal(err)
	}
}

func use(ctx context.Context, base string, credentials token) error {
	client, err := ogenapi.NewClient(base, credentials)
	if err != nil {
		return err
	}
	listed, err := client.Agents(ctx, ogenapi.AgentsParams{TenantIdentifier: "demo", Sort: ogenapi.NewOptString("lastName"), PageSize: ogenapi.NewOptInt32(2)})
	page, ok := listed.(*ogenapi.AgentPageHeaders)
	if err != nil || !ok || len(page.Response.Items) != 2 {
		return fmt.Errorf("a list: %T, %w", listed, err)
	}
	code := page.Response.Items[0].AgentCode

	changed, err := client.AgentMembershipUpdate(ctx, &ogenapi.AgentMembershipUpdateInput{Initiator: "clients", Membership: ogenapi.TeamMembershipInput{Level: ogenapi.NewOptNilInt32(10)}},
		ogenapi.AgentMembershipUpdateParams{TenantIdentifier: "demo", Team: "default", AgentCode: code, DryRun: ogenapi.NewOptBool(true)})
	if change, ok := changed.(*ogenapi.AgentMembershipUpdateOKHeaders); err != nil || !ok || !change.Response.IsPreviews() {
		return fmt.Errorf("a dry run: %T, %w", changed, err)
	}

	unknown, err := client.Agent(ctx, ogenapi.AgentParams{TenantIdentifier: "demo", AgentCode: "nobody"})
	if problem, ok := unknown.(*ogenapi.AgentNotFound); err != nil || !ok || problem.Code != "NOT_FOUND" {
		return fmt.Errorf("nobody: %T, %w", unknown, err)
	}

	one, err := client.Agent(ctx, ogenapi.AgentParams{TenantIdentifier: "demo", AgentCode: code})
	if record, ok := one.(*ogenapi.AgentHeaders); err != nil || !ok || record.Response.AgentCode != code {
		return errors.Join(fmt.Errorf("a record: %T", one), err)
	}
	return nil
}
