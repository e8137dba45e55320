// What pages of another origin can do: they are served by a server of their own, and ask
// the demo, which admits this machine.
import { createServer } from "node:http";
import { check, newContext } from "./browser.mjs";

/** A page of another origin, at the demo's side. */
async function visitor(browser) {
  const server = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><title>portal</title>"));
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return {
    page,
    end: async () => {
      await context.close();
      server.close();
    },
  };
}

/** Runs in the page: what each request of a client came to. */
async function askAll(base) {
  const told = {};
  const json = { "Content-Type": "application/json" };
  const token = await fetch(`${base}/oauth2/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa("demo:demo-secret")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  }).then((r) => r.json());
  const bearer = { Authorization: `Bearer ${token.access_token}` };
  const agents = `${base}/agency-management/demo/agents`;
  for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/jwks.json", "/openapi.json"]) told[path] = (await fetch(base + path)).status;

  const graphql = await fetch(`${base}/graphql/demo`, {
    method: "POST",
    headers: { ...bearer, ...json, "apollographql-client-name": "portal", traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    body: JSON.stringify({ query: "{ agents(first: 50) { nodes { id agentCode displayName asOf } } }" }),
  });
  told.nodes = (await graphql.json()).data.agents.nodes.length;
  const code = (await fetch(`${agents}?pageSize=1`, { headers: bearer }).then((r) => r.json())).items[0].agentCode;
  const one = await fetch(`${agents}/${code}`, { headers: bearer });
  await one.json();
  told.etag = one.headers.get("ETag");
  told.traceId = one.headers.get("Trace-Id");
  const dry = await fetch(`${agents}/${code}`, { method: "PATCH", headers: { ...bearer, ...json, "If-Match": '"other"' }, body: JSON.stringify({ npn: "1", initiator: "portal" }) });
  told.stale = dry.status;
  told.refused = (await fetch(agents, { headers: { Authorization: "Bearer none" } })).status;
  told.challenge = (await fetch(agents)).headers.get("WWW-Authenticate");
  const csv = await fetch(`${agents}?pageSize=1`, { headers: { ...bearer, Accept: "text/csv" } });
  told.total = Number(csv.headers.get("Total-Count"));
  told.file = (await fetch(`${base}/exports/demo/none`, { headers: bearer })).status;

  const events = await fetch(`${base}/graphql/demo`, { method: "POST", headers: { ...bearer, ...json, Accept: "text/event-stream" }, body: JSON.stringify({ query: "{ viewer { subject } }" }) });
  told.events = (await events.text()).includes("event: next");
  told.socket = await new Promise((done) => {
    const socket = new WebSocket(`${base.replace("http", "ws")}/graphql/demo`, "graphql-transport-ws");
    socket.onopen = () => socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: bearer.Authorization } }));
    socket.onmessage = (m) => done(JSON.parse(m.data).type);
    socket.onclose = (e) => done(`closed: ${e.code} ${e.reason}`);
  });
  for (const [name, path, options] of [
    ["signIn", "/oauth2/sign-in", {}],
    ["workbench", "/workbench/", {}],
    ["cookie", "/graphql/demo?query={__typename}", { credentials: "include" }],
  ]) {
    told[name] = await fetch(base + path, options).then(
      (r) => r.status,
      () => "kept away",
    );
  }
  return told;
}

export const elsewhere = {
  "a page of another origin asks with a token, and nothing without": async (browser, base) => {
    const { page, end } = await visitor(browser);
    const told = await page.evaluate(askAll, base);
    await end();
    const said = JSON.stringify(told);
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/jwks.json", "/openapi.json"]) check(told[path] === 200, `${path}: ${said}`);
    check(told.nodes === 50 && told.events && told.socket === "connection_ack", `GraphQL: ${said}`);
    check(told.etag && told.traceId && told.challenge && told.total > 0, `headers cannot be read: ${said}`);
    check(told.stale === 412 && told.refused === 401 && told.file === 404, `refusals cannot be read: ${said}`);
    check(told.signIn === "kept away" && told.workbench === "kept away" && told.cookie === "kept away", `a page came too far: ${said}`);
    return said;
  },
};
