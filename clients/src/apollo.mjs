// Apollo Client 4, its cache as it comes but for the pages of a connection.
import { ApolloClient, HttpLink, InMemoryCache, gql } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { walk } from "./case.mjs";
import * as documents from "./documents.mjs";

const [agent, node, update] = [gql(documents.agent), gql(documents.node), gql(documents.update)];

export async function apollo(url, token) {
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
      const optimisticResponse = { agentUpdate: { __typename: "AgentPayload", agent: { __typename: "Agent", id: a.id, commonName } } };
      const answered = client.mutate({ mutation: update, variables: { input: { commonName, initiator: "portal" } }, optimisticResponse });
      const early = client.readQuery({ query: agent }, true).agent.commonName;
      await answered;
      return early;
    },
  });
}
