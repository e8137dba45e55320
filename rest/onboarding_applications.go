package rest

// application is an application, as the specification shows it.
var application = shape{name: "Application", key: "id", notes: applicationNotes}

// The stored operations ask for all of it.
var applicationNotes = map[string]string{
	"id":                   "The application's id.",
	"governmentIdentifier": "SSN or SIN, all of it: treat it as highly sensitive.",
	"w9":                   "The W9, the numbers in full: treat it as highly sensitive.",
	"contract":             "The contract as the recruit signed it, the signature in full: treat it as highly sensitive.",
}

var applicationRoutes = []route{
	{get, "/applications", "onboarding/applications", listed, application},
	{get, "/applications/{id}", "onboarding/application", found, application},
	{post, "/applications", "onboarding/applicationCreate", created, application},
	{put, "/applications/{id}", replaceApplication, changed, application},
	{post, "/applications/{id}/validation", "onboarding/applicationValidation", valid, shape{}},
}

const replaceApplication = "onboarding/applicationReplace"

// takesMore are the operations whose body may have properties that its type does not
// have, and which are ignored. So a client can edit what GET /applications/{id} answers,
// read-only properties included, and send it back.
var takesMore = map[string]bool{replaceApplication: true}
