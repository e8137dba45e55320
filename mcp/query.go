package mcp

import (
	"bytes"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/uplinehq/upline/rest"
)

// queryTool runs any query.
const queryTool = "graphql"

// fixedQuery is a tool whose query is fixed: what has no REST path, and an assistant should
// not have to write.
type fixedQuery struct{ name, description, document, input string }

var fixedQueries = []fixedQuery{
	{"insightQueries", "The catalogue of curated queries, which the tool insight runs, each with its parameters and columns.", catalogue, `{"type": "object", "additionalProperties": false}`},
	{"salesAuthorizations", "Whether agents may sell products in jurisdictions on a day: if not, why not and what would mend it; through which uplines; and the last day on which it stays so by itself.", sell, sellInput},
	{"scenarios", "Reorganisations that were thought through and not made yet, and what each would do: who moves with whom, who is above them then, which levels would be needed, whose authorizations to sell are gained and lost, which premium rolls up elsewhere, and what stands in the way.", planned, plannedInput},
}

// catalogue is what an assistant must know in order to run a curated query.
const catalogue = `query InsightQueries { insightQueries { slug title description maxPageSize
	parameters { name type required default description allowedValues } columns { key label type } } }`

// sell is the question who may sell, with what an assistant says to whoever asks.
const sell = `query SalesAuthorizations($agentCodes: [String!], $downlineOf: String, $products: [String!], $jurisdictions: [String!], $onDate: Date, $asKnownAt: DateTime,
	$status: SalesAuthorizationStatus, $reason: SalesAuthorizationReasonCode, $first: Int, $after: String) {
	salesAuthorizations(agentCodes: $agentCodes, downlineOf: $downlineOf, products: $products, jurisdictions: $jurisdictions, onDate: $onDate, asKnownAt: $asKnownAt,
		status: $status, reason: $reason, first: $first, after: $after) {
		nodes { agentCode product jurisdiction status through validThrough reasons { code agentCode depth rule certificationTypes providerCompany minimumLevel certificationId value since mend } }
		pageInfo { hasNextPage endCursor } } }`

const sellInput = `{"type": "object", "additionalProperties": false, "properties": {
	"agentCodes": {"type": "array", "items": {"type": "string"}, "description": "The agents; all of the agency by default."},
	"downlineOf": {"type": "string", "description": "Instead: this agent and everybody in its downline."},
	"products": {"type": "array", "items": {"type": "string"}, "description": "Codes of products; all that have rules by default."},
	"jurisdictions": {"type": "array", "items": {"type": "string"}, "description": "Codes of jurisdictions, such as US-TX; all by default."},
	"onDate": {"type": "string", "format": "date", "description": "The day; today by default."},
	"asKnownAt": {"type": "string", "format": "date-time", "description": "As it was known at this instant; now by default."},
	"status": {"type": "string", "enum": ["AUTHORIZED", "NOT_AUTHORIZED"], "description": "Only rows with this status."},
	"reason": {"type": "string", "description": "Only rows with a reason of this code."},
	"first": {"type": "integer", "description": "How many rows."},
	"after": {"type": "string", "description": "Rows after this cursor: endCursor of the page before."}}}`

// planned asks for scenarios, and what they would do to the agency as it is now.
const planned = `query Scenarios($state: ScenarioState = DRAFT, $first: Int = 3, $after: String) { scenarios(state: $state, first: $first, after: $after) {
	nodes { id name description effectiveFrom state createdBy sharedWith lastModified
		evaluation { conflicts { code message field } affectedAgentCount maxDepthBefore maxDepthAfter premium
			moves { agent { agentCode displayName } fromUpline { agentCode } uplines { agentCode } followerCount level levelNeeded premium } }
		authorizations(first: 100) { gained lost rows { agentCode product jurisdiction status reasons { code agentCode } } } }
	pageInfo { hasNextPage endCursor } } }`

const plannedInput = `{"type": "object", "additionalProperties": false, "properties": {
	"state": {"type": "string", "enum": ["DRAFT", "APPLIED", "DISCARDED"], "description": "DRAFT by default."},
	"first": {"type": "integer", "description": "How many scenarios; 3 by default."},
	"after": {"type": "string", "description": "Scenarios after this cursor: endCursor of the page before."}}}`

const queryInput = `{"type": "object", "additionalProperties": false, "required": ["query"], "properties": {
	"query": {"type": "string", "description": "A GraphQL document. Mutations and subscriptions are refused."},
	"variables": {"type": "object", "description": "The values of its variables."},
	"operationName": {"type": "string", "description": "Which operation of the document, when it has several."}}}`

const queryOutput = `{"type": "object", "required": ["data"], "properties": {
	"data": {"type": "object", "description": "What the query asked for."},
	"errors": {"type": "array", "description": "The fields whose stored values cannot be shown; they are null.", "items": {"type": "object"}}}}`

// addQueries adds the tools that run GraphQL.
func (c Config) addQueries(server *sdk.Server) {
	addTool(server, &sdk.Tool{Name: queryTool, InputSchema: json.RawMessage(queryInput), OutputSchema: json.RawMessage(queryOutput), Annotations: readOnly(), Description: "Runs a GraphQL query on the schema " + SchemaURI + ". Ask only for the fields and rows that are needed: a query has a limit of its cost, " +
		"which an error names."}, c.query)
	for _, q := range fixedQueries {
		addTool(server, &sdk.Tool{Name: q.name, InputSchema: json.RawMessage(q.input), OutputSchema: json.RawMessage(queryOutput), Annotations: readOnly(), Description: q.description},
			func(ctx context.Context, arguments json.RawMessage) rest.Answer {
				var variables map[string]any
				decode := json.NewDecoder(bytes.NewReader(arguments))
				if decode.UseNumber(); decode.Decode(&variables) != nil {
					return rest.Invalid("The arguments must be an object")
				}
				return c.Query(ctx, q.document, "", variables)
			})
	}
}

func (c Config) query(ctx context.Context, arguments json.RawMessage) rest.Answer {
	var given struct {
		Query, OperationName string
		Variables            map[string]any
	}
	decode := json.NewDecoder(bytes.NewReader(arguments))
	decode.UseNumber()
	decode.DisallowUnknownFields()
	if err := decode.Decode(&given); err != nil || given.Query == "" {
		return rest.Invalid("The arguments must be query, a text, and where needed variables, an object, and operationName, a text")
	}
	return c.FreeQuery(ctx, given.Query, given.OperationName, given.Variables)
}
