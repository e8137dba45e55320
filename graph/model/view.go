// Package model has the Go side of the GraphQL types: Object for what graph/read reads of
// the agency, and views of what the other areas read. Enums, inputs and payloads are
// generated.
package model

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// The types whose objects have a global id.
const (
	AgentType             = "Agent"
	CertificationNode     = "Certification"
	CertificationTypeNode = "CertificationType"
	JurisdictionNode      = "Jurisdiction"
	PayStatusNode         = "PayStatus"
	AgentLevelNode        = "AgentLevel"
	ProviderCompanyNode   = "ProviderCompany"
	AliasNode             = "Alias"
	TagNode               = "Tag"
	ProductNode           = "Product"
	AuditEntryNode        = "AuditEntry"
	ApplicationNode       = "Application"
	TeamNode              = "Team"
	HierarchyBuildNode    = "HierarchyBuild"
	ContractVersionNode   = "ContractVersion"
	UserNode              = "User"
	RoleNode              = "Role"
	ExportNode            = "Export"
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

// RowOf reads the id of a row from a global id of a type, whatever view it names, or from
// the integer id that REST uses. It returns 0 for anything else, which is the id of no row.
func RowOf(typeName, id string) int64 {
	if row := GlobalRowOf(typeName, id); row != 0 {
		return row
	}
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}

// GlobalRowOf reads a global id of a type; 0 for anything else.
func GlobalRowOf(typeName, id string) int64 {
	g := ParseGlobalID(id)
	if g.Type != typeName {
		return 0
	}
	return g.Row
}
