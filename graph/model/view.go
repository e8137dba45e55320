// Package model has the Go side of the GraphQL types. Views pair what was read with the
// day, and the instant, as of which it was read; the children of a view are read as of
// the same. Enums, inputs and payloads are generated.
package model

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/words/date"
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
	W9PeriodNode            = "W9Period"
	AliasNode               = "Alias"
	TagNode                 = "Tag"
	AuditEntryNode          = "AuditEntry"
	ApplicationNode         = "Application"
	TeamNode                = "Team"
	HierarchyBuildNode      = "HierarchyBuild"
	ContractVersionNode     = "ContractVersion"
	UserNode                = "User"
	RoleNode                = "Role"
	ExportNode              = "Export"
)

// GlobalID makes the id of an object from its type and its key.
func GlobalID(typeName, key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(typeName + ":" + key))
}

// RowID is the global id of an object whose key is the id of its row.
func RowID(typeName string, id int64) string { return GlobalID(typeName, strconv.FormatInt(id, 10)) }

// ViewID is the global id of an object whose children depend on the day or the instant it
// was read as of. If the client asked for a day or an instant, the id names it, so that a
// client that keeps objects by their ids keeps each view.
func ViewID(typeName string, id int64, at history.AsOf) string {
	if !at.Asked {
		return RowID(typeName, id)
	}
	key := strconv.FormatInt(id, 10) + viewMark + at.Day.String()
	if known := at.Known.At(); known != nil {
		key += viewMark + known.Format(time.RFC3339Nano)
	}
	return GlobalID(typeName, key)
}

// viewMark stands before the day in the key of a view, and before the instant.
const viewMark = "@"

// ParsedID is the content of a global id. Its type is empty if the text is no global id.
type ParsedID struct {
	Type string
	Row  int64
	// View is the view that the id names, nil for a plain id.
	View *history.AsOf
}

// ParseGlobalID is the inverse of RowID and ViewID.
func ParseGlobalID(id string) ParsedID {
	raw, err := base64.RawURLEncoding.DecodeString(id)
	typeName, key, ok := strings.Cut(string(raw), ":")
	if err != nil || !ok {
		return ParsedID{}
	}
	row, view, dated := strings.Cut(key, viewMark)
	p := ParsedID{Type: typeName}
	if p.Row, err = strconv.ParseInt(row, 10, 64); err != nil {
		return ParsedID{}
	}
	if !dated {
		return p
	}
	day, instant, known := strings.Cut(view, viewMark)
	p.View = &history.AsOf{Asked: true}
	if p.View.Day, err = date.Parse(day); err != nil {
		return ParsedID{}
	}
	if known {
		at, err := date.ParseInstant(instant)
		if err != nil {
			return ParsedID{}
		}
		p.View.Known = history.KnownAt(at)
	}
	return p
}

// Agent is an agent as of a day.
type Agent struct {
	*agency.Agent
	At history.AsOf
}

// NewAgent returns the view of an agent, nil for none.
func NewAgent(a *agency.Agent, at history.AsOf) *Agent {
	if a == nil {
		return nil
	}
	return &Agent{a, at}
}

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Agent) IsNode()    {}
func (Agent) IsAudited() {}

// GlobalID is the field id.
func (a *Agent) GlobalID() string { return ViewID(AgentType, a.ID, a.At) }

// AsOf is the day the agent was read as of.
func (a *Agent) AsOf() date.Date { return a.At.Day }

// AsKnownAt is the instant at which the histories are read as known; nil for now.
func (a *Agent) AsKnownAt() *time.Time { return a.At.Known.At() }

// Certification is a certification as of a day.
type Certification struct {
	*certification.Certification
	At history.AsOf
}

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Certification) IsNode()    {}
func (Certification) IsAudited() {}

// GlobalID is the field id.
func (c *Certification) GlobalID() string { return ViewID(CertificationNode, c.ID, c.At) }

// AsOf is the day the certification was read as of.
func (c *Certification) AsOf() date.Date { return c.At.Day }

