package paths

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/problem"
)

// The records of Agency Management, as the specification shows them.
var (
	agent       = Shape{Name: "Agent", Key: "agentCode", Keyed: teams, Keys: teamNames, Notes: agentNotes}
	agentOnDate = Shape{Name: "AgentOnDate", Key: "agentCode", Keyed: teams, Keys: teamNames, Notes: agentNotes}

	// "present in responses only when it has a value" (specification,
	// Certification, on providerCompany, effectiveThrough and note).
	certification       = Shape{Name: "Certification", Key: "id", Absent: certificationOptions, Values: certificationStatus}
	certificationUpsert = Shape{Name: "CertificationUpsertResult", Key: "id", Absent: certificationOptions, Values: certificationStatus}
	certificationPeriod = Shape{Name: "CertificationPeriod", Absent: certificationOptions, Values: certificationStatus}

	uplinePeriod    = Shape{Name: "UplinePeriod", Absent: openEnd}
	levelPeriod     = Shape{Name: "LevelPeriod", Absent: openEnd}
	payStatusPeriod = Shape{Name: "PayStatusPeriod", Absent: openEnd}
	w9Period        = Shape{Name: "W9Period", Absent: openEnd, Notes: map[string]string{"w9": w9Note}}

	uplineMember   = Shape{Name: "UplineMember", Header: hierarchyHeader, Headers: hierarchyHeaders}
	downlineMember = Shape{Name: "DownlineMember", Header: hierarchyHeader, Headers: hierarchyHeaders}

	alias         = Shape{Name: "Alias", Key: "id", Home: "/aliases"}
	tagAssignment = Shape{Name: "TagAssignment"}

	agentLevel        = Shape{Name: "AgentLevel", Key: "value"}
	certificationType = Shape{Name: "CertificationType", Key: "code"}
	jurisdiction      = Shape{Name: "Jurisdiction", Key: "id"}
	payStatus         = Shape{Name: "PayStatus", Key: "name"}
	tag               = Shape{Name: "Tag", Key: "name"}
)

// certificationStatus is the enum of the values that periods of a certification have.
const certificationStatus = "CertificationStatus"

var (
	certificationOptions = []string{"providerCompany", "effectiveThrough", "note"}

	// "a missing effectiveThrough means open-ended" (specification,
	// "Effective-dated history rules").
	openEnd = []string{"effectiveThrough"}

	// "dictionary keyed by team name (only team: default); each entry is an
	// object { directUpline, level }" (specification, Agent). GraphQL has no
	// dictionaries: there it is a list, and one membership of an agent.
	teams     = map[string]string{"teams": "team"}
	teamNames = map[string][]string{"teams": {"default"}}

	// The stored operations ask for all of it.
	agentNotes = map[string]string{
		"governmentIdentifier": "SSN or SIN, all of it: treat it as highly sensitive.",
		"teams":                "Place in each team, by the name of the team; the only one is default.",
		"w9":                   w9Note,
		"directDeposit":        "Where the agent is paid now, the numbers in full: treat them as highly sensitive.",
	}
)

const w9Note = "What the W9 says, all of it: treat it as highly sensitive."

// agencyDictionaries are the dictionaries in request bodies, by type and field.
var agencyDictionaries = map[string]Dictionary{
	"AgentRegisterInput.teams": {Key: "team", Value: "membership"},
}

// InputNames are the properties of request bodies, and the parameters of filters, that have
// another name in GraphQL, by type and field. There a distance is a depth. The key of a jurisdiction is "id in the form XX-XX" (specification,
// Reference data); in GraphQL, id is the global id.
var InputNames = map[string]string{
	"UplineMemberFilter.depth": "uplineLevel", "UplineMemberFilter.minDepth": "minUplineLevel", "UplineMemberFilter.maxDepth": "maxUplineLevel",
	"DownlineMemberFilter.depth": "downlineLevel", "DownlineMemberFilter.minDepth": "minDownlineLevel", "DownlineMemberFilter.maxDepth": "maxDownlineLevel",
	"JurisdictionCreateInput.code": "id", "JurisdictionUpdateInput.code": "id", "CertificationPeriodApplyInput.certificationId": "id",
}

// ReferenceKeys are the keys of reference data, by the types of bodies. The body of a change
// may repeat the key that is in the path.
var ReferenceKeys = map[string]string{
	"AgentLevelCreateInput": "value", "CertificationTypeCreateInput": "code", "JurisdictionCreateInput": "code", "PayStatusCreateInput": "name", "TagCreateInput": "name",
	"AgentLevelUpdateInput": "value", "CertificationTypeUpdateInput": "code", "JurisdictionUpdateInput": "code", "PayStatusUpdateInput": "name", "TagUpdateInput": "name",
}

// ReferenceTexts are the properties of reference data that can be null.
var ReferenceTexts = map[string]bool{"description": true, "color": true}

// EnumCodes are the codes for values that are not in an enum, for enums whose code
// is not INVALID_FORMAT: an unknown status has the same code, whether the specification
// or the agency defines the statuses.
var EnumCodes = map[string]problem.Code{certificationStatus: problem.UnknownStatus}

// hierarchyHeaders are the headers of flattened rows, with their descriptions.
var hierarchyHeaders = map[string]string{
	"Hierarchy-Version":  "The last change of the hierarchy that the rows hold. Absent on another day than today.",
	"Hierarchy-Built-At": "When the rows were built, an instant. Absent on another day than today.",
	"Hierarchy-Stale":    "true while a later change waits for a rebuild, else false.",
}

// hierarchyHeader adds headers that tell a reader of flattened rows whether to "wait for
// HierarchyBuildCompleted before re-reading" (specification, Events). Rows of another day
// than today have no build and are never stale.
func hierarchyHeader(connection []byte, h http.Header) error {
	var c struct {
		Build *struct {
			Version    int64
			FinishedAt *time.Time
			IsStale    bool
		}
	}
	if err := json.Unmarshal(connection, &c); err != nil {
		return err
	}
	if c.Build == nil {
		h.Set("Hierarchy-Stale", "false")
		return nil
	}
	h.Set("Hierarchy-Version", strconv.FormatInt(c.Build.Version, 10))
	h.Set("Hierarchy-Stale", strconv.FormatBool(c.Build.IsStale))
	if c.Build.FinishedAt != nil {
		h.Set("Hierarchy-Built-At", c.Build.FinishedAt.UTC().Format(time.RFC3339Nano))
	}
	return nil
}
