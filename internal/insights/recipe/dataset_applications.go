package recipe

import (
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

// applicationStatuses are those of the specification, as GraphQL has them.
var applicationStatuses = []string{"ACTIVE", "HOLD", "COMPLETE", "PAID", "PROCESSED", "REJECTED"}

var applicationsDataset = &Dataset{
	Name: "applications", Description: "Onboarding applications; of what recruits fill in, only who they are.", Scope: applicationsScope,
	ofNow: insights.ApplicationsOfNow,
	from:  "onboarding_application o", where: "o.tenant_id = @tenant", key: []string{"o.id"},
	joins: []insights.Join{{Alias: "a", SQL: "LEFT JOIN agency_agent a ON a.tenant_id = @tenant AND a.id = o.agent_id"}},
	Fields: []Field{
		{Name: "applicationId", Type: value.Text, Description: "Id of the application.", sql: "o.uid::text", sqlite: "o.uid"},
		{Name: "status", Type: value.Text, Values: applicationStatuses, Description: "Status of the application.", sql: "o.status"},
		{Name: "firstName", Type: value.Text, Description: "First name of the recruit.", sql: "o.first_name"},
		{Name: "lastName", Type: value.Text, Description: "Last name of the recruit.", sql: "o.last_name"},
		{Name: "emailAddress", Type: value.Text, Description: "E-mail address of the recruit.", sql: "o.email_address"},
		{Name: "recruiterAgentCode", Type: value.Text, Description: "Code of the recruiter, as it was given.", sql: "o.recruiter_agent_code"},
		{Name: "agentCode", Type: value.Text, Description: "Code of the agent that the application became.", sql: "a.code", join: "a"},
		{Name: "submittedAt", Type: value.DateTime, Description: "When the application was submitted.", sql: "o.submitted_at"},
		{Name: "createdAt", Type: value.DateTime, Description: "When the application was created.", sql: "o.created_at"},
		{Name: "lastModified", Type: value.DateTime, Description: "When the application was last changed.", sql: "o.last_modified"},
	},
}
