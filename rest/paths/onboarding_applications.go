package paths

// application is an application, as the specification shows it.
var application = Shape{Name: "Application", Key: "id", Notes: applicationNotes}

// The stored operations ask for all of it.
var applicationNotes = map[string]string{
	"id":                   "The application's id.",
	"governmentIdentifier": "SSN or SIN, all of it: treat it as highly sensitive.",
	"w9":                   "The W9, the numbers in full: treat it as highly sensitive.",
	"contract":             "The contract as the recruit signed it, the signature in full: treat it as highly sensitive.",
}

var applicationRoutes = []Route{
	{get, "/applications", "onboarding/applications", Listed, application},
	{get, "/applications/{id}", "onboarding/application", Found, application},
	{post, "/applications", "onboarding/applicationCreate", Created, application},
	{put, "/applications/{id}", ReplaceApplication, Changed, application},
	{post, "/applications/{id}/validation", "onboarding/applicationValidation", Valid, Shape{}},
}

// ReplaceApplication is the stored operation that replaces an application.
const ReplaceApplication = "onboarding/applicationReplace"

// TakesMore are the operations whose body may have properties that its type does not
// have, and which are ignored. So a client can edit what GET /applications/{id} answers,
// read-only properties included, and send it back.
var TakesMore = map[string]bool{ReplaceApplication: true}
