// node trusted/run.mjs: asks for an agent by the ids of three manifests, as programs do that
// were built with them, and prints what came of each, as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { generatePersistedQueryIdsFromManifest } from "@apollo/persisted-query-lists";
import { Environment, Network, RecordSource, Store, fetchQuery } from "relay-runtime";
import { trustedAgent } from "./queries.mjs";

const [url, token] = [process.env.UPLINE_URL, process.env.UPLINE_TOKEN];
const generated = new URL("../__generated__/trusted/", import.meta.url);
const manifest = (name) => JSON.parse(readFileSync(new URL(name, generated), "utf8"));
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const send = async (body) => (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();

const clients = {
  "graphql-codegen": async () => {
    const [documentId] = Object.entries(manifest("codegen/persisted-documents.json")).find(([, text]) => text.includes("TypedAgent"));
    const answer = await send({ documentId, variables: { code: "A1", on: "2026-01-15" } });
    if (!answer.data) throw new Error(JSON.stringify(answer));
    return answer.data.agent.payStatus.name;
  },
  Relay: async () => {
    const query = createRequire(import.meta.url)(new URL("relay/relayAgentQuery.graphql.js", generated).pathname);
    const network = Network.create(({ id }, variables) => send({ documentId: id, variables }));
    const environment = new Environment({ network, store: new Store(new RecordSource()) });
    await fetchQuery(environment, query, { on: "2026-01-15" }).toPromise();
    return Object.values(environment.getStore().getSource().toJSON()).find((record) => record.__typename === "PayStatus").name;
  },
  "Apollo Client": async () => {
    const ids = new PersistedQueryLink(generatePersistedQueryIdsFromManifest({ loadManifest: async () => manifest("apollo.json") }));
    const client = new ApolloClient({ cache: new InMemoryCache(), link: ids.concat(new HttpLink({ uri: url, headers })) });
    return (await client.query({ query: trustedAgent, variables: { code: "A1", on: "2026-01-15" } })).data.agent.payStatus.name;
  },
  "a text": async () => (await send({ query: "{ agents { totalCount } }" })).errors[0].extensions.code,
};

const results = [];
for (const [name, walk] of Object.entries(clients)) {
  try {
    results.push({ name, said: await walk() });
  } catch (error) {
    results.push({ name, problem: String(error.stack ?? error).slice(0, 1500) });
  }
}
console.log(JSON.stringify(results));
