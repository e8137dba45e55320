package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/paths"
)

// writeScope is the scope that a tool which changes something needs, besides the scope of
// its operation.
const writeScope = "mcp:write"

// withheld are the changes that are no tools, not even as dry runs, with the reason. A
// text that an assistant reads may talk it into something; that must not reach further
// than the agency's records.
var withheld = map[string]string{
	"identity/userCreate":                "it takes a password, and gives rights",
	"identity/userUpdate":                "it takes a password, and gives rights",
	"webhooks/webhookSubscriptionCreate": "it answers a secret, and sends events to an address",
	"webhooks/webhookSubscriptionUpdate": "it sends events to an address",
	"webhooks/webhookSubscriptionDelete": "it ends what another system relies on",
	"insights/reportRecipeCreate":        "all agencies of the platform share recipes",
	"insights/reportRecipeReplace":       "all agencies of the platform share recipes",
	"insights/reportRecipeDelete":        "all agencies of the platform share recipes",
	paths.ReplaceApplication:             "it replaces the sensitive values, which an assistant sees masked, too",
	"agency/w9PeriodApply":               "it replaces the sensitive values, which an assistant sees masked, too",
}

// The purposes of tools that change agents or reference data. A tool of any other has the
// name of its API, such as agency-management.
const (
	// Changes is the purpose of tools that change agents, or try to.
	Changes = "changes"
	// ReferenceData is the purpose of tools that change what agents refer to.
	ReferenceData = "reference-data"
)

// Purposes are what tools are for.
func Purposes() []string {
	purposes := append(paths.Doors(), Changes, ReferenceData)
	slices.Sort(purposes)
	return slices.Compact(purposes)
}

// referenceData are the records that agents refer to, by the names of their shapes.
var referenceData = []string{"AgentLevel", "CertificationType", "Jurisdiction", "PayStatus", "Tag"}

// purposeOf returns the purpose of a tool.
func purposeOf(e *endpoint, effect effect) string {
	door, _, _ := strings.Cut(strings.TrimPrefix(e.api.Base, "/"), "/")
	switch {
	case effect == reads || door != DefaultPurposes[0]:
		return door
	case slices.Contains(referenceData, e.route.Shape.Name):
		return ReferenceData
	default:
		return Changes
	}
}

// DefaultPurposes are the purposes of the tools that an assistant is offered unless it
// asks for others.
var DefaultPurposes = []string{"agency-management", "business-insights"}

// effect is what a tool does.
type effect int

const (
	reads effect = iota
	tries        // a change as a dry run
	writes
)

// effectsOf returns the effects of an operation's tools.
func effectsOf(e *endpoint) []effect {
	switch {
	case !e.changes():
		return []effect{reads}
	case withheld[e.route.Operation] != "":
		return nil
	case e.preview != nil:
		return []effect{tries, writes}
	default:
		return []effect{writes}
	}
}

// changes reports whether the operation of the path writes.
func (e *tableRow) changes() bool { return e.operation.Definition.Operation == ast.Mutation }

// Writes reports whether the tool changes something.
func (t Tool) Writes() bool { return t.effect == writes }

// Adds reports whether the tool only adds: it changes and removes nothing.
func (t Tool) Adds() bool { return t.endpoint.route.Outcome == paths.Created }

// Repeatable reports whether calling it again, with the same arguments, changes nothing
// more.
func (t Tool) Repeatable() bool { return !t.Writes() || !t.Adds() }

// mayWrite refuses a change to a caller without writeScope; the scope of the operation,
// which the schema checks, is not enough here.
func (t Tool) mayWrite(ctx context.Context) error {
	if caller, _ := tenant.CallerFrom(ctx); t.Writes() && !caller.HasScope(writeScope) {
		return &problem.Error{Status: http.StatusForbidden, Code: problem.ForbiddenCode, Message: "An assistant changes something only with the scope " + writeScope}
	}
	return nil
}

// pathOf takes the arguments for the path. They make the URL, by which a repeated request
// with an Idempotency-Key is recognised, and the route.
func (e *intake) pathOf(ctx context.Context, given map[string]json.RawMessage) (*url.URL, *chi.Context, problem.List) {
	route, found, pattern := chi.NewRouteContext(), problem.List{}, e.api.Base+e.route.Path
	if t := tenant.From(ctx); t != nil {
		pattern = strings.Replace(pattern, "{"+paths.TenantParameter+"}", url.PathEscape(t.Identifier), 1)
	}
	for _, p := range e.request.path {
		texts, wrong := texts(p.Name, given[p.Name])
		if found.Add(wrong...); len(texts) != 1 && len(wrong) == 0 {
			found.Add(problem.Invalid(problem.Required, "is required, once", p.Name))
		}
		value := url.PathEscape(strings.Join(texts, ""))
		route.URLParams.Add(p.Name, value)
		pattern = strings.Replace(pattern, "{"+p.Name+"}", value, 1)
		delete(given, p.Name)
	}
	return &url.URL{Path: unescapePath(pattern), RawPath: pattern}, route, found
}
