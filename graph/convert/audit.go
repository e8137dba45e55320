package convert

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/tenant"
)

// AuditFilter turns a filter of audit entries into that of the trail.
func AuditFilter(f *model.AuditFilter) audit.Filter {
	if f == nil {
		return audit.Filter{}
	}
	return audit.Filter{
		EntityType: Value(f.EntityType), EntityKey: Value(f.EntityKey), Initiator: Value(f.Initiator),
		Kind: (*audit.Kind)(Value(f.Kind)), From: Value(f.From), Through: Value(f.Through), TraceID: Value(f.TraceID),
	}
}

// entityScopes are the scopes that read audit entries, by the type of their objects.
var entityScopes = map[string]string{
	"Agent": "read:agents", "CertificationType": "read:agents", "Jurisdiction": "read:agents", "PayStatus": "read:agents",
	"AgentLevel": "read:agents", "ProviderCompany": "read:agents", "Tag": "read:agents", "Product": "read:agents", "Scenario": "read:agents", "Tenant": "read:agents",
	"AppConfiguration": "agent-onboarding:app-configuration:read", "BackgroundQuestion": "agent-onboarding:app-configuration:read",
	"Contract": "agent-onboarding:app-configuration:read", "Application": "agent-onboarding:applications:read",
	"User": "read:users", "Preset": "read:users", "Session": "read:users", "AccessToken": "read:clients", "Role": "read:roles", "Client": "read:clients", "ApiKey": "read:clients",
	"WebhookSubscription": "read:webhook-subscriptions", "ReportRecipe": "business-insights:report-recipes:read",
	"ProductionRecord": "business-insights:queries:execute", "CommissionPayment": "business-insights:queries:execute",
}

// ReadableEntities returns the types of objects whose audit entries the caller may read;
// nil, for all types, if the caller holds all these scopes. So only such a caller sees
// entries of a type without a row above.
func ReadableEntities(ctx context.Context) []string {
	caller, _ := tenant.CallerFrom(ctx)
	var readable []string
	for entity, scope := range entityScopes {
		if caller.HasScope(scope) {
			readable = append(readable, entity)
		}
	}
	if len(readable) == len(entityScopes) {
		return nil
	}
	slices.Sort(readable)
	return readable
}

// AuditEntryView returns a function that shows entries as the caller may see them. A
// caller who may not see a sensitive value does not see its fingerprint either: with a
// scope to write, one could find the value by writing guesses and comparing fingerprints.
func AuditEntryView(ctx context.Context) func(*audit.Row) *model.AuditEntry {
	mayReveal := tenant.MayReveal(ctx)
	return func(r *audit.Row) *model.AuditEntry { return auditEntry(r, mayReveal) }
}

func auditEntry(r *audit.Row, mayReveal bool) *model.AuditEntry {
	e := &model.AuditEntry{
		Sequence: r.Seq, At: r.At, Kind: model.AuditKind(r.Kind), Operation: r.Operation, Surface: model.AuditSurface(r.Surface),
		Initiator: r.Initiator, Reason: textOrNil(r.Reason), Subject: r.Subject, ClientID: r.ClientID, EntityType: r.EntityType, EntityKeys: r.EntityKeys,
		TraceID: textOrNil(r.TraceID),
	}
	for _, c := range r.Changes {
		change := &model.AuditChange{Field: c.Field}
		if mayReveal {
			change.Fingerprint = textOrNil(c.Fingerprint)
		}
		e.Changes = append(e.Changes, change)
	}
	return e
}

// textOrNil is null for an empty text.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
