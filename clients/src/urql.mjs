// urql with its normalised cache, graphcache.
import { Client, fetchExchange, gql } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
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

export async function urql(url, token) {
  let changed;
  const cache = cacheExchange({
    keys: { AgentPayload: () => null },
    resolvers: { Agent: { certifications: relayPagination() } },
    optimistic: {
      agentUpdate: ({ input }) => ({ __typename: "AgentPayload", agent: { __typename: "Agent", id: changed, commonName: input.commonName } }),
    },
  });
  const client = new Client({ url, exchanges: [cache, fetchExchange], preferGetMethod: false, fetchOptions: { headers: { authorization: `Bearer ${token}` } } });
  const ask = async (query, variables, requestPolicy) => {
    const { data, error } = await client.query(query, variables, { requestPolicy }).toPromise();
    if (error) throw error;
    return data;
  };
  const kept = (on) => client.readQuery(agent, on ? { on } : {})?.data?.agent;
  return walk({
    kept,
    read: async (on) => (await ask(agent, on ? { on } : {}, "network-only")).agent,
    refetch: async (a) => (await ask(node, { id: a.id }, "network-only")).node,
    more: (a) => ask(node, { id: a.id, after: kept(a.asOf).certifications.pageInfo.endCursor }, "network-only"),
    certifications: (on) => kept(on).certifications.edges.map((e) => e.node),
    change: async (a, commonName) => {
      changed = a.id;
      const answered = client.mutation(update, { input: { commonName, initiator: "portal" } }).toPromise();
      const early = kept(null).commonName;
      const { error } = await answered;
      if (error) throw error;
      return early;
    },
  });
}
