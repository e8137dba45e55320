package rest

// The records of Agent Onboarding.
var (
	appConfiguration   = shape{name: "AppConfiguration"}
	backgroundQuestion = shape{name: "BackgroundQuestion"}
	contractVersion    = shape{name: "ContractVersion"}
	contractCovenant   = shape{name: "ContractCovenant"}
)

// onboardingPages: "Agent Onboarding pageSize: default 50; maximum set per API"
// (specification, Limits).
var onboardingPages = paging{index: "pageIndex", usual: 50, most: 100}

// onboardingRoutes are the paths of "Agent Onboarding" in the specification, in
// its order.
var onboardingRoutes = []route{
	// Configuration and published content
	{get, "/app-configuration", "onboarding/appConfiguration", found, appConfiguration},
	{get, "/background-questions", "onboarding/backgroundQuestions", array, backgroundQuestion},
	{get, "/contract", "onboarding/contract", found, contractVersion},
	{get, "/contract/versions/{id}", "onboarding/contractVersion", found, contractVersion},
	{get, "/contract-covenants", "onboarding/contractCovenants", array, contractCovenant},
}
