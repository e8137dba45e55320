package paths

// agencyRoutes are the paths of "Endpoints" in the specification, in its order.
var agencyRoutes = []Route{
	// Agents
	{post, "/agents", "agency/agentRegister", Created, agent},
	{get, "/agents", "agency/agents", Listed, agent},
	{get, "/agents/{agentCode}", "agency/agent", Found, agent},
	{get, "/agents/{agentCode}/on-date/{onDate}", "agency/agentOnDate", Found, agentOnDate},
	{patch, "/agents/{agentCode}", "agency/agentUpdate", Changed, agent},
	{patch, "/agents/{agentCode}/contact", "agency/agentContactUpdate", Changed, agent},
	{patch, "/agents/{agentCode}/payee", "agency/agentPayeeUpdate", Changed, agent},
	{patch, "/teams/{team}/members/{agentCode}", "agency/agentMembershipUpdate", Changed, agent},
	{patch, "/agents/{agentCode}/tags", "agency/agentTagsUpdate", Changed, agent},
	{del, "/agents/{agentCode}", "agency/agentDelete", Removed, agent},
	{post, "/agents/{agentCode}/aliases", "agency/aliasCreate", Created, alias},
	{get, "/agents/{agentCode}/aliases", "agency/agentAliases", Listed, alias},
	{get, "/aliases", "agency/aliases", Listed, alias},
	{get, "/aliases/{id}", "agency/alias", Found, alias},
	{del, "/aliases/{id}", "agency/aliasDelete", Removed, alias},
	{get, "/tags/assigned", "agency/tagAssignments", Listed, tagAssignment},

	// Certifications
	{get, "/certifications", "agency/certifications", Listed, certification},
	{get, "/certifications/history", "agency/certificationPeriods", Listed, certificationPeriod},
	{get, "/certifications/{id}", "agency/certification", Found, certification},
	{post, "/certifications", "agency/certificationUpsert", Upserted, certificationUpsert},
	{patch, "/certifications/{id}", "agency/certificationUpdate", Changed, certification},
	{post, "/certifications/{id}/history", "agency/certificationPeriodApply", Applied, certificationPeriod},
	{del, "/certifications/{id}", "agency/certificationDelete", Removed, certification},

	// Teams
	{get, "/teams/{team}/assigned-uplines", "agency/uplinePeriods", Listed, uplinePeriod},
	{post, "/teams/{team}/assigned-uplines", "agency/uplinePeriodApply", Applied, uplinePeriod},
	{get, "/teams/{team}/assigned-levels", "agency/levelPeriods", Listed, levelPeriod},
	{post, "/teams/{team}/assigned-levels", "agency/levelPeriodApply", Applied, levelPeriod},
	{get, "/teams/{team}/upline-members", "agency/uplineMembers", Listed, uplineMember},
	{get, "/teams/{team}/downline-members", "agency/downlineMembers", Listed, downlineMember},
	{get, "/teams/{team}/agent-levels", "agency/agentLevels", Listed, agentLevel},
	{post, "/teams/{team}/agent-levels", "agency/agentLevelCreate", Created, agentLevel},
	{get, "/teams/{team}/agent-levels/{value}", "agency/agentLevel", Found, agentLevel},
	{patch, "/teams/{team}/agent-levels/{value}", "agency/agentLevelUpdate", Changed, agentLevel},
	{del, "/teams/{team}/agent-levels/{value}", "agency/agentLevelDelete", Removed, agentLevel},

	// Payees
	{get, "/payees/assigned-statuses", "agency/payStatusPeriods", Listed, payStatusPeriod},
	{post, "/payees/assigned-statuses", "agency/payStatusPeriodApply", Applied, payStatusPeriod},
	{get, "/payees/w9s", "agency/w9Periods", Listed, w9Period},
	{post, "/payees/w9s", "agency/w9PeriodApply", Applied, w9Period},

	// Reference data
	{get, "/certification-types", "agency/certificationTypes", Listed, certificationType},
	{post, "/certification-types", "agency/certificationTypeCreate", Created, certificationType},
	{patch, "/certification-types/{code}", "agency/certificationTypeUpdate", Changed, certificationType},
	{del, "/certification-types/{code}", "agency/certificationTypeDelete", Removed, certificationType},
	{get, "/jurisdictions", "agency/jurisdictions", Listed, jurisdiction},
	{post, "/jurisdictions", "agency/jurisdictionCreate", Created, jurisdiction},
	{get, "/jurisdictions/{id}", "agency/jurisdiction", Found, jurisdiction},
	{patch, "/jurisdictions/{id}", "agency/jurisdictionUpdate", Changed, jurisdiction},
	{del, "/jurisdictions/{id}", "agency/jurisdictionDelete", Removed, jurisdiction},
	{get, "/pay-statuses", "agency/payStatuses", Listed, payStatus},
	{post, "/pay-statuses", "agency/payStatusCreate", Created, payStatus},
	{get, "/pay-statuses/{name}", "agency/payStatus", Found, payStatus},
	{patch, "/pay-statuses/{name}", "agency/payStatusUpdate", Changed, payStatus},
	{del, "/pay-statuses/{name}", "agency/payStatusDelete", Removed, payStatus},
	{get, "/tags", "agency/tags", Listed, tag},
	{post, "/tags", "agency/tagCreate", Created, tag},
	{get, "/tags/{name}", "agency/tag", Found, tag},
	{patch, "/tags/{name}", "agency/tagUpdate", Changed, tag},
	{del, "/tags/{name}", "agency/tagDelete", Removed, tag},
}
