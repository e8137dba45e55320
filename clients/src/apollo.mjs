// Apollo Client 4, its cache as it comes but for the pages of a connection.
import { ApolloClient, HttpLink, InMemoryCache, gql } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { walk } from "./case.mjs";

const fields = gql`
  fragment Fields on Agent {
    id
    asOf
    commonName
    payStatus {
      id
      name
    }
    certifications(first: $first, after: $after) {
      edges {
        cursor
        node {
          id
          asOf
          status
        }
      }
      pageInfo {
        hasNextPage
        endCursor
        hasPreviousPage
        startCursor
      }
    }
  }
`;
const agent = gql`
  query Agent($on: Date, $first: Int = 2, $after: String) {
    agent(agentCode: "A1", onDate: $on) {
      ...Fields
    }
  }
  ${fields}
`;
const node = gql`
  query Node($id: ID!, $first: Int = 2, $after: String) {
    node(id: $id) {
      ...Fields
    }
  }
  ${fields}
`;
const update = gql`
  mutation Update($input: AgentUpdateInput!) {
    agentUpdate(agentCode: "A1", input: $input) {
      agent {
        id
        commonName
      }
    }
  }
`;

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
