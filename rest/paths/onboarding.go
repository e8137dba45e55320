package paths

// The records of Agent Onboarding.
var (
	appConfiguration   = Shape{Name: "AppConfiguration"}
	backgroundQuestion = Shape{Name: "BackgroundQuestion"}
	contractVersion    = Shape{Name: "ContractVersion"}
	contractCovenant   = Shape{Name: "ContractCovenant"}
)

// onboardingPages: "Agent Onboarding pageSize: default 50; maximum set per API"
// (specification, Limits).
var onboardingPages = Paging{Index: "pageIndex", Usual: 50, Most: 100}

// onboardingRoutes are the paths of "Agent Onboarding" in the specification, in
// its order.
var onboardingRoutes = []Route{
	// Configuration and published content
	{get, "/app-configuration", "onboarding/appConfiguration", Found, appConfiguration},
	{get, "/background-questions", "onboarding/backgroundQuestions", Array, backgroundQuestion},
	{get, "/contract", "onboarding/contract", Found, contractVersion},
	{get, "/contract/versions/{id}", "onboarding/contractVersion", Found, contractVersion},
	{get, "/contract-covenants", "onboarding/contractCovenants", Array, contractCovenant},
}
