// Shows the OpenAPI document of this server by what people want to do, with the GraphQL
// that each operation runs. Requests and tokens go to this server by the name that the
// browser knows it by; a demo's client and agency are filled in.

// Groups of tasks, each with the resources that it is about: the first part of a path that
// names something.
const tasks = {
  People: { Agents: ["agents", "aliases"], "Licences and appointments": ["certifications"], Tags: ["tags"] },
  "Hierarchy and pay": { "Uplines and levels": ["assigned-uplines", "assigned-levels", "members", "upline-members", "downline-members"], "Pay status and W9": ["assigned-statuses", "w9s"] },
  "Reference data": { "Levels and pay statuses": ["agent-levels", "pay-statuses"], "Certification types and jurisdictions": ["certification-types", "jurisdictions"] },
  Recruiting: { Applications: ["applications"], "What recruits are asked": ["app-configuration", "background-questions", "contract", "contract-covenants"] },
  Insights: { "Queries and reports": ["queries", "report-recipes"] },
  Administration: { "Users and roles": ["users", "roles"], Webhooks: ["subscriptions"] },
};

// What people call an operation, where it says something else.
const called = {
  agentRegister: "hire, onboard, new agent",
  agentDelete: "erase, remove, forget",
  agentUpdate: "rename, e-mail, NPN, birth date",
  agentContactUpdate: "address, phone",
  agentPayeeUpdate: "bank account, direct deposit, suspend now",
  payStatusPeriodApply: "suspend, reinstate, terminate, leave of absence",
  uplinePeriodApply: "move, reorganise, change the upline, transfer",
  levelPeriodApply: "promote, demote, change the level",
  agentMembershipUpdate: "move, promote, demote, transfer",
  certificationUpsert: "licence, license, appointment, renew",
  certificationPeriodApply: "renew, expire, licence, license, appointment",
  downlineMembers: "team, everybody below, hierarchy, tree",
  uplineMembers: "chain, everybody above, hierarchy, tree",
  applicationCreate: "recruit, invite",
  applications: "recruits, review queue",
  userCreate: "invite, new login",
  insight: "analytics, report, leaderboard",
};

const verbs = { Register: "Register", Create: "Create", Update: "Change", Upsert: "Add or change", Apply: "Apply", Replace: "Replace", Delete: "Delete" };
const apart = (name) => name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

// A short title, such as "Apply pay status period" of payStatusPeriodApply.
function titleOf({ operationId }) {
  const [, noun, verb] = /^(.+?)([A-Z][a-z]*)$/.exec(operationId) ?? [];
  if (verbs[verb]) return `${verbs[verb]} ${apart(noun)}`;
  return `Read ${apart(operationId)}`;
}

const resourceOf = (path) => path.split("/").slice(2).find((part) => !part.startsWith("{") && !["teams", "payees"].includes(part));

// A token of the demo's client, so that the first click on Send is answered.
const tokenOf = async ({ clientId, secret }, url) => {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: secret });
  return (await (await fetch(url, { method: "POST", body })).json()).access_token;
};

const optional = async (path) => (await fetch(path).catch(() => null))?.json().catch(() => null);

(async () => {
  const [content, demo] = await Promise.all([fetch("/openapi.json").then((answer) => answer.json()), optional("/playground/config.json")]);
  const [tenant] = demo?.tenants ?? [];
  const client = demo?.clients?.find((c) => c.tenant === tenant);
  const here = (url) => new URL(new URL(url, location.origin).pathname, location.origin).href;
  content.servers = [{ url: location.origin, description: "This server." }];
  const { flows } = content.components.securitySchemes.oauth2;
  for (const flow of Object.values(flows)) {
    for (const name of ["tokenUrl", "authorizationUrl", "refreshUrl"]) {
      if (flow[name]) flow[name] = here(flow[name]);
    }
  }
  flows.authorizationCode["x-usePkce"] = "SHA-256";
  const { authorizationCode, ...programs } = flows;
  if (client) content.components.securitySchemes.oauth2.flows = { ...programs, authorizationCode }; // the first is chosen
  const names = Object.fromEntries(Object.values(tasks).flatMap((group) => Object.entries(group).flatMap(([name, resources]) => resources.map((resource) => [resource, name]))));
  for (const [path, item] of Object.entries(content.paths)) {
    for (const operation of Object.values(item)) {
      operation.tags = [names[resourceOf(path)] ?? operation.tags[0]];
      operation.summary = titleOf(operation);
      if (called[operation.operationId]) operation.description += `\n\nFor: ${called[operation.operationId]}.`;
      operation.description += `\n\n<details><summary>The GraphQL that it runs</summary>\n\n\`\`\`graphql\n${operation["x-graphql"].trim()}\n\`\`\`\n\n</details>`;
      for (const parameter of operation.parameters ?? []) {
        if (tenant && parameter.name === "tenantIdentifier") parameter.example = tenant;
      }
    }
  }
  content.tags = Object.values(tasks).flatMap((group) => Object.keys(group).map((name) => ({ name })));
  content["x-tagGroups"] = Object.entries(tasks).map(([name, group]) => ({ name, tags: Object.keys(group) }));
  Scalar.createApiReference("#reference", {
    content,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    mcp: { disabled: true },
    agent: { disabled: true },
    persistAuth: false,
    documentDownloadType: "none",
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    authentication: {
      preferredSecurityScheme: "oauth2",
      securitySchemes: client && { oauth2: { flows: { clientCredentials: { token: await tokenOf(client, flows.clientCredentials.tokenUrl), "x-scalar-client-id": client.clientId, clientSecret: client.secret } } } },
    },
  });
})();
