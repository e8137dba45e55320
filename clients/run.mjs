// node run.mjs: walks every client at the server that UPLINE_URL names, and prints what
// came of each, as JSON. The token is in UPLINE_TOKEN.
import { apollo3, apollo4 } from "./src/apollo.mjs";
import { plainFetch, graphqlRequest } from "./src/plain.mjs";
import { relayRuntime } from "./src/relay.js";
import { graphqlSse, graphqlWs } from "./src/streams.mjs";
import { typed } from "./src/typed.mjs";
import { urql } from "./src/urql.mjs";

const clients = {
  fetch: plainFetch,
  "graphql-request": graphqlRequest,
  "graphql-codegen": typed,
  "graphql-ws": graphqlWs,
  "graphql-sse": graphqlSse,
  "Apollo Client 4": apollo4,
  "Apollo Client 3": apollo3,
  "urql graphcache": urql,
  Relay: relayRuntime,
};

const results = [];
for (const [name, walk] of Object.entries(clients)) {
  try {
    results.push({ name, said: await walk(process.env.UPLINE_URL, process.env.UPLINE_TOKEN) });
  } catch (error) {
    results.push({ name, problem: String(error.stack ?? error).slice(0, 1500) });
  }
}
console.log(JSON.stringify(results));
