package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/internal/words/text"
)

// filterText is a text among the conditions of a list: its field, and the text.
type filterText struct {
	field string
	text  *string
}

// checkFilter refuses a blank text among the conditions of a list and returns
// the tenant. Some would find everybody by a blank text, others nobody, or those
// without a value: whoever sends one meant none of these.
func checkFilter(ctx context.Context, texts ...filterText) (tenantID int64, err error) {
	var c inputCheck
	for _, t := range texts {
		c.filled(t)
	}
	if err := c.Err(); err != nil {
		return 0, err
	}
	return tenant.ID(ctx)
}

func (c *inputCheck) filled(t filterText) {
	if t.text != nil && text.Trim(*t.text) == "" {
		c.Refuse(problem.InvalidFormat, "must not be blank", "filter", t.field)
	}
}

// filterList are the texts of a condition that takes several.
func filterList(field string, texts []string) []filterText {
	list := make([]filterText, len(texts))
	for i := range texts {
		list[i] = filterText{field, &texts[i]}
	}
	return list
}

func (f AgentFilter) texts() []filterText {
	texts := append(filterList("agentCodes", f.AgentCodes), filterList("payStatus", f.PayStatus)...)
	return append(texts, filterText{"email", f.Email}, filterText{"firstName", f.FirstName}, filterText{"lastName", f.LastName},
		filterText{"jurisdiction", f.Jurisdiction}, filterText{"governmentIdentifier", f.GovernmentIdentifier}, filterText{"npn", f.NPN},
		filterText{"uplineAgentCode", f.UplineAgentCode})
}

func (f PeriodFilter) texts() []filterText {
	return []filterText{{"agentCode", f.AgentCode}, {"payStatus", f.PayStatus}, {"uplineAgentCode", f.UplineAgentCode}}
}

// certificationTexts are the texts of both lists of certifications.
func certificationTexts(agentCode, kind, providerCompany, jurisdiction, identifier *string) []filterText {
	return []filterText{{"agentCode", agentCode}, {"type", kind}, {"providerCompany", providerCompany},
		{"jurisdiction", jurisdiction}, {"identifier", identifier}}
}

// maskedFilter refuses to look for agents by a value that the agency masks: to
// find the agent would confirm what was guessed.
func maskedFilter() error {
	return &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
		Message: "The agency masks this value; to search by it takes the scope read:agents:sensitive", Field: []string{"filter", "governmentIdentifier"}}
}
