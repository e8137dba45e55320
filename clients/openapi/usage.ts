// What a client writes, with the types that each generator makes: a list is used
// without narrowing, and a preview is told from a record by its property.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/schema";
import * as hey from "./generated/hey";
import { client } from "./generated/hey/client.gen";
import * as orval from "./generated/orval";

declare const process: { argv: string[] };
const [, , baseUrl, token] = process.argv as [string, string, string, string];
const headers = { Authorization: `Bearer ${token}` };
const path = { tenantIdentifier: "demo" };

async function use(): Promise<void> {
  const api = createClient<paths>({ baseUrl, headers });
  const page = await api.GET("/agency-management/{tenantIdentifier}/agents", { params: { path, query: { pageSize: 2, sort: "lastName" } } });
  if (page.error) throw new Error(page.error.message);
  const agents: components["schemas"]["Agent"][] = page.data.items;
  const agentCode = agents[0]!.agentCode;

  const change = await api.PATCH("/agency-management/{tenantIdentifier}/teams/{team}/members/{agentCode}", {
    params: { path: { ...path, team: "default", agentCode }, query: { dryRun: true } },
    body: { membership: { level: 10 }, initiator: "clients" },
  });
  if (change.error) throw new Error(change.error.message);
  if (!("applied" in change.data)) throw new Error("a dry run answered a record");

  const refused = await api.GET("/agency-management/{tenantIdentifier}/agents", { params: { path, query: { pageSize: 0 } } });
  if (refused.error?.code !== "OUT_OF_RANGE") throw new Error("a page of no rows is allowed");

  client.setConfig({ baseUrl, headers });
  const again = await hey.agents({ path, query: { pageSize: 2, sort: "lastName" } });
  const typed: hey.Agent[] = again.data!.items;

  const third = await orval.agent(path.tenantIdentifier, agentCode, {}, { headers });
  if (third.status !== 200) throw new Error(`orval got ${third.status}`);

  console.log(JSON.stringify([agentCode, typed[0]!.agentCode, third.data.agentCode]));
}

void use();
