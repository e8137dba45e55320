// Makes a Postman collection from an OpenAPI document: it fetches its token, makes
// what it needs, uses it, and removes it again, so that it can run as it is.
import converter from "openapi-to-postmanv2";

const options = { requestParametersResolution: "Example", parametersResolution: "Example", folderStrategy: "Tags", enableOptionalParameters: false };

const convert = (data) =>
  new Promise((resolve, reject) =>
    converter.convertV2({ type: "json", data }, options, (error, made) => (error || !made.result ? reject(error ?? new Error(made.reason)) : resolve(made.output[0].data))),
  );

const fetchToken = {
  listen: "prerequest",
  script: {
    type: "text/javascript",
    exec: `if (!pm.collectionVariables.get("token") || Date.now() > pm.collectionVariables.get("tokenUntil")) {
  const credentials = ["clientId", "clientSecret"].map((name) => pm.collectionVariables.get(name)).join(":");
  pm.sendRequest({ url: pm.collectionVariables.get("baseUrl") + "/oauth2/token", method: "POST",
    header: { Authorization: "Basic " + btoa(credentials), "Content-Type": "application/x-www-form-urlencoded" },
    body: { mode: "raw", raw: "grant_type=client_credentials" } }, (error, response) => {
    if (error || response.code !== 200) throw new Error("no token: " + (error || response.text()));
    pm.collectionVariables.set("token", response.json().access_token);
    pm.collectionVariables.set("tokenUntil", Date.now() + 1000 * (response.json().expires_in - 60));
  });
}`.split("\n"),
  },
};

// What a request is done with, in the order that lets one build on the other: what
// is asked about an application comes when it is complete.
const order = ["POST", "GET", "PATCH", "PUT", "validation", "DELETE"];
const turn = ({ request }) => order.indexOf(request.url.path.at(-1) === "validation" ? "validation" : request.method);
// These are no other record's, so that each run has its own.
const unique = ["email", "emailAddress", "identifier"];

/** The variable that keeps the key of what a path has made. */
const kept = (path) => path.filter((part) => !part.startsWith(":")).join("-");

const test = (lines) => ({ listen: "test", script: { type: "text/javascript", exec: lines } });

function adapt(item, creates) {
  const { request } = item;
  const path = request.url.path;
  item.response = [];
  delete request.auth;
  request.header = (request.header ?? []).filter((h) => h.key === "Content-Type");
  const collection = path.slice(0, path.findLastIndex((part) => part.startsWith(":")));
  for (const variable of request.url.variable ?? []) {
    if (variable.key === "tenantIdentifier") variable.value = "{{tenant}}";
    else if (creates.has(kept(collection)) && path[collection.length] === `:${variable.key}`) variable.value = `{{${kept(collection)}}}`;
  }
  const lines = ['pm.test("succeeds", () => pm.expect(pm.response.code).to.be.within(200, 299));'];
  if (request.method === "POST" && request.body?.raw) {
    const body = JSON.parse(request.body.raw);
    const key = creates.get(kept(path));
    if (typeof body[key] === "string" && !body[key].includes("-")) body[key] += "{{run}}";
    for (const name of unique) if (body[name]) body[name] = `{{run}}${body[name]}`;
    request.body.raw = JSON.stringify(body, null, 2);
    lines.push(`const made = pm.response.headers.get("Location");`, `if (made) pm.collectionVariables.set("${kept(path)}", made.split("/").pop());`);
  }
  if (path.at(-1) === "contract") lines.push('pm.collectionVariables.set("agent-onboarding-contract-versions", pm.response.json().versionId);');
  item.event = [test(lines)];
  delete item.id;
}

/** The collection of a document, for a server, a tenant and a client. */
export async function collection(document, { baseUrl, tenant, clientId, clientSecret }) {
  const made = await convert(document);
  const items = made.item.flatMap((folder) => folder.item.map((item) => ({ folder: folder.name, item })));
  const paths = items.map(({ item }) => ({ method: item.request.method, path: item.request.url.path }));
  const posts = paths.filter((p) => p.method === "POST" && p.path.at(-1) !== "validation").map((p) => kept(p.path));
  // What has a path of its own below the path that creates it, with the name of its key.
  const creates = new Map(
    paths.filter((p) => p.path.at(-1).startsWith(":") && posts.includes(kept(p.path))).map((p) => [kept(p.path), p.path.at(-1).slice(1)]),
  );
  creates.set("agent-onboarding-contract-versions", "id");
  for (const { item } of items) adapt(item, creates);
  const folders = Map.groupBy ? Map.groupBy(items, (i) => i.folder) : items.reduce((m, i) => m.set(i.folder, [...(m.get(i.folder) ?? []), i]), new Map());
  const variable = Object.entries({ baseUrl, tenant, clientId, clientSecret, run: "1", token: "" }).map(([key, value]) => ({ key, value }));
  return {
    info: { name: "Upline", description: document.info.description, schema: made.info.schema },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    event: [fetchToken],
    variable,
    item: [...folders].map(([name, list]) => ({ name, item: list.map((i) => i.item).sort((a, b) => turn(a) - turn(b)) })),
  };
}
