// Subscriptions and queries through the clients of both transports, each as it comes.
import { createClient as createSocket } from "graphql-ws";
import { createClient as createEvents } from "graphql-sse";
import WebSocket from "ws";
import { check } from "./case.mjs";
import { ask } from "./plain.mjs";

const subscription = "subscription Changes($after: String) { agentChanged(agentCode: \"A1\", after: $after) { agentCode operation } }";
const change = 'mutation { agentUpdate(input: {agentCode: "A1", npn: "12345", initiator: "portal"}) { userErrors { message } } }';
const beginning = "{ events(first: 1) { pageInfo { endCursor } } }";

/** Follows A1 while it is changed, and asks something beside, on the same client. */
async function follow(client, url, token) {
  const once = (payload) =>
    new Promise((resolve, reject) => {
      let last;
      client.subscribe(payload, { next: (answer) => (last = answer), error: reject, complete: () => resolve(last) });
    });
  const { data } = await ask(url, token, beginning);
  const changes = client.iterate({ query: subscription, variables: { after: data.events.pageInfo.endCursor } });
  await ask(url, token, change);
  for await (const { data, errors } of changes) {
    check(!errors && data.agentChanged.agentCode === "A1", "a change", errors ?? data);
    if (data.agentChanged.operation === "agentUpdate") break; // what came before is told first
  }
  const beside = await once({ query: '{ agent(agentCode: "A1") { agentCode } }' });
  check(beside.data.agent.agentCode === "A1", "a query", beside);
  const refused = await once({ query: "{ nothing }" }).catch((error) => error);
  check(refused.response?.status === 400 || refused[0]?.message.includes("nothing"), "what is refused", refused);
  await client.dispose();
  return "a change arrived";
}

export const graphqlWs = (url, token) =>
  follow(createSocket({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams: { authorization: `Bearer ${token}` }, retryAttempts: 0 }), url, token);

export async function graphqlSse(url, token) {
  const options = { url, headers: { authorization: `Bearer ${token}` }, retryAttempts: 0 };
  const single = createEvents({ ...options, singleConnection: true, lazy: false, onNonLazyError() {} });
  const refused = await new Promise((resolve) => single.subscribe({ query: subscription }, { next() {}, error: resolve, complete() {} }));
  check(refused?.response?.status === 405, "the single connection mode", refused);
  return follow(createEvents(options), url, token);
}
