// Package resolve answers the fields of the schema, each by a resolver of a few lines
// that calls an area and shows the result (graph/convert). What many objects ask for is
// read once for all of them. graph/read answers most reads of the agency without this
// package; graph does everything around an operation.
package resolve

import (
	"context"
	"log/slog"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/scenario"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/identity/preset"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/webhooks"
)

// Resolver holds what resolvers call.
type Resolver struct {
	Store      *store.Store
	Clock      clock.Clock
	Agency     *agency.Service
	Authorized *authorization.Service
	Hierarchy  *hierarchy.Service
	Audit      *audit.Trail
	Past       *past.Past
	Events     *events.Feed
	Live       *events.Live
	Webhooks   *webhooks.Service
	Identity   *identity.Service
	Onboarding *onboarding.Service
	Scenarios  *scenario.Service
	Presets    *preset.Service
	Recipes    *recipe.Service
	Insights   *insights.Service
	Facts      *facts.Service
	Imports    *bulkimport.Service
	Exports    *export.Service
	Tenants    *directory.Service
	Vault      *vault.Vault
	Log        *slog.Logger
	// Read reads the agency's graph, Schema is what the server runs, and Subgraph prints it
	// as a subgraph; graph sets them.
	Read     *read.Engine
	Schema   *ast.Schema
	Subgraph func() string
}

type (
	queryResolver               struct{ *Resolver }
	mutationResolver            struct{ *Resolver }
	subscriptionResolver        struct{ *Resolver }
	agentChangeResolver         struct{ *Resolver }
	bulkImportDoneResolver      struct{ *Resolver }
	changeResolver              struct{ *Resolver }
	agentResolver               struct{ *Resolver }
	webhookSubscriptionResolver struct{ *Resolver }
	applicationResolver         struct{ *Resolver }
	applicationW9Resolver       struct{ *Resolver }
	applicationContractResolver struct{ *Resolver }
	applicationResponseResolver struct{ *Resolver }
	userResolver                struct{ *Resolver }
	roleResolver                struct{ *Resolver }
	viewerResolver              struct{ *Resolver }
	clientResolver              struct{ *Resolver }
	reportRecipeResolver        struct{ *Resolver }
	productionRecordResolver    struct{ *Resolver }
	commissionPaymentResolver   struct{ *Resolver }
	leaderboardEntryResolver    struct{ *Resolver }
	licenseExpirationResolver   struct{ *Resolver }
	exportResolver              struct{ *Resolver }
	scenarioResolver            struct{ *Resolver }
)

// Query and its siblings implement generated.ResolverRoot.
func (r *Resolver) Query() generated.QueryResolver       { return queryResolver{r} }
func (r *Resolver) Mutation() generated.MutationResolver { return mutationResolver{r} }
func (r *Resolver) Subscription() generated.SubscriptionResolver {
	return subscriptionResolver{r}
}
func (r *Resolver) BulkImportDone() generated.BulkImportDoneResolver {
	return bulkImportDoneResolver{r}
}
func (r *Resolver) Change() generated.ChangeResolver           { return changeResolver{r} }
func (r *Resolver) AgentChange() generated.AgentChangeResolver { return agentChangeResolver{r} }
func (r *Resolver) Agent() generated.AgentResolver             { return agentResolver{r} }

func (r *Resolver) LeaderboardEntry() generated.LeaderboardEntryResolver {
	return leaderboardEntryResolver{r}
}
func (r *Resolver) LicenseExpiration() generated.LicenseExpirationResolver {
	return licenseExpirationResolver{r}
}
func (r *Resolver) ProductionRecord() generated.ProductionRecordResolver {
	return productionRecordResolver{r}
}
func (r *Resolver) CommissionPayment() generated.CommissionPaymentResolver {
	return commissionPaymentResolver{r}
}

func (r *Resolver) Scenario() generated.ScenarioResolver { return scenarioResolver{r} }

// ScenarioTrial is read as a scenario is.
func (r *Resolver) ScenarioTrial() generated.ScenarioTrialResolver { return scenarioResolver{r} }

func (r *Resolver) Export() generated.ExportResolver { return exportResolver{r} }

func (r *Resolver) Application() generated.ApplicationResolver { return applicationResolver{r} }
func (r *Resolver) ApplicationW9() generated.ApplicationW9Resolver {
	return applicationW9Resolver{r}
}
func (r *Resolver) ApplicationContract() generated.ApplicationContractResolver {
	return applicationContractResolver{r}
}
func (r *Resolver) ApplicationResponse() generated.ApplicationResponseResolver {
	return applicationResponseResolver{r}
}

func (r *Resolver) User() generated.UserResolver     { return userResolver{r} }
func (r *Resolver) Role() generated.RoleResolver     { return roleResolver{r} }
func (r *Resolver) Client() generated.ClientResolver { return clientResolver{r} }
func (r *Resolver) Viewer() generated.ViewerResolver { return viewerResolver{r} }

func (r *Resolver) WebhookSubscription() generated.WebhookSubscriptionResolver {
	return webhookSubscriptionResolver{r}
}

func (r *Resolver) ReportRecipe() generated.ReportRecipeResolver { return reportRecipeResolver{r} }

// object is an object of the agency in the request's default view; nil for id 0.
func (r *Resolver) object(ctx context.Context, typeName string, id int64) *model.Object {
	if id == 0 {
		return nil
	}
	return &model.Object{Type: typeName, ID: id, At: r.Read.AsOf(ctx, nil, nil)}
}

// build is the state of a team's flattened hierarchy.
func (r *Resolver) build(ctx context.Context, team string) (*model.Object, error) {
	id, err := r.Agency.Team(ctx, team)
	return r.object(ctx, model.HierarchyBuildNode, id), err
}

// recordPayload tells of a record of the agency.
func (r *Resolver) recordPayload(ctx context.Context, typeName string, id int64, applied bool) *model.RecordPayload {
	return &model.RecordPayload{Record: r.object(ctx, typeName, id), Outcome: model.Outcome{Applied: applied}}
}

// periodPayload tells of a change of a history.
func (r *Resolver) periodPayload(ctx context.Context, of *history.Relation, change record.Change, dryRun bool) *model.PeriodPayload {
	return &model.PeriodPayload{Changes: convert.ChangeSet(change), Outcome: model.Outcome{Applied: change.Changed && !dryRun}, Period: r.object(ctx, of.Type, change.Period())}
}
