// Package model holds the Go side of the GraphQL types: views, which pair what
// was read with the day it was read as of, and – generated – enums, inputs and
// payloads. Children of a view are read as of the same day.
package model

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/page"
)

// The types whose objects have a global id.
const (
	AgentType               = "Agent"
	CertificationNode       = "Certification"
	CertificationPeriodNode = "CertificationPeriod"
	PayStatusPeriodNode     = "PayStatusPeriod"
	UplinePeriodNode        = "UplinePeriod"
	LevelPeriodNode         = "LevelPeriod"
	CertificationTypeNode   = "CertificationType"
	JurisdictionNode        = "Jurisdiction"
	PayStatusNode           = "PayStatus"
	AgentLevelNode          = "AgentLevel"
	ProviderCompanyNode     = "ProviderCompany"
	TeamNode                = "Team"
	HierarchyBuildNode      = "HierarchyBuild"
)

// GlobalID makes the id of an object from its type and its key.
func GlobalID(typeName, key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(typeName + ":" + key))
}

// RowID is the global id of an object whose key is the id of its row.
func RowID(typeName string, id int64) string { return GlobalID(typeName, strconv.FormatInt(id, 10)) }

// ParseGlobalID is the inverse of GlobalID; ok is false for anything else.
func ParseGlobalID(id string) (typeName, key string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(raw), ":")
}

// Agent is an agent as of a day.
type Agent struct {
	*agency.Agent
	AsOf date.Date
}

// NewAgent returns the view of an agent, nil for none.
func NewAgent(a *agency.Agent, on date.Date) *Agent {
	if a == nil {
		return nil
	}
	return &Agent{a, on}
}

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Agent) IsNode()    {}
func (Agent) IsAudited() {}

// GlobalID is the field id.
func (a *Agent) GlobalID() string { return RowID(AgentType, a.ID) }

// Certification is a certification as of a day.
type Certification struct {
	*agency.Certification
	AsOf date.Date
}

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Certification) IsNode()    {}
func (Certification) IsAudited() {}

// GlobalID is the field id.
func (c *Certification) GlobalID() string { return RowID(CertificationNode, c.ID) }

// Status is the status on the day, nil without a period.
func (c *Certification) Status() *CertificationStatus {
	return (*CertificationStatus)(c.Certification.Status)
}

// DaysRemaining counts from the day to the end of the status period.
func (c *Certification) DaysRemaining() *int {
	if c.EffectiveThrough == nil {
		return nil
	}
	days := int(*c.EffectiveThrough - c.AsOf)
	return &days
}

// period is what the views of history rows have in common.
type period struct{ asOf date.Date }

func (p period) covers(from date.Date, through *date.Date) bool {
	return from <= p.asOf && p.asOf <= date.OrMax(through)
}

// CertificationPeriod is a row of a certification's status history.
type CertificationPeriod struct {
	*agency.CertificationPeriod
	AsOf date.Date
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (CertificationPeriod) IsNode()            {}
func (CertificationPeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *CertificationPeriod) GlobalID() string { return RowID(CertificationPeriodNode, p.ID) }

// Status is the status of the period.
func (p *CertificationPeriod) Status() CertificationStatus {
	return CertificationStatus(p.CertificationPeriod.Status)
}

// IsCurrent reports whether the period covers the day.
func (p *CertificationPeriod) IsCurrent() bool {
	return period{p.AsOf}.covers(p.EffectiveFrom, p.EffectiveThrough)
}

// PayStatusPeriod is a row of an agent's pay status history.
type PayStatusPeriod struct {
	*agency.PayStatusPeriod
	AsOf date.Date
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (PayStatusPeriod) IsNode()            {}
func (PayStatusPeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *PayStatusPeriod) GlobalID() string { return RowID(PayStatusPeriodNode, p.ID) }

// IsCurrent reports whether the period covers the day.
func (p *PayStatusPeriod) IsCurrent() bool {
	return period{p.AsOf}.covers(p.EffectiveFrom, p.EffectiveThrough)
}

// UplinePeriod is a row of an agent's direct upline history.
type UplinePeriod struct {
	*agency.UplinePeriod
	Team string
	AsOf date.Date
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (UplinePeriod) IsNode()            {}
func (UplinePeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *UplinePeriod) GlobalID() string { return RowID(UplinePeriodNode, p.ID) }

// IsCurrent reports whether the period covers the day.
func (p *UplinePeriod) IsCurrent() bool {
	return period{p.AsOf}.covers(p.EffectiveFrom, p.EffectiveThrough)
}

// LevelPeriod is a row of an agent's level history.
type LevelPeriod struct {
	*agency.LevelPeriod
	Team   string
	TeamID int64
	AsOf   date.Date
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (LevelPeriod) IsNode()            {}
func (LevelPeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *LevelPeriod) GlobalID() string { return RowID(LevelPeriodNode, p.ID) }

// IsCurrent reports whether the period covers the day.
func (p *LevelPeriod) IsCurrent() bool {
	return period{p.AsOf}.covers(p.EffectiveFrom, p.EffectiveThrough)
}

// Address is a postal address.
type Address struct{ *agency.Address }

// Phone is a telephone number.
type Phone = agency.Phone

// TeamMembership is an agent's place in a team on a day.
type TeamMembership struct {
	Agent  *Agent
	Team   string
	TeamID int64
}

// Team is a hierarchy of agents as of a day.
type Team struct {
	ID   int64
	Name string
	AsOf date.Date
}

// IsNode names the interface of the GraphQL type.
func (Team) IsNode() {}

// GlobalID is the field id.
func (t *Team) GlobalID() string { return RowID(TeamNode, t.ID) }

// DownlineSummary holds what its fields, each counted when asked for, need.
type DownlineSummary struct {
	View  hierarchy.View
	Agent *Agent
	// MaxLevel is the longest distance counted.
	MaxLevel int
}

// NewDownlineSummary returns the summary of a downline, down to a level or as
// far as it goes.
func NewDownlineSummary(v hierarchy.View, a *Agent, maxLevel *int) *DownlineSummary {
	s := &DownlineSummary{View: v, Agent: a, MaxLevel: math.MaxInt}
	if maxLevel != nil {
		s.MaxLevel = *maxLevel
	}
	return s
}

// HierarchyBuild is the state of a flattened hierarchy.
type HierarchyBuild struct{ *hierarchy.Build }

// IsNode names the interface of the GraphQL type.
func (HierarchyBuild) IsNode() {}

// GlobalID is the field id.
func (b *HierarchyBuild) GlobalID() string { return RowID(HierarchyBuildNode, b.TeamID) }

// Status is where the build stands.
func (b *HierarchyBuild) Status() HierarchyBuildStatus { return HierarchyBuildStatus(b.Build.Status) }

// PageInfoOf returns the GraphQL page information of a page.
func PageInfoOf[T any](p page.Page[T]) *PageInfo {
	info := &PageInfo{HasNextPage: p.HasNext, HasPreviousPage: p.HasPrev}
	if n := len(p.Items); n > 0 {
		first, last := p.Cursor(p.Items[0]), p.Cursor(p.Items[n-1])
		info.StartCursor, info.EndCursor = &first, &last
	}
	return info
}
