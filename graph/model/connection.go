package model

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/page"
)

// Edge is a row of a connection.
type Edge[T any] struct {
	Node   *T
	cursor func() string
}

// Cursor is the cursor of the row.
func (e Edge[T]) Cursor() string { return e.cursor() }

// Connection is a page of a list. Cursors are made only when asked for.
type Connection[T any] struct {
	Nodes            []*T
	hasNext, hasPrev bool
	cursor           func(i int) string
	// TotalCount is the number of rows of the whole list, when it was asked for.
	TotalCount int
	// Grouped reads the largest groups of the rows of the whole list.
	Grouped func(ctx context.Context, by []string, first int) ([]*Group, error)
}

// Connect makes a connection of a page whose rows are shown as view says.
func Connect[R, T any](p page.Page[R], view func(R) *T) Connection[T] {
	c := Connection[T]{Nodes: make([]*T, len(p.Items)), hasNext: p.HasNext, hasPrev: p.HasPrev, TotalCount: p.Total}
	for i, row := range p.Items {
		c.Nodes[i] = view(row)
	}
	c.cursor = func(i int) string { return p.Cursor(p.Items[i]) }
	return c
}

// Edges are the rows with their cursors.
func (c Connection[T]) Edges() []Edge[T] {
	edges := make([]Edge[T], len(c.Nodes))
	for i, node := range c.Nodes {
		edges[i] = Edge[T]{Node: node, cursor: func() string { return c.cursor(i) }}
	}
	return edges
}

// Groups are the largest groups of the rows of the whole list.
func (c Connection[T]) Groups(ctx context.Context, by []string, first int) ([]*Group, error) {
	return c.Grouped(ctx, by, first)
}

// PageInfo has the cursors of the page, and whether more rows come before or after it.
func (c Connection[T]) PageInfo() *PageInfo {
	info := &PageInfo{HasNextPage: c.hasNext, HasPreviousPage: c.hasPrev}
	if n := len(c.Nodes); n > 0 {
		info.StartCursor, info.EndCursor = new(c.cursor(0)), new(c.cursor(n-1))
	}
	return info
}

// The connections of the schema.
type (
	AuditEntryConnection          = Connection[AuditEntry]
	ChangeConnection              = Connection[Change]
	AuditEntryEdge                = Edge[AuditEntry]
	ChangeEdge                    = Edge[Change]
	ApplicationConnection         = Connection[Application]
	ApplicationEdge               = Edge[Application]
	CommissionPaymentConnection   = Connection[CommissionPayment]
	CommissionPaymentEdge         = Edge[CommissionPayment]
	EventConnection               = Connection[Event]
	EventEdge                     = Edge[Event]
	SalesAuthorizationConnection  = Connection[SalesAuthorization]
	SalesAuthorizationEdge        = Edge[SalesAuthorization]
	WebhookSubscriptionConnection = Connection[WebhookSubscription]
	WebhookSubscriptionEdge       = Edge[WebhookSubscription]
	UserConnection                = Connection[User]
	UserEdge                      = Edge[User]
	ClientDocumentConnection      = Connection[ClientDocument]
	ClientDocumentEdge            = Edge[ClientDocument]
	SchemaUseConnection           = Connection[SchemaUse]
	SchemaUseEdge                 = Edge[SchemaUse]
	RoleConnection                = Connection[Role]
	RoleEdge                      = Edge[Role]
	ScenarioConnection            = Connection[Scenario]
	ScenarioEdge                  = Edge[Scenario]
	BulkImportDoneConnection      = Connection[BulkImportDone]
	BulkImportDoneEdge            = Edge[BulkImportDone]
	PresetConnection              = Connection[Preset]
	PresetEdge                    = Edge[Preset]
	ReportRecipeConnection        = Connection[ReportRecipe]
	ReportRecipeEdge              = Edge[ReportRecipe]
	WebhookDeliveryConnection     = Connection[WebhookDelivery]
	WebhookDeliveryEdge           = Edge[WebhookDelivery]
)
