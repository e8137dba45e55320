package mcp

import (
	"bytes"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/uplinehq/upline/rest"
)

// The tools that are no operation of REST: any query, and the catalogue of curated
// queries, which has no REST path.
const (
	queryTool     = "graphql"
	catalogueTool = "insightQueries"
)

// catalogue is what an assistant must know in order to run a curated query.
const catalogue = `query InsightQueries { insightQueries { slug title description maxPageSize
	parameters { name type required default description allowedValues } columns { key label type } } }`

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
	addTool(server, &sdk.Tool{Name: catalogueTool, InputSchema: json.RawMessage(`{"type": "object", "additionalProperties": false}`), OutputSchema: json.RawMessage(queryOutput), Annotations: readOnly(),
		Description: "The catalogue of curated queries, which the tool insight runs, each with its parameters and columns."},
		func(ctx context.Context, _ json.RawMessage) rest.Answer { return c.Query(ctx, catalogue, "", nil) })
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
	return c.Query(ctx, given.Query, given.OperationName, given.Variables)
}
