// Another subgraph, whose objects refer to agents, composed with the schema of the server
// that UPLINE_URL names; and what the gateways of both are asked.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { composeServices } from "@apollo/composition";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { graphql, parse } from "graphql";

export const [url, token] = [process.env.UPLINE_URL, process.env.UPLINE_TOKEN];
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

const server = createServer(async (request, answer) => {
  const { query, variables } = JSON.parse(await text(request));
  answer.setHeader("content-type", "application/json").end(JSON.stringify(await graphql({ schema: desk, source: query, variableValues: variables })));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

const sdl = (await ask("{ _service { sdl } }"))._service.sdl;
const composed = composeServices([
  { name: "upline", url, typeDefs: parse(sdl) },
  { name: "desk", url: `http://127.0.0.1:${server.address().port}/`, typeDefs: tickets },
]);
if (composed.errors) throw new Error(composed.errors.map((e) => e.message).join("\n"));
export const { supergraphSdl } = composed;

const questions = {
  "agents of another subgraph": "{ tickets { nodes { id about { agentCode openTickets displayName payStatus { name } } } } }",
  "objects by id": "{ tickets { nodes { licence { type { code } agent { agentCode } } } } }",
  "both from here": '{ agent(agentCode: "A1") { displayName openTickets } }',
};

/** Asks a gateway everything, and prints what came of it, with how many requests the server got of it, as JSON. */
export async function report(gateway, { query, sent }) {
  const results = [];
  for (const [name, question] of Object.entries(questions)) {
    try {
      const before = sent();
      const said = await query(question);
      results.push({ name: `${gateway}: ${name}`, said: `${sent() - before} requests: ${said}` });
    } catch (error) {
      results.push({ name: `${gateway}: ${name}`, problem: String(error.stack ?? error).slice(0, 1500) });
    }
  }
  return results;
}
