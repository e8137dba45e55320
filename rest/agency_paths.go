package rest

// agencyRoutes are the paths of "Endpoints" in the specification, in its order.
var agencyRoutes = []route{
	// Agents
	{post, "/agents", "agency/agentRegister", created, agent},
	{get, "/agents", "agency/agents", listed, agent},
	{get, "/agents/{agentCode}", "agency/agent", found, agent},
	{get, "/agents/{agentCode}/on-date/{onDate}", "agency/agentOnDate", found, agentOnDate},
	{patch, "/agents/{agentCode}", "agency/agentUpdate", changed, agent},
	{patch, "/agents/{agentCode}/contact", "agency/agentContactUpdate", changed, agent},
	{patch, "/agents/{agentCode}/payee", "agency/agentPayeeUpdate", changed, agent},
	{patch, "/teams/{team}/members/{agentCode}", "agency/agentMembershipUpdate", changed, agent},
	{patch, "/agents/{agentCode}/tags", "agency/agentTagsUpdate", changed, agent},
	{del, "/agents/{agentCode}", "agency/agentDelete", removed, agent},
	{post, "/agents/{agentCode}/aliases", "agency/aliasCreate", created, alias},
	{get, "/agents/{agentCode}/aliases", "agency/agentAliases", listed, alias},
	{get, "/aliases", "agency/aliases", listed, alias},
	{get, "/aliases/{id}", "agency/alias", found, alias},
	{del, "/aliases/{id}", "agency/aliasDelete", removed, alias},
	{get, "/tags/assigned", "agency/tagAssignments", listed, tagAssignment},

	// Certifications
	{get, "/certifications", "agency/certifications", listed, certification},
	{get, "/certifications/history", "agency/certificationPeriods", listed, certificationPeriod},
	{get, "/certifications/{id}", "agency/certification", found, certification},
	{post, "/certifications", "agency/certificationUpsert", upserted, certificationUpsert},
	{patch, "/certifications/{id}", "agency/certificationUpdate", changed, certification},
	{post, "/certifications/{id}/history", "agency/certificationPeriodApply", applied, certificationPeriod},
	{del, "/certifications/{id}", "agency/certificationDelete", removed, certification},

	// Teams
	{get, "/teams/{team}/assigned-uplines", "agency/uplinePeriods", listed, uplinePeriod},
	{post, "/teams/{team}/assigned-uplines", "agency/uplinePeriodApply", applied, uplinePeriod},
	{get, "/teams/{team}/assigned-levels", "agency/levelPeriods", listed, levelPeriod},
	{post, "/teams/{team}/assigned-levels", "agency/levelPeriodApply", applied, levelPeriod},
	{get, "/teams/{team}/upline-members", "agency/uplineMembers", listed, uplineMember},
	{get, "/teams/{team}/downline-members", "agency/downlineMembers", listed, downlineMember},
	{get, "/teams/{team}/agent-levels", "agency/agentLevels", listed, agentLevel},
	{post, "/teams/{team}/agent-levels", "agency/agentLevelCreate", created, agentLevel},
	{get, "/teams/{team}/agent-levels/{value}", "agency/agentLevel", found, agentLevel},
	{patch, "/teams/{team}/agent-levels/{value}", "agency/agentLevelUpdate", changed, agentLevel},
	{del, "/teams/{team}/agent-levels/{value}", "agency/agentLevelDelete", removed, agentLevel},

	// Payees
	{get, "/payees/assigned-statuses", "agency/payStatusPeriods", listed, payStatusPeriod},
	{post, "/payees/assigned-statuses", "agency/payStatusPeriodApply", applied, payStatusPeriod},
	{get, "/payees/w9s", "agency/w9Periods", listed, w9Period},
	{post, "/payees/w9s", "agency/w9PeriodApply", applied, w9Period},

	// Reference data
	{get, "/certification-types", "agency/certificationTypes", listed, certificationType},
	{post, "/certification-types", "agency/certificationTypeCreate", created, certificationType},
	{patch, "/certification-types/{code}", "agency/certificationTypeUpdate", changed, certificationType},
	{del, "/certification-types/{code}", "agency/certificationTypeDelete", removed, certificationType},
	{get, "/jurisdictions", "agency/jurisdictions", listed, jurisdiction},
	{post, "/jurisdictions", "agency/jurisdictionCreate", created, jurisdiction},
	{get, "/jurisdictions/{id}", "agency/jurisdiction", found, jurisdiction},
	{patch, "/jurisdictions/{id}", "agency/jurisdictionUpdate", changed, jurisdiction},
	{del, "/jurisdictions/{id}", "agency/jurisdictionDelete", removed, jurisdiction},
	{get, "/pay-statuses", "agency/payStatuses", listed, payStatus},
	{post, "/pay-statuses", "agency/payStatusCreate", created, payStatus},
	{get, "/pay-statuses/{name}", "agency/payStatus", found, payStatus},
	{patch, "/pay-statuses/{name}", "agency/payStatusUpdate", changed, payStatus},
	{del, "/pay-statuses/{name}", "agency/payStatusDelete", removed, payStatus},
	{get, "/tags", "agency/tags", listed, tag},
	{post, "/tags", "agency/tagCreate", created, tag},
	{get, "/tags/{name}", "agency/tag", found, tag},
	{patch, "/tags/{name}", "agency/tagUpdate", changed, tag},
	{del, "/tags/{name}", "agency/tagDelete", removed, tag},
}
