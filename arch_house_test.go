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
	{"internal/clientstest", nil, "a tool of tests that runs the programs of clients"},
	{"internal/app/journey", []string{everything}, "stories across all areas, told through the doors"},

	{"ent/db/...", []string{"ent/db/...", "ent/schema", "ent/mixin", "internal/date"}, "the generated client knows the schema and its value types"},
	{"ent/schema", []string{"ent/mixin", "internal/date"}, "the generator loads the schema before it writes ent/db, so the schema cannot need ent/db"},
	{"ent/mixin", []string{"internal/date"}, "part of the schema"},
	{"ent/migrations", nil, "SQL files and nothing else"},

	{"graph", []string{"graph/...", areaPackages, "internal/insights/recipe", "ent/db/...", "internal/audit", "internal/bulk", "internal/bulkimport", "internal/clock", "internal/date", "internal/events", "internal/hierarchy", "internal/history", "internal/listing", "internal/live", "internal/page", "internal/patch",
		"internal/problem", "internal/sheet", "internal/store", "internal/tenant", "internal/tenants", "internal/vault"}, "resolvers translate between the schema and the areas; rules belong to an area, and REST comes in through the executor"},
	{"graph/generated", []string{"graph/model", "graph/scalar", "internal/agency", "internal/date", "internal/onboarding", "internal/patch"}, "what the generator needs to name"},
	{"graph/model", []string{"ent/db/...", areaPackages, "internal/insights/recipe", "internal/date", "internal/events", "internal/hierarchy", "internal/history", "internal/page", "internal/tenant"}, "views of what areas read; a model that called a service would be a resolver"},
	{"graph/scalar", []string{"internal/date", "internal/patch", "internal/problem"}, "scalars are values, and refuse what is none"},
	{"graph/selection", nil, "it walks documents of any schema"},
	{"graph/plan", []string{"graph/selection", "internal/date", "internal/enum", "internal/history", "internal/page", "internal/store"}, "a plan reads cells and writes bytes; which columns and tables a type has is said by the table that it is given"},
	{"graph/loader", []string{"internal/history"}, "batching knows keys and what they are read as of, not what is loaded"},
	{"graph/limits", []string{"graph/refusal", "internal/problem"}, "limits are computed from the schema and the operation alone"},
	{"graph/refusal", []string{"internal/problem"}, "it writes a refusal, whoever refuses"},
	{"graph/extract", []string{"graph/limits", "graph/selection", "internal/problem", "internal/sheet"}, "what a query reads is compiled from the schema and the document alone, once the limits have measured it"},
	{"graph/transport", []string{"graph/refusal", "internal/clock", "internal/problem", "internal/text"}, "the protocol is the same for any schema"},
	{"graph/playground", []string{"internal/asset"}, "the page uses the public endpoints as any client does"},

	{"rest", []string{"graph", "graph/refusal", "graph/selection", "internal/audit", "internal/clock", "internal/date", "internal/enum", "internal/idempotency", "internal/oauth", "internal/problem", "internal/sheet", "internal/tenant", "internal/text", "internal/version"}, "REST runs stored operations on the executable schema: past it, with ent or an area, directives, limits and loaders would be skipped, authorization among them"},
	{"rest/resttest", []string{"graph/selection", "rest"}, "a tool of the tests of rest"},

	{"mcp", []string{"internal/problem", "internal/tenant", "rest"}, "its tools are the stored operations, and queries that it is handed a function for: what an assistant may do is said where REST and GraphQL say it"},

	{"internal/asset", nil, "it serves files, whatever page they are of"},
	{"internal/workbench", []string{"internal/asset"}, "the page uses the public endpoints as any client does"},
	{"internal/reference", []string{"internal/asset"}, "the page reads the published document as any client does"},

	{"internal/date", nil, "a value type that everything else is built on"},
	{"internal/problem", nil, "the one error type: it cannot know who returns it"},
	{"internal/enum", []string{"internal/problem"}, "how a text becomes one of several values; which values there are says who owns the type"},
	{"internal/patch", nil, "a value type"},
	{"internal/check", []string{"internal/date", "internal/enum", "internal/patch", "internal/problem", "internal/text"}, "rules of texts that hold in every area"},
	{"internal/sheet", []string{"internal/enum", "internal/problem"}, "a table is rows and columns, wherever they come from"},
	{"internal/text", nil, "what every area takes a text for"},
	{"internal/tenant", []string{"internal/enum"}, "everything below asks it who is calling"},
	{"internal/clock", []string{"internal/date"}, "a leaf: it says what day it is"},
	{"internal/admission", []string{"internal/clock"}, "it counts, whoever asks for whatever: the doors say what a refusal looks like"},
	{"internal/history", []string{"internal/date", "internal/problem"}, "pure functions: no input or output, and no hidden today"},
	{"internal/vault", []string{"internal/text"}, "encryption knows its keysets and bytes, not what the bytes mean"},
	{"internal/page", []string{"internal/date", "internal/problem", "internal/store"}, "paging adds clauses to a statement of the store"},
	{"internal/listing", []string{"internal/page", "internal/store", "internal/tenant"}, "a list of whatever rows an area describes"},
	{"internal/store", []string{"ent/db/...", "ent/migrations", "internal/admission", "internal/clock", "internal/date", "internal/tenant"}, "the store knows tables and tenants, no business; who gets a connection next admission says"},
	{"internal/store/dbtest", []string{"internal/store"}, "it makes databases, not data"},
	{"internal/live", []string{"internal/tenant"}, "it hands out rows of any kind; reading them is the business of their package"},
	{"internal/version", []string{"internal/problem"}, "a demand of a request, for whoever can check it"},
	{"internal/idempotency", []string{"internal/clock", "internal/problem", "internal/store", "internal/tenant", "internal/vault"}, "the key of a request is a row beside its change; what the request means does not matter"},
	{"internal/events", []string{"internal/date", "internal/live", "internal/page", "internal/problem", "internal/store", "internal/tenant"}, "an event is a row beside the change; what it tells of is its writer's business"},
	{"internal/audit", []string{"internal/clock", "internal/enum", "internal/listing", "internal/page", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "an audit entry is a row beside the change, sealed by the tenant's key"},
	{"internal/bulk", []string{"internal/check", "internal/date", "internal/patch", "internal/problem", "internal/sheet", "internal/text"}, "it reads rows of whatever an area describes, and writes nothing; what sheet guards in a file it takes as it was"},
	{"internal/bulkimport", []string{"internal/audit", "internal/bulk", "internal/check", "internal/clock", "internal/enum", "internal/events", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "how a file of any entity is brought in; what its rows mean an area knows, which it calls through an interface"},
	{"internal/change", []string{"internal/audit", "internal/clock", "internal/date", "internal/events", "internal/idempotency", "internal/store", "internal/tenant", "internal/text", "internal/vault", "internal/version"}, "how a change of any area is written, whatever it changes"},
	{"internal/reencryption", []string{"internal/store", "internal/tenant", "internal/vault"}, "columns of any area; whose they are does not matter"},
	{"internal/hierarchy", []string{"ent/db/...", "internal/clock", "internal/date", "internal/enum", "internal/events", "internal/history", "internal/listing", "internal/page", "internal/problem", "internal/store", "internal/tenant", "internal/text"}, "areas call the hierarchy, not the other way round"},
	{"internal/oauth", []string{"ent/db/...", "internal/clock", "internal/problem", "internal/store", "internal/tenant"}, "it says who is calling; what a scope allows stands in the schema"},
	{"internal/tenants", []string{"ent/db/...", "internal/change", "internal/clock", "internal/date", "internal/hierarchy", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "tenants exist before there is any business in them"},
	{"internal/demo", []string{areaPackages, "ent/db/...", "internal/clock", "internal/date", "internal/hierarchy", "internal/problem", "internal/store", "internal/tenant", "internal/tenants", "internal/vault"}, "made-up data is loaded as an import is, below the doors"},
	{"internal/doctor", []string{areaPackages, "internal/audit", "internal/bulkimport", "internal/clock", "internal/date", "internal/enum", "internal/hierarchy", "internal/reencryption", "internal/sheet", "internal/store", "internal/tenant", "internal/tenants", "internal/vault"}, "it asks everybody who stores something what of it is right"},
	{"internal/telemetry", nil, "it sends what there is, whatever it is of"},
	{"internal/gen", nil, "the generator runs when ent/db does not build"},
	{"internal/insights/recipe", []string{"ent/db/...", "internal/change", "internal/check", "internal/clock", "internal/date", "internal/history", "internal/insights", "internal/listing", "internal/page", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "a part of the area insights"},
	{areaPackages, []string{"ent/db/...", "internal/audit", "internal/change", "internal/check", "internal/clock", "internal/date", "internal/enum", "internal/events", "internal/hierarchy", "internal/history", "internal/idempotency", "internal/listing", "internal/live", "internal/page", "internal/patch",
		"internal/bulk", "internal/problem", "internal/reencryption", "internal/sheet", "internal/store", "internal/tenant", "internal/text", "internal/vault", "internal/version"}, "an area knows neither door, and another area only through an interface of its own or an event"},
	{".", nil, "the root holds the generators and these tests"},
}
