package model

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/words/date"
)

// DownlineEdge is an agent of a downline with its distance.
type DownlineEdge struct {
	Edge[Agent]
	Level int
	path  func(ctx context.Context) ([]string, error)
}

// Path has the codes of the agents on the way down to the agent, from the agent whose
// downline this is.
func (e DownlineEdge) Path(ctx context.Context) ([]string, error) { return e.path(ctx) }

// DownlineConnection is a page of a downline.
type DownlineConnection struct {
	Connection[Agent]
	level func(i int) int
	path  func(ctx context.Context, i int) ([]string, error)
}

// ConnectDownline makes a connection of a page whose rows are agents, with
// their distances and the paths to them.
func ConnectDownline[R any](p page.Page[R], view func(R) *Agent, level func(R) int, path func(context.Context, R) ([]string, error)) *DownlineConnection {
	return &DownlineConnection{Connection: Connect(p, view), level: func(i int) int { return level(p.Items[i]) },
		path: func(ctx context.Context, i int) ([]string, error) { return path(ctx, p.Items[i]) }}
}

// Edges are the rows with their cursors.
func (c *DownlineConnection) Edges() []DownlineEdge {
	edges := make([]DownlineEdge, len(c.Nodes))
	for i, e := range c.Connection.Edges() {
		edges[i] = DownlineEdge{e, c.level(i), func(ctx context.Context) ([]string, error) { return c.path(ctx, i) }}
	}
	return edges
}

// HierarchyRelation is a pair of agents, one above the other.
type HierarchyRelation struct {
	Team                 string
	Ancestor, Descendant *Agent
	Level                int
}

// IsDirect reports whether nobody is between the two.
func (r *HierarchyRelation) IsDirect() bool { return r.Level == 1 }

// HierarchyRelationEdge is a row of a relation list.
type HierarchyRelationEdge = Edge[HierarchyRelation]

// HierarchyRelationConnection is a page of relations.
type HierarchyRelationConnection struct {
	Connection[HierarchyRelation]
	Build *HierarchyBuild
}

// HierarchyNode is an agent in a tree.
type HierarchyNode struct {
	Agent           *Agent
	ParentAgentCode *string
	Depth           int
	DirectCount     int
	DownlineCount   int
	HasMore         bool
}

// AgentCode is the agent's code.
func (n *HierarchyNode) AgentCode() string { return n.Agent.AgentCode }

// HierarchyTree is a subtree as a flat list.
type HierarchyTree struct {
	Root      *Agent
	AsOf      date.Date
	Nodes     []*HierarchyNode
	Truncated bool
	Build     *HierarchyBuild
}

// NodeCount is the number of nodes listed.
func (t *HierarchyTree) NodeCount() int { return len(t.Nodes) }

// UplineLink is one step of an upline chain.
type UplineLink struct {
	Level int
	Agent *Agent
	Since date.Date
}
