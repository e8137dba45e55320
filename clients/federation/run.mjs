// node federation/run.mjs: asks Apollo's gateway and Hive's of the server that UPLINE_URL
// names and of another subgraph.
import { ApolloGateway, RemoteGraphQLDataSource } from "@apollo/gateway";
import { createGatewayRuntime } from "@graphql-hive/gateway-runtime";
import { parse } from "graphql";
import { report, supergraphSdl, token, url } from "./desk.mjs";

async function apollo() {
  let sent = 0;
  class Upline extends RemoteGraphQLDataSource {
    willSendRequest({ request }) {
      sent++;
      request.http.headers.set("authorization", `Bearer ${token}`);
    }
  }
  const gateway = new ApolloGateway({ supergraphSdl, buildService: ({ name, url }) => (name === "upline" ? new Upline({ url }) : new RemoteGraphQLDataSource({ url })) });
  const { executor } = await gateway.load();
  const query = async (text) => {
    const document = parse(text);
    const answer = await executor({ request: { query: text, variables: {} }, document, operationName: null, queryHash: text, context: {}, overallCachePolicy: {}, cache: new Map(), schema: gateway.schema, metrics: {}, logger: console });
    return JSON.stringify(answer);
  };
  return report("Apollo", { query, sent: () => sent });
}

async function hive() {
  let sent = 0;
  const gateway = createGatewayRuntime({
    supergraph: supergraphSdl,
    logging: false,
    maskedErrors: false,
    propagateHeaders: { fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get("authorization") }) },
    plugins: () => [{ onFetch: ({ url: asked }) => void (asked === url && sent++) }],
  });
  const query = async (text) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" };
    return (await gateway.fetch("http://gateway/graphql", { method: "POST", headers, body: JSON.stringify({ query: text }) })).text();
  };
  return report("Hive", { query, sent: () => sent });
}

console.log(JSON.stringify([...(await apollo()), ...(await hive())]));
process.exit(0);
