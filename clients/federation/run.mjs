// node federation/run.mjs: composes the schema of the server that UPLINE_URL names with
// another subgraph, whose objects refer to agents, and asks the gateway of both. It prints
// what came of each question, as JSON.
import { ApolloGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from "@apollo/gateway";
import { composeServices } from "@apollo/composition";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";

const [url, token] = [process.env.UPLINE_URL, process.env.UPLINE_TOKEN];
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const ask = async (query, variables) => {
  const answer = await (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) })).json();
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return answer.data;
};

// A desk for tickets, in the manner of Relay as well.
const tickets = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  interface Node { id: ID! }
  type Query { node(id: ID!): Node  tickets: TicketConnection! }
  type TicketConnection { nodes: [Ticket!]!  pageInfo: PageInfo! }
  type PageInfo @shareable { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
  type Ticket implements Node @key(fields: "id") { id: ID!  about: Agent  licence: Certification }
  type Agent @key(fields: "agentCode") { agentCode: String!  openTickets: Int! }
  type Certification @key(fields: "id", resolvable: false) { id: ID! }
`);
const licence = (await ask('{ agent(agentCode: "A1") { certifications(first: 1) { nodes { id } } } }')).agent.certifications.nodes[0].id;
const page = { hasNextPage: false, hasPreviousPage: false };
const desk = buildSubgraphSchema({
  typeDefs: tickets,
  resolvers: {
    Query: { tickets: () => ({ pageInfo: page, nodes: ["A1", "NONE", "A1"].map((agentCode, i) => ({ id: `T${i}`, about: { agentCode }, licence: { id: licence } })) }) },
    Node: { __resolveType: () => "Ticket" },
    Agent: { __resolveReference: ({ agentCode }) => ({ agentCode }), openTickets: () => 2 },
  },
});

const sdl = (await ask("{ _service { sdl } }"))._service.sdl;
const composed = composeServices([
  { name: "upline", url, typeDefs: parse(sdl) },
  { name: "desk", url: "http://desk.invalid", typeDefs: tickets },
]);
if (composed.errors) throw new Error(composed.errors.map((e) => e.message).join("\n"));

let sent = 0;
class Upline extends RemoteGraphQLDataSource {
  willSendRequest({ request }) {
    sent++;
    request.http.headers.set("authorization", `Bearer ${token}`);
  }
}
const gateway = new ApolloGateway({
  supergraphSdl: composed.supergraphSdl,
  buildService: ({ name }) => (name === "upline" ? new Upline({ url }) : new LocalGraphQLDataSource(desk)),
});
const { executor } = await gateway.load();
const query = async (text) => {
  const document = parse(text);
  const answer = await executor({ request: { query: text, variables: {} }, document, operationName: null, queryHash: text, context: {}, overallCachePolicy: {}, cache: new Map(), schema: gateway.schema, metrics: {}, logger: console });
  return JSON.stringify(answer);
};

const questions = {
  "agents of another subgraph": "{ tickets { nodes { id about { agentCode openTickets displayName payStatus { name } } } } }",
  "objects by id": "{ tickets { nodes { licence { type { code } agent { agentCode } } } } }",
  "both from here": '{ agent(agentCode: "A1") { displayName openTickets } }',
};
const results = [];
for (const [name, text] of Object.entries(questions)) {
  try {
    sent = 0;
    const said = await query(text);
    results.push({ name, said: `${sent} requests: ${said}` });
  } catch (error) {
    results.push({ name, problem: String(error.stack ?? error).slice(0, 1500) });
  }
}
console.log(JSON.stringify(results));
process.exit(0);
