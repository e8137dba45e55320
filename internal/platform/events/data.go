package events

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/tenant"
)

// The data of events is thin: keys, names of changed fields, and links to the rest, which
// need a token to be read. It never holds the value of a field.

// AgentChange is the data of an event about a change of an agent.
type AgentChange struct {
	AgentID   int64
	AgentCode string
	// Operation is the field of the schema that made the change, such as
	// agentContactUpdate.
	Operation string
	// ChangedFields are the names of the fields that changed, as clients write
	// them, such as homeAddress.
	ChangedFields []string
	// EffectiveFrom is the first day of a change of a history; nil for other changes.
	EffectiveFrom *date.Date
	Initiator     string
}

// AgentEvent returns the event of a type for a change of an agent of t.
func AgentEvent(t *tenant.Tenant, eventType string, c AgentChange) Event {
	return Event{Type: eventType, AgentCode: c.AgentCode, Initiator: c.Initiator, Data: c.data(t)}
}

func (c AgentChange) data(t *tenant.Tenant) agentData {
	return agentData{
		AgentCode: c.AgentCode, Operation: c.Operation, ChangedFields: fieldNames(c.ChangedFields), EffectiveFrom: c.EffectiveFrom,
		Links: linksTo(t, "Agent", c.AgentID, "agents", c.AgentCode),
	}
}

// CertificationChange is the data of an event about a change of a certification.
type CertificationChange struct {
	AgentChange
	CertificationID int64
	// Type is the code of the certification's type.
	Type string
}

// CertificationEvent returns the event of a type for a change of a
// certification of t.
func CertificationEvent(t *tenant.Tenant, eventType string, c CertificationChange) Event {
	data := certificationData{agentData: c.data(t), CertificationID: c.CertificationID, CertificationType: c.Type}
	data.Links = linksTo(t, "Certification", c.CertificationID, "certifications", strconv.FormatInt(c.CertificationID, 10))
	return Event{Type: eventType, AgentCode: c.AgentCode, Initiator: c.Initiator, Data: data}
}

// Expiring is a certification whose period ends soon.
type Expiring struct {
	CertificationID  int64
	AgentCode, Type  string
	EffectiveThrough date.Date
	DaysRemaining    int
}

// ExpiringEvent returns the event CertificationExpiring.
func ExpiringEvent(t *tenant.Tenant, c Expiring) Event {
	return Event{Type: CertificationExpiring, AgentCode: c.AgentCode, Data: expiringData{
		AgentCode: c.AgentCode, CertificationID: c.CertificationID, CertificationType: c.Type,
		EffectiveThrough: c.EffectiveThrough, DaysRemaining: c.DaysRemaining,
		Links: linksTo(t, "Certification", c.CertificationID, "certifications", strconv.FormatInt(c.CertificationID, 10)),
	}}
}

// Authorization is whether an agent may sell a product in a jurisdiction.
type Authorization struct {
	// AgentID is 0 for an agent that was deleted.
	AgentID                          int64
	AgentCode, Product, Jurisdiction string
	// Status and Reasons are as in GraphQL.
	Status  string
	Reasons []string
}

// AuthorizationEvent returns the event SalesAuthorizationChanged.
func AuthorizationEvent(t *tenant.Tenant, a Authorization) Event {
	return Event{Type: SalesAuthorizationChanged, AgentCode: a.AgentCode, Data: authorizationData{AgentCode: a.AgentCode, Product: a.Product,
		Jurisdiction: a.Jurisdiction, Status: a.Status, Reasons: a.Reasons, Links: linksTo(t, "Agent", a.AgentID, "agents", a.AgentCode)}}
}

// ApplicationChange is the data of an event about a change of an application.
type ApplicationChange struct {
	// ApplicationID is the id that clients use.
	ApplicationID string
	// Operation is the field of the schema that made the change, such as
	// applicationCreate.
	Operation string
	// ChangedFields are the names of the fields that changed, as clients write
	// them, such as employment.
	ChangedFields []string
	// Status is the status after the change, in the spelling of REST, such as Active.
	Status string
	// AgentCode is the code of the agent that it became; empty before.
	AgentCode string
	Initiator string
}

