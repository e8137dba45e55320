// node run.mjs: walks every client at the server that UPLINE_URL names, and prints what
// came of each, as JSON. The token is in UPLINE_TOKEN.
import { apollo } from "./src/apollo.mjs";
import { relayRuntime } from "./src/relay.js";
import { urql } from "./src/urql.mjs";

const results = [];
for (const [name, walk] of Object.entries({ "Apollo Client 4": apollo, "urql graphcache": urql, Relay: relayRuntime })) {
  try {
    results.push({ name, said: await walk(process.env.UPLINE_URL, process.env.UPLINE_TOKEN) });
  } catch (error) {
    results.push({ name, problem: String(error.stack ?? error).slice(0, 1500) });
  }
}
console.log(JSON.stringify(results));
