// Apollo Client 4 and 3, the cache as it comes but for the pages of a connection.
import { createRequire } from "node:module";
import * as version4 from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { walk } from "./case.mjs";
import * as documents from "./documents.mjs";

const require = createRequire(import.meta.url);
const version3 = () => ({ ...require("apollo3/core"), relayStylePagination: require("apollo3/utilities").relayStylePagination });

export const apollo4 = (url, token) => apollo({ ...version4, relayStylePagination }, url, token);
export const apollo3 = (url, token) => apollo(version3(), url, token);

function apollo({ ApolloClient, HttpLink, InMemoryCache, gql, relayStylePagination }, url, token) {
  const [agent, node, update] = [gql(documents.agent), gql(documents.node), gql(documents.update)];
  const cache = new InMemoryCache({ typePolicies: { Agent: { fields: { certifications: relayStylePagination() } } } });
  const client = new ApolloClient({ cache, link: new HttpLink({ uri: url, headers: { authorization: `Bearer ${token}` } }) });
  const kept = (on) => client.readQuery({ query: agent, variables: on ? { on } : {} })?.agent;
  const end = (a) => kept(a.asOf).certifications.pageInfo.endCursor;
  return walk({
    kept,
    read: async (on) => (await client.query({ query: agent, variables: on ? { on } : {} })).data.agent,
    refetch: async (a) => (await client.query({ query: node, variables: { id: a.id }, fetchPolicy: "network-only" })).data.node,
    more: (a) => client.query({ query: node, variables: { id: a.id, after: end(a) }, fetchPolicy: "network-only" }),
    certifications: (on) => kept(on).certifications.edges.map((e) => e.node),
    change: async (a, commonName) => {
      const optimisticResponse = { agentUpdate: { __typename: "AgentUpdatePayload", agent: { __typename: "Agent", id: a.id, commonName } } };
      const answered = client.mutate({ mutation: update, variables: { input: { agentCode: "A1", commonName, initiator: "portal" } }, optimisticResponse });
      const early = client.readQuery({ query: agent }, true).agent.commonName;
      await answered;
      return early;
    },
  });
}