// AsKnownAt is the instant at which the histories are read as known; nil for now.
func (c *Certification) AsKnownAt() *time.Time { return c.At.Known.At() }

// Status is the status on the day, nil without a period.
func (c *Certification) Status() *CertificationStatus {
	return (*CertificationStatus)(c.Certification.Status)
}

// DaysRemaining counts from the day to the end of the status period.
func (c *Certification) DaysRemaining() *int {
	if c.EffectiveThrough == nil {
		return nil
	}
	days := int(*c.EffectiveThrough - c.At.Day)
	return &days
}

// isCurrent reports whether a period of a history covers the day. A superseded period is
// current only in a view of what was known before.
func isCurrent(p record.Period, at history.AsOf) bool {
	if p.SupersededAt != nil && at.Known.At() == nil {
		return false
	}
	return p.EffectiveFrom <= at.Day && at.Day <= date.OrMax(p.EffectiveThrough)
}

// CertificationPeriod is a row of a certification's status history.
type CertificationPeriod struct {
	*certification.Period
	At history.AsOf
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (CertificationPeriod) IsNode()            {}
func (CertificationPeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *CertificationPeriod) GlobalID() string { return ViewID(CertificationPeriodNode, p.ID, p.At) }

// Status is the status of the period.
func (p *CertificationPeriod) Status() CertificationStatus {
	return CertificationStatus(p.Period.Status)
}

// IsCurrent reports whether the period covers the day.
func (p *CertificationPeriod) IsCurrent() bool { return isCurrent(p.Period.Period, p.At) }

// PayStatusPeriod is a row of an agent's pay status history.
type PayStatusPeriod struct {
	*payee.PayStatusPeriod
	At history.AsOf
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (PayStatusPeriod) IsNode()            {}
func (PayStatusPeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *PayStatusPeriod) GlobalID() string { return ViewID(PayStatusPeriodNode, p.ID, p.At) }

// IsCurrent reports whether the period covers the day.
func (p *PayStatusPeriod) IsCurrent() bool { return isCurrent(p.Period, p.At) }

// UplinePeriod is a row of an agent's direct upline history.
type UplinePeriod struct {
	*agency.UplinePeriod
	Team string
	At   history.AsOf
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (UplinePeriod) IsNode()            {}
func (UplinePeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *UplinePeriod) GlobalID() string { return ViewID(UplinePeriodNode, p.ID, p.At) }

// IsCurrent reports whether the period covers the day.
func (p *UplinePeriod) IsCurrent() bool { return isCurrent(p.Period, p.At) }

// LevelPeriod is a row of an agent's level history.
type LevelPeriod struct {
	*agency.LevelPeriod
	Team   string
	TeamID int64
	At     history.AsOf
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (LevelPeriod) IsNode()            {}
func (LevelPeriod) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *LevelPeriod) GlobalID() string { return ViewID(LevelPeriodNode, p.ID, p.At) }

// IsCurrent reports whether the period covers the day.
func (p *LevelPeriod) IsCurrent() bool { return isCurrent(p.Period, p.At) }

// Address is a postal address.
type Address struct{ *agency.Address }

// Phone is a telephone number.
type Phone = agency.Phone

// TeamMembership is an agent's upline and level in a team on a day.
type TeamMembership struct {
	Agent  *Agent
	Team   string
	TeamID int64
}

// Team is a hierarchy of agents as of a day.
type Team struct {
	ID   int64
	Name string
	At   history.AsOf
}

// IsNode names the interface of the GraphQL type.
func (Team) IsNode() {}

// GlobalID is the field id.
func (t *Team) GlobalID() string { return ViewID(TeamNode, t.ID, t.At) }

// AsOf is the day the team was read as of.
func (t *Team) AsOf() date.Date { return t.At.Day }

// AsKnownAt is the instant at which the histories are read as known; nil for now.
func (t *Team) AsKnownAt() *time.Time { return t.At.Known.At() }

// DownlineSummary holds what its fields need; each is counted when it is asked for.
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

// Status is the state of the build.
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
