// Package resolve answers the fields of the schema, each by a resolver of a few lines
// that calls an area and shows the result (graph/convert). What many objects ask for is
// read once for all of them. graph/planned answers most reads of the agency without this
// package; graph does everything around an operation.
package resolve

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/webhooks"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Resolver holds what resolvers call.
type Resolver struct {
	Store      *store.Store
	Clock      clock.Clock
	Agency     *agency.Service
	Hierarchy  *hierarchy.Service
	Audit      *audit.Trail
	Events     *events.Feed
	Live       *events.Live
	Webhooks   *webhooks.Service
	Identity   *identity.Service
	Onboarding *onboarding.Service
	Recipes    *recipe.Service
	Insights   *insights.Service
	Facts      *facts.Service
	Imports    *bulkimport.Service
	Exports    *export.Service
	Tenants    *directory.Service
	Vault      *vault.Vault
	Log        *slog.Logger
	// ReadField reads what the table of types says of fields; graph sets it.
	ReadField ReadField
}

type (
	queryResolver               struct{ *Resolver }
	mutationResolver            struct{ *Resolver }
	subscriptionResolver        struct{ *Resolver }
	agentChangeResolver         struct{ *Resolver }
	addressResolver             struct{ *Resolver }
	agentResolver               struct{ *Resolver }
	payStatusPeriodResolver     struct{ *Resolver }
	certificationResolver       struct{ *Resolver }
	certificationPeriodResolver struct{ *Resolver }
	downlineSummaryResolver     struct{ *Resolver }
	levelPeriodResolver         struct{ *Resolver }
	teamResolver                struct{ *Resolver }
	teamMembershipResolver      struct{ *Resolver }
	uplinePeriodResolver        struct{ *Resolver }
	webhookSubscriptionResolver struct{ *Resolver }
	aliasResolver               struct{ *Resolver }
	directDepositResolver       struct{ *Resolver }
	payeeResolver               struct{ *Resolver }
	tagResolver                 struct{ *Resolver }
	tagAssignmentResolver       struct{ *Resolver }
	w9Resolver                  struct{ *Resolver }
	w9PeriodResolver            struct{ *Resolver }
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
)

// Query and its siblings implement generated.ResolverRoot.
func (r *Resolver) Query() generated.QueryResolver       { return queryResolver{r} }
func (r *Resolver) Mutation() generated.MutationResolver { return mutationResolver{r} }
func (r *Resolver) Subscription() generated.SubscriptionResolver {
	return subscriptionResolver{r}
}
func (r *Resolver) AgentChange() generated.AgentChangeResolver { return agentChangeResolver{r} }
func (r *Resolver) Address() generated.AddressResolver         { return addressResolver{r} }
func (r *Resolver) Agent() generated.AgentResolver             { return agentResolver{r} }
func (r *Resolver) PayStatusPeriod() generated.PayStatusPeriodResolver {
	return payStatusPeriodResolver{r}
}
func (r *Resolver) Certification() generated.CertificationResolver { return certificationResolver{r} }
func (r *Resolver) CertificationPeriod() generated.CertificationPeriodResolver {
	return certificationPeriodResolver{r}
}
func (r *Resolver) DownlineSummary() generated.DownlineSummaryResolver {
	return downlineSummaryResolver{r}
}
func (r *Resolver) LevelPeriod() generated.LevelPeriodResolver { return levelPeriodResolver{r} }
func (r *Resolver) Team() generated.TeamResolver               { return teamResolver{r} }
func (r *Resolver) TeamMembership() generated.TeamMembershipResolver {
	return teamMembershipResolver{r}
}
func (r *Resolver) Alias() generated.AliasResolver                 { return aliasResolver{r} }
func (r *Resolver) DirectDeposit() generated.DirectDepositResolver { return directDepositResolver{r} }
func (r *Resolver) Payee() generated.PayeeResolver                 { return payeeResolver{r} }
func (r *Resolver) Tag() generated.TagResolver                     { return tagResolver{r} }
func (r *Resolver) TagAssignment() generated.TagAssignmentResolver { return tagAssignmentResolver{r} }
func (r *Resolver) W9() generated.W9Resolver                       { return w9Resolver{r} }
func (r *Resolver) W9Period() generated.W9PeriodResolver           { return w9PeriodResolver{r} }
func (r *Resolver) UplinePeriod() generated.UplinePeriodResolver   { return uplinePeriodResolver{r} }

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

// AsOf returns the view that a root field reads. The day is that of its argument, or the
// request's default, or today in the tenant's zone. The histories are as they were known
// at an instant, or as they are known now. Everything below inherits the view, and
// whether the client asked for it.
func (r *Resolver) AsOf(ctx context.Context, onDate *date.Date, asKnownAt *time.Time) history.AsOf {
	at, ok := defaultView(ctx)
	switch {
	case onDate != nil:
		at.Day, at.Asked = *onDate, true
	case !ok:
		at.Day = r.Today(ctx)
	}
	if asKnownAt != nil && !asKnownAt.After(r.Clock.Now()) { // nothing is known of the future but what is known now
		at.Known, at.Asked = history.KnownAt(*asKnownAt), true
	}
	return at
}

// Asked is the view of a day that the client named.
func Asked(day date.Date) history.AsOf { return history.AsOf{Day: day, Asked: true} }

func (r *Resolver) Today(ctx context.Context) date.Date {
	return clock.Today(r.Clock, tenant.From(ctx).Zone)
}

// RowID reads a global id of a type, whatever view it names, or the integer id that REST
// uses. It returns 0 for anything else, which is the id of no row.
func RowID(typeName, id string) int64 {
	if row := globalRowID(typeName, id); row != 0 {
		return row
	}
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}

// globalRowID reads a global id of a type; 0 for anything else.
func globalRowID(typeName, id string) int64 {
	g := model.ParseGlobalID(id)
	if g.Type != typeName {
		return 0
	}
	return g.Row
}

// initiator returns the initiator of a deletion: the argument, or the token's subject
// (api: "DELETE takes the initiator as ?initiator= or the token's subject").
func initiator(ctx context.Context, given *string) string {
	if given != nil && *given != "" {
		return *given
	}
	c, _ := tenant.CallerFrom(ctx)
	return c.Subject
}

// onlyKey reports whether only an object's key is asked for, so that nothing has to be
// read.
func onlyKey(ctx context.Context, key string) bool {
	for _, s := range graphql.GetFieldContext(ctx).Field.Selections {
		f, ok := s.(*ast.Field)
		if !ok || (f.Name != key && f.Name != "__typename") {
			return false
		}
	}
	return true
}
