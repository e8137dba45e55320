// urql with its normalised cache, graphcache.
import { Client, fetchExchange, gql } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { walk } from "./case.mjs";
import * as documents from "./documents.mjs";

const [agent, node, update] = [gql(documents.agent), gql(documents.node), gql(documents.update)];

export async function urql(url, token) {
  let changed;
  const cache = cacheExchange({
    keys: { AgentUpdatePayload: () => null },
    resolvers: { Agent: { certifications: relayPagination() } },
    optimistic: {
      agentUpdate: ({ input }) => ({ __typename: "AgentUpdatePayload", agent: { __typename: "Agent", id: changed, commonName: input.commonName } }),
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
      const answered = client.mutation(update, { input: { agentCode: "A1", commonName, initiator: "portal" } }).toPromise();
      const early = kept(null).commonName;
      const { error } = await answered;
      if (error) throw error;
      return early;
    },
  });
}
