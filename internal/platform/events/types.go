package events

// The namespaces of the areas: "Event types are named with a namespace-style
// prefix" (specification, Events).
const (
	agencyPrefix     = "Platform.AgencyManagement.Events."
	onboardingPrefix = "Platform.AgentOnboarding.Events."
	identityPrefix   = "Platform.IdentityManagement.Events."
	webhooksPrefix   = "Platform.Webhooks.Events."
)

// The events of agency management.
const (
	AgentCreated              = agencyPrefix + "AgentCreated"
	AgentUpdated              = agencyPrefix + "AgentUpdated"
	AgentDeleted              = agencyPrefix + "AgentDeleted"
	AgentPayStatusChanged     = agencyPrefix + "AgentPayStatusChanged"
	AgentW9Changed            = agencyPrefix + "AgentW9Changed"
	AgentDirectDepositChanged = agencyPrefix + "AgentDirectDepositChanged"
	AgentUplineChanged        = agencyPrefix + "AgentUplineChanged"
	AgentLevelChanged         = agencyPrefix + "AgentLevelChanged"
	AgentTagsChanged          = agencyPrefix + "AgentTagsChanged"
	AgentAliasCreated         = agencyPrefix + "AgentAliasCreated"
	AgentAliasDeleted         = agencyPrefix + "AgentAliasDeleted"

	CertificationCreated       = agencyPrefix + "CertificationCreated"
	CertificationUpdated       = agencyPrefix + "CertificationUpdated"
	CertificationStatusChanged = agencyPrefix + "CertificationStatusChanged"
	CertificationDeleted       = agencyPrefix + "CertificationDeleted"
	CertificationExpiring      = agencyPrefix + "CertificationExpiring"

	// HierarchyBuildCompleted is "published when the background rebuild of the
	// flattened upline/downline hierarchy finishes after hierarchy changes"
	// (specification, Events). The specification writes it without a prefix;
	// it is stored with one, as every type is, and subscriptions may use
	// either name.
	HierarchyBuildCompleted = agencyPrefix + "HierarchyBuildCompleted"

	ReferenceDataChanged      = agencyPrefix + "ReferenceDataChanged"
	SalesAuthorizationChanged = agencyPrefix + "SalesAuthorizationChanged"
)

// The events of onboarding.
const (
	ApplicationCreated       = onboardingPrefix + "ApplicationCreated"
	ApplicationUpdated       = onboardingPrefix + "ApplicationUpdated"
	ApplicationSubmitted     = onboardingPrefix + "ApplicationSubmitted"
	ApplicationStatusChanged = onboardingPrefix + "ApplicationStatusChanged"
	ApplicationProcessed     = onboardingPrefix + "ApplicationProcessed"
	ApplicationRejected      = onboardingPrefix + "ApplicationRejected"
	ConfigurationPublished   = onboardingPrefix + "ConfigurationPublished"
	ContractPublished        = onboardingPrefix + "ContractPublished"
)

// The events of identity management.
const (
	UserCreated  = identityPrefix + "UserCreated"
	UserUpdated  = identityPrefix + "UserUpdated"
	UserApproved = identityPrefix + "UserApproved"
)

// Ping is the event that webhookTest sends.
const Ping = webhooksPrefix + "Ping"
