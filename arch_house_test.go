package upline_test

// room is a package, or with /... the packages below one, and what of the
// module it may import. Tests may import more, but never a command.
type room struct {
	name string
	may  []string
	why  string
}

// house lists every package of the module. The first row that fits counts.
var house = []room{
	{"cmd/...", []string{everything}, "commands wire everything together"},
	{"bench/...", []string{everything}, "benchmarks measure the whole, as a command runs it"},
	{"deploy/sbom", nil, "it reads a binary, whatever is in it"},
	{"internal/app", []string{everything}, "the server put together, for the commands and for tests of the whole"},
	{"internal/app/apptest", []string{everything}, "a tool of tests of the whole"},
	{"internal/app/clientstest", nil, "a tool of tests that runs the programs of clients"},
	{"internal/app/jobs", []string{areaPackages, "internal/identity/directory", "internal/platform/audit", "internal/platform/events", "internal/platform/idempotency", "internal/platform/oauth", "internal/words/clock", "internal/words/tenant"}, "a job calls who owns what it tidies up, tenant by tenant"},
	{"internal/app/journey", []string{everything}, "stories across all areas, told through the doors"},

	{"ent/db/...", []string{"ent/db/...", "ent/schema", "ent/mixin", "internal/words/date"}, "the generated client knows the schema and its value types"},
	{"ent/schema", []string{"ent/mixin", "internal/words/date"}, "the generator loads the schema before it writes ent/db, so the schema cannot need ent/db"},
	{"ent/mixin", []string{"internal/words/date"}, "part of the schema"},
	{"ent/migrations", nil, "SQL files and nothing else"},

	{"graph", []string{"graph/...", "internal/exchange/export", "internal/exchange/sheet", "internal/history", "internal/insights/recipe", "internal/platform/audit", "internal/platform/page", "internal/platform/store", "internal/platform/vault", "internal/words/date", "internal/words/problem", "internal/words/tenant"}, "the server runs documents, whatever they ask for; exports and saved queries are documents that areas keep, and REST comes in through the executor"},
	{"graph/resolve", []string{"graph/convert", "graph/follow", "graph/generated", "graph/loader", "graph/model", "graph/sensitive", areaPackages, "internal/exchange/bulk", "internal/exchange/bulkimport", "internal/hierarchy", "internal/history", "internal/identity/directory", "internal/insights/facts", "internal/insights/recipe", "internal/platform/audit", "internal/platform/events", "internal/platform/listing", "internal/platform/live", "internal/platform/page", "internal/platform/store", "internal/platform/vault",
		"internal/words/clock", "internal/words/date", "internal/words/patch", "internal/words/problem", "internal/words/tenant"}, "resolvers translate between the schema and the areas; rules belong to an area"},
	{"graph/planned", []string{"graph/convert", "graph/generated", "graph/limits", "graph/loader", "graph/model", "graph/plan", "graph/resolve", "graph/sensitive", "internal/agency", "internal/hierarchy", "internal/history", "internal/platform/listing", "internal/platform/page", "internal/platform/store", "internal/platform/vault", "internal/words/date", "internal/words/fields", "internal/words/patch", "internal/words/tenant"}, "what a resolver refuses, the plan of its field leaves to it; what is planned the agency holds, no other area"},
	{"graph/convert", []string{"graph/model", "internal/agency", "internal/history", "internal/onboarding", "internal/platform/audit", "internal/words/patch", "internal/words/tenant"}, "views and inputs; a converter that called a service would be a resolver"},
	{"graph/sensitive", []string{"internal/agency", "internal/onboarding", "internal/platform/vault", "internal/words/fields", "internal/words/tenant"}, "it shows a value or its mask; which values are sensitive areas say"},
	{"graph/follow", []string{"graph/limits", "graph/refusal", "graph/transport", "internal/platform/live", "internal/words/problem"}, "it shows rows of any kind to a subscriber"},
	{"graph/generated", []string{"graph/model", "graph/scalar", "internal/agency", "internal/words/date", "internal/identity/directory", "internal/onboarding", "internal/words/patch"}, "what the generator needs to name"},
	{"graph/model", []string{"ent/db/...", areaPackages, "internal/insights/facts", "internal/insights/recipe", "internal/words/date", "internal/words/money", "internal/platform/events", "internal/hierarchy", "internal/history", "internal/platform/page", "internal/words/tenant"}, "views of what areas read; a model that called a service would be a resolver"},
	{"graph/scalar", []string{"internal/words/date", "internal/words/patch", "internal/words/problem"}, "scalars are values, and refuse what is none"},
	{"graph/selection", nil, "it walks documents of any schema"},
	{"graph/plan", []string{"graph/selection", "internal/words/date", "internal/words/enum", "internal/history", "internal/platform/page", "internal/platform/store", "internal/words/problem"}, "a plan reads cells and writes bytes; which columns and tables a type has is said by the table that it is given"},
	{"graph/loader", []string{"internal/history"}, "batching knows keys and what they are read as of, not what is loaded"},
	{"graph/limits", []string{"graph/refusal", "internal/words/problem"}, "limits are computed from the schema and the operation alone"},
	{"graph/refusal", []string{"internal/words/problem"}, "it writes a refusal, whoever refuses"},
	{"graph/extract", []string{"graph/limits", "graph/selection", "internal/words/problem", "internal/exchange/sheet"}, "what a query reads is compiled from the schema and the document alone, once the limits have measured it"},
	{"graph/transport", []string{"graph/refusal", "internal/words/clock", "internal/words/problem", "internal/words/text"}, "the protocol is the same for any schema"},
	{"graph/playground", []string{"internal/platform/asset"}, "the page uses the public endpoints as any client does"},

	{"rest", []string{"graph", "graph/refusal", "graph/selection", "internal/platform/audit", "internal/words/clock", "internal/words/date", "internal/words/enum", "internal/platform/idempotency", "internal/platform/oauth", "internal/words/problem", "internal/exchange/sheet", "internal/words/tenant", "internal/words/text", "internal/platform/version"}, "REST runs stored operations on the executable schema: past it, with ent or an area, directives, limits and loaders would be skipped, authorization among them"},
	{"rest/resttest", []string{"graph/selection", "rest"}, "a tool of the tests of rest"},

	{"mcp", []string{"internal/words/problem", "internal/words/tenant", "rest"}, "its tools are the stored operations, and queries that it is handed a function for: what an assistant may do is said where REST and GraphQL say it"},

	{"internal/platform/asset", nil, "it serves files, whatever page they are of"},
	{"internal/app/pages/workbench", []string{"internal/platform/asset"}, "the page uses the public endpoints as any client does"},
	{"internal/app/pages/reference", []string{"internal/platform/asset"}, "the page reads the published document as any client does"},

	{"internal/words/date", nil, "a value type that everything else is built on"},
	{"internal/words/problem", nil, "the one error type: it cannot know who returns it"},
	{"internal/words/money", nil, "a value type"},
	{"internal/words/enum", []string{"internal/words/problem"}, "how a text becomes one of several values; which values there are says who owns the type"},
	{"internal/words/patch", nil, "a value type"},
	{"internal/words/fields", []string{"internal/words/patch"}, "tables of fields of whatever entity, read by whoever goes over them"},
	{"internal/words/check", []string{"internal/words/date", "internal/words/enum", "internal/words/patch", "internal/words/problem", "internal/words/text"}, "rules of texts that hold in every area"},
	{"internal/exchange/sheet", []string{"internal/words/enum", "internal/words/problem"}, "a table is rows and columns, wherever they come from"},
	{"internal/words/text", nil, "what every area takes a text for"},
	{"internal/words/tenant", []string{"internal/words/enum"}, "everything below asks it who is calling"},
	{"internal/words/clock", []string{"internal/words/date"}, "a leaf: it says what day it is"},
	{"internal/platform/admission", []string{"internal/words/clock"}, "it counts, whoever asks for whatever: the doors say what a refusal looks like"},
	{"internal/history", []string{"internal/words/date", "internal/words/problem"}, "pure functions: no input or output, and no hidden today"},
	{"internal/platform/vault", []string{"internal/words/text"}, "encryption knows its keysets and bytes, not what the bytes mean"},
	{"internal/platform/page", []string{"internal/words/date", "internal/words/problem", "internal/platform/store"}, "paging adds clauses to a statement of the store"},
	{"internal/platform/listing", []string{"internal/platform/page", "internal/platform/store", "internal/words/tenant"}, "a list of whatever rows an area describes"},
	{"internal/platform/store", []string{"ent/db/...", "ent/migrations", "internal/platform/admission", "internal/platform/store/narrow", "internal/platform/store/prepared", "internal/words/clock", "internal/words/date", "internal/words/tenant"}, "the store knows tables and tenants, no business; who gets a connection next admission says"},
	{"internal/platform/store/narrow", []string{"internal/words/date", "internal/words/tenant"}, "it turns a text into another, and runs nothing"},
	{"internal/platform/store/prepared", nil, "a driver knows statements, not what they are about"},
	{"internal/platform/store/dbtest", []string{"ent/migrations", "internal/platform/store"}, "it makes databases of any version, not data"},
	{"internal/platform/live", []string{"internal/words/tenant"}, "it hands out rows of any kind; reading them is the business of their package"},
	{"internal/platform/version", []string{"internal/words/problem"}, "a demand of a request, for whoever can check it"},
	{"internal/platform/idempotency", []string{"internal/words/clock", "internal/words/problem", "internal/platform/store", "internal/words/tenant", "internal/platform/vault"}, "the key of a request is a row beside its change; what the request means does not matter"},
	{"internal/platform/events", []string{"internal/words/date", "internal/platform/live", "internal/platform/page", "internal/words/problem", "internal/platform/store", "internal/words/tenant"}, "an event is a row beside the change; what it tells of is its writer's business"},
	{"internal/platform/audit", []string{"internal/words/clock", "internal/words/enum", "internal/platform/listing", "internal/platform/page", "internal/words/problem", "internal/platform/store", "internal/words/tenant", "internal/words/text", "internal/platform/vault"}, "an audit entry is a row beside the change, sealed by the tenant's key"},
	{"internal/exchange/bulk", []string{"internal/words/check", "internal/words/date", "internal/words/patch", "internal/words/problem", "internal/exchange/sheet", "internal/words/text"}, "it reads rows of whatever an area describes, and writes nothing; what sheet guards in a file it takes as it was"},
	{"internal/exchange/bulkimport", []string{"internal/platform/audit", "internal/exchange/bulk", "internal/words/check", "internal/words/clock", "internal/words/enum", "internal/platform/events", "internal/words/problem", "internal/platform/store", "internal/words/tenant", "internal/words/text", "internal/platform/vault"}, "how a file of any entity is brought in; what its rows mean an area knows, which it calls through an interface"},
	{"internal/platform/change", []string{"internal/platform/audit", "internal/words/clock", "internal/words/date", "internal/platform/events", "internal/platform/idempotency", "internal/platform/store", "internal/words/tenant", "internal/words/text", "internal/platform/vault", "internal/platform/version"}, "how a change of any area is written, whatever it changes"},
	{"internal/platform/reencryption", []string{"internal/platform/store", "internal/words/check", "internal/words/tenant", "internal/platform/vault"}, "columns of any area; whose they are does not matter"},
	{"internal/hierarchy", []string{"ent/db/...", "internal/words/clock", "internal/words/date", "internal/words/enum", "internal/platform/events", "internal/history", "internal/platform/listing", "internal/platform/page", "internal/words/problem", "internal/platform/store", "internal/words/tenant", "internal/words/text"}, "areas call the hierarchy, not the other way round"},
	{"internal/platform/oauth", []string{"ent/db/...", "internal/words/clock", "internal/words/problem", "internal/platform/store", "internal/words/tenant"}, "it says who is calling; what a scope allows stands in the schema"},
	{"internal/identity/directory", []string{"ent/db/...", "internal/platform/change", "internal/words/check", "internal/words/clock", "internal/words/date", "internal/words/fields", "internal/hierarchy", "internal/words/patch", "internal/words/problem", "internal/platform/store", "internal/words/tenant", "internal/words/text", "internal/platform/vault"}, "tenants exist before there is any business in them"},
	{"internal/demo", []string{areaPackages, "ent/db/...", "internal/words/clock", "internal/words/date", "internal/hierarchy", "internal/words/problem", "internal/platform/store", "internal/words/tenant", "internal/identity/directory", "internal/platform/vault"}, "made-up data is loaded as an import is, below the doors"},
	{"internal/app/doctor", []string{areaPackages, "internal/platform/audit", "internal/exchange/bulkimport", "internal/words/clock", "internal/words/date", "internal/words/enum", "internal/hierarchy", "internal/platform/reencryption", "internal/exchange/sheet", "internal/platform/store", "internal/words/tenant", "internal/identity/directory", "internal/platform/vault"}, "it asks everybody who stores something what of it is right"},
	{"internal/platform/telemetry", nil, "it sends what there is, whatever it is of"},
	{"cmd/generate", nil, "the generator runs when ent/db does not build"},
	{"internal/insights/facts", []string{"ent/db/...", "internal/exchange/bulk", "internal/platform/change", "internal/platform/store", "internal/platform/vault", "internal/words/check", "internal/words/clock", "internal/words/date", "internal/words/money", "internal/words/problem", "internal/words/tenant", "internal/words/text"}, "a part of the area insights: it records, and answers nothing"},
	{"internal/insights", []string{"internal/hierarchy", "internal/history", "internal/insights/facts", "internal/platform/store", "internal/words/clock", "internal/words/date", "internal/words/money", "internal/words/problem", "internal/words/tenant", "internal/words/text"}, "it answers questions, and writes nothing"},
	{"internal/insights/recipe", []string{"ent/db/...", "internal/platform/change", "internal/words/check", "internal/words/clock", "internal/words/date", "internal/words/money", "internal/history", "internal/platform/listing", "internal/platform/page", "internal/words/problem", "internal/platform/store", "internal/words/tenant", "internal/words/text", "internal/platform/vault"}, "a part of the area insights"},
	{areaPackages, []string{"ent/db/...", "internal/platform/audit", "internal/platform/change", "internal/words/check", "internal/words/clock", "internal/words/date", "internal/words/enum", "internal/platform/events", "internal/words/fields", "internal/hierarchy", "internal/history", "internal/platform/idempotency", "internal/platform/listing", "internal/platform/live", "internal/platform/page", "internal/words/patch",
		"internal/exchange/bulk", "internal/words/problem", "internal/platform/reencryption", "internal/exchange/sheet", "internal/platform/store", "internal/words/tenant", "internal/words/text", "internal/platform/vault", "internal/platform/version"}, "an area knows neither door, and another area only through an interface of its own or an event"},
	{".", nil, "the root holds the generators and these tests"},
}
