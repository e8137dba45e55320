package events

import (
	"slices"
	"time"
)

// entries are the complete list of events ("Event payload", 17).
func entries() []entry {
	return slices.Concat(agentEntries(), certificationEntries(), agencyEntries(), onboardingEntries(), identityEntries(), []entry{
		{Ping, "A subscription is tested with webhookTest.", "ping", PingEvent("3", sampleInitiator)},
	})
}

func agentEntries() []entry {
	day := sampleDay.Ptr()
	return []entry{
		{AgentCreated, "An agent is registered, or made of a processed application.", "agent",
			agentSample(AgentCreated, "agentRegister", nil)},
		{AgentUpdated, "Anything of an agent changes: its names, contact, payee, memberships, tags, aliases or certifications.", "agent",
			agentSample(AgentUpdated, "agentContactUpdate", nil, "homeAddress")},
		{AgentDeleted, "An agent is deleted for good.", "agent",
			agentSample(AgentDeleted, "agentDelete", nil)},
		{AgentPayStatusChanged, "A period of an agent's pay status changes.", "agent",
			agentSample(AgentPayStatusChanged, "payStatusPeriodApply", day, "status")},
		{AgentW9Changed, "A period of an agent's W9 changes.", "agent",
			agentSample(AgentW9Changed, "w9PeriodApply", day, "w9")},
		{AgentDirectDepositChanged, "An agent's direct deposit changes.", "agent",
			agentSample(AgentDirectDepositChanged, "agentPayeeUpdate", nil, "directDeposit")},
		{AgentUplineChanged, "A period of an agent's direct upline changes.", "agent",
			agentSample(AgentUplineChanged, "uplinePeriodApply", day, "teams.default.directUpline")},
		{AgentLevelChanged, "A period of an agent's level changes.", "agent",
			agentSample(AgentLevelChanged, "levelPeriodApply", day, "teams.default.level")},
		{AgentTagsChanged, "A tag is assigned to an agent or taken from it.", "agent",
			agentSample(AgentTagsChanged, "agentTagsUpdate", nil, "tags")},
		{AgentAliasCreated, "An agent gets an alias.", "agent",
			agentSample(AgentAliasCreated, "aliasCreate", nil, "aliases")},
		{AgentAliasDeleted, "An agent loses an alias.", "agent",
			agentSample(AgentAliasDeleted, "aliasDelete", nil, "aliases")},
	}
}

func certificationEntries() []entry {
	day := sampleDay.Ptr()
	return []entry{
		{CertificationCreated, "An agent gets a certification.", "certification",
			certificationSample(CertificationCreated, "certificationUpsert", day)},
		{CertificationUpdated, "A certification changes.", "certification",
			certificationSample(CertificationUpdated, "certificationUpdate", nil, "isVerified")},
		{CertificationStatusChanged, "A period of a certification's status changes.", "certification",
			certificationSample(CertificationStatusChanged, "certificationPeriodApply", day, "status")},
		{CertificationDeleted, "A certification is deleted with its history.", "certification",
			certificationSample(CertificationDeleted, "certificationDelete", nil)},
		{CertificationExpiring, "A certification's period ends in 90, 60, 30 or 7 days.", "expiring",
			ExpiringEvent(sampleTenant, Expiring{CertificationID: 7, AgentCode: "A1001", Type: "LIFE", EffectiveThrough: sampleDay, DaysRemaining: 30})},
	}
}

func agencyEntries() []entry {
	return []entry{
		{HierarchyBuildCompleted, "The flattened hierarchy of a team is rebuilt after changes: upline members and downline members can be read again.", "build",
			Event{Data: map[string]any{"team": "default", "version": 42, "agentCount": 1200, "relationCount": 5630,
				"startedAt": sampleAt.Add(-2 * time.Second), "finishedAt": sampleAt}}},
		{ReferenceDataChanged, "A record of the reference data is created, changed or deleted.", "reference",
			ReferenceEvent("pay-statuses", "Active", "payStatusUpdate", sampleInitiator)},
		{SalesAuthorizationChanged, "An agent may sell a watched product in a jurisdiction from now on, or may not any more, whatever the cause: a change of the agent, of those above it or of a rule, or the passing of a day.", "authorization",
			AuthorizationEvent(sampleTenant, Authorization{AgentID: 1, AgentCode: "A1001", Product: "TERM-LIFE", Jurisdiction: "US-TX", Status: "NOT_AUTHORIZED", Reasons: []string{"CERTIFICATION_LAPSED"}})},
	}
}

func onboardingEntries() []entry {
	return []entry{
		{ApplicationCreated, "An application is started.", "application",
			applicationSample(ApplicationCreated, "applicationCreate", "Active", "")},
		{ApplicationUpdated, "An application changes.", "application",
			applicationSample(ApplicationUpdated, "applicationReplace", "Active", "", "employment")},
		{ApplicationSubmitted, "An application is submitted.", "application",
			applicationSample(ApplicationSubmitted, "applicationSubmit", "Complete", "", "status")},
		{ApplicationStatusChanged, "An application's status changes.", "application",
			applicationSample(ApplicationStatusChanged, "applicationHold", "Hold", "", "status")},
		{ApplicationProcessed, "An application is processed and becomes an agent.", "application",
			applicationSample(ApplicationProcessed, "applicationProcess", "Processed", "A1001", "status")},
		{ApplicationRejected, "An application is rejected.", "application",
			applicationSample(ApplicationRejected, "applicationReject", "Rejected", "", "status")},
		{ConfigurationPublished, "The configuration of onboarding or a background question is published, or a background question is retired.", "publication",
			PublicationEvent(ConfigurationPublished, "3", "appConfigurationUpdate", sampleInitiator)},
		{ContractPublished, "A version of the contract is published.", "publication",
			PublicationEvent(ContractPublished, "019a9f0c-6f80-7a11-8f0a-6b2f9d4c1e70", "contractPublish", sampleInitiator)},
	}
}

func identityEntries() []entry {
	return []entry{
		{UserCreated, "A user is created.", "user", userSample(UserCreated, "userCreate")},
		{UserUpdated, "A user changes.", "user", userSample(UserUpdated, "userUpdate", "roles")},
		{UserApproved, "A user is approved.", "user", userSample(UserApproved, "userUpdate", "status")},
	}
}