// ApplicationEvent returns the event of a type for a change of an application.
func ApplicationEvent(eventType string, c ApplicationChange) Event {
	data := applicationData{ApplicationID: c.ApplicationID, Operation: c.Operation, ChangedFields: fieldNames(c.ChangedFields), Status: c.Status}
	if c.AgentCode != "" {
		data.AgentCode = &c.AgentCode
	}
	return Event{Type: eventType, AgentCode: c.AgentCode, Initiator: c.Initiator, Data: data}
}

// ReferenceEvent returns the event ReferenceDataChanged. The resource is as in
// REST paths, such as pay-statuses.
func ReferenceEvent(resource, key, operation, initiator string) Event {
	return Event{Type: ReferenceDataChanged, Initiator: initiator, Data: referenceData{Resource: resource, Key: key, Operation: operation}}
}

// PublicationEvent returns the event of a type for content that onboarding published or
// retired: a version of the configuration, by its number; a version of a background
// question or of the contract, by its id.
func PublicationEvent(eventType, version, operation, initiator string) Event {
	return Event{Type: eventType, Initiator: initiator, Data: publicationData{Version: version, Operation: operation}}
}

// UserChange is the data of an event about a change of a user.
type UserChange struct {
	Username string
	// Operation is the field of the schema that made the change, such as userUpdate.
	Operation string
	// ChangedFields are the names of the fields that changed, as clients write
	// them.
	ChangedFields []string
	Initiator     string
}

// UserEvent returns the event of a type for a change of a user.
func UserEvent(eventType string, c UserChange) Event {
	return Event{Type: eventType, Initiator: c.Initiator, Data: userData{
		Username: c.Username, Operation: c.Operation, ChangedFields: fieldNames(c.ChangedFields)}}
}

// PingEvent returns the event that webhookTest sends to a subscription.
func PingEvent(subscriptionID, initiator string) Event {
	return Event{Type: Ping, Initiator: initiator, Data: pingData{SubscriptionID: subscriptionID}}
}

type links struct {
	REST      string `json:"rest"`
	GraphqlID string `json:"graphqlId"`
}

// linksTo returns the links to an object: its path in REST and its global id in GraphQL.
func linksTo(t *tenant.Tenant, typeName string, id int64, resource, key string) links {
	return links{
		REST:      "/agency-management/" + url.PathEscape(t.Identifier) + "/" + resource + "/" + url.PathEscape(key),
		GraphqlID: base64.RawURLEncoding.EncodeToString([]byte(typeName + ":" + strconv.FormatInt(id, 10))),
	}
}

type agentData struct {
	AgentCode     string     `json:"agentCode"`
	Operation     string     `json:"operation"`
	ChangedFields []string   `json:"changedFields"`
	EffectiveFrom *date.Date `json:"effectiveFrom"`
	Links         links      `json:"links"`
}

type certificationData struct {
	agentData
	CertificationID   int64  `json:"certificationId"`
	CertificationType string `json:"certificationType"`
}

type expiringData struct {
	AgentCode         string    `json:"agentCode"`
	CertificationID   int64     `json:"certificationId"`
	CertificationType string    `json:"certificationType"`
	EffectiveThrough  date.Date `json:"effectiveThrough"`
	DaysRemaining     int       `json:"daysRemaining"`
	Links             links     `json:"links"`
}

type authorizationData struct {
	AgentCode    string   `json:"agentCode"`
	Product      string   `json:"product"`
	Jurisdiction string   `json:"jurisdiction"`
	Status       string   `json:"status"`
	Reasons      []string `json:"reasons"`
	Links        links    `json:"links"`
}

type applicationData struct {
	ApplicationID string   `json:"applicationId"`
	Operation     string   `json:"operation"`
	ChangedFields []string `json:"changedFields"`
	Status        string   `json:"status"`
	AgentCode     *string  `json:"agentCode"`
}

type referenceData struct {
	Resource  string `json:"resource"`
	Key       string `json:"key"`
	Operation string `json:"operation"`
}

type publicationData struct {
	Version   string `json:"version"`
	Operation string `json:"operation"`
}

type userData struct {
	Username      string   `json:"username"`
	Operation     string   `json:"operation"`
	ChangedFields []string `json:"changedFields"`
}

type pingData struct {
	SubscriptionID string `json:"subscriptionId"`
}

// fieldNames returns the names sorted, each once; an empty list rather than null.
func fieldNames(names []string) []string {
	sorted := append([]string{}, names...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
