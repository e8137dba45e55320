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
    exec: `if (!pm.variables.get("token") || Date.now() > pm.variables.get("tokenUntil")) {
  const credentials = ["clientId", "clientSecret"].map((name) => pm.variables.get(name)).join(":");
  pm.sendRequest({ url: pm.variables.get("baseUrl") + "/oauth2/token", method: "POST",
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
const turnOf = ({ request }) => order.indexOf(request.url.path.at(-1) === "validation" ? "validation" : request.method);
// What was made last is removed first.
const inTurn = (a, b) => turnOf(a) - turnOf(b) || (a.request.method === "DELETE" ? -1 : 0);
// These are no other record's, so that each run has its own.
const unique = ["email", "emailAddress", "identifier", "governmentIdentifier"];

/** The variable that keeps the key of what a path has made. */
const kept = (path) => `${path[0]}-${path.findLast((part) => !part.startsWith(":"))}`;

const test = (lines) => ({ listen: "test", script: { type: "text/javascript", exec: lines } });

function adapt(item, creates, document) {
  const { request } = item;
  const path = request.url.path;
  const described = document.paths["/" + path.map((part) => part.replace(/^:(.*)/, "{$1}")).join("/")][request.method.toLowerCase()];
  // The converter makes values up where there is no example, and names where any will do.
  const examples = new Map(described.parameters.map((p) => [p.name, p.example]));
  request.url.query = request.url.query.filter(({ key }) => examples.has(key));
  for (const parameter of request.url.query) if (examples.get(parameter.key) === undefined) parameter.value = "";
  item.response = [];
  delete request.auth;
  request.header = (request.header ?? []).filter((h) => h.key === "Content-Type");
  const collection = path.slice(0, path.findLastIndex((part) => part.startsWith(":")));
  for (const variable of request.url.variable ?? []) {
    if (variable.key === "tenantIdentifier") variable.value = "{{tenant}}";
    else if (creates.has(kept(collection)) && path[collection.length] === `:${variable.key}`) variable.value = `{{${kept(collection)}}}`;
  }
  const lines = ['pm.test("succeeds", () => pm.expect(pm.response.code).to.be.within(200, 299));'];
  if (request.body?.raw) {
    const body = JSON.parse(request.body.raw);
    const key = request.method === "POST" ? creates.get(kept(path)) : undefined;
    if (typeof body[key] === "string" && !body[key].includes("-")) body[key] += "{{run}}";
    for (const name of unique) if (body[name]) body[name] = `{{run}}${body[name]}`;
    request.body.raw = JSON.stringify(body, null, 2);
  }
  if (request.method === "POST") {
    lines.push(`const made = pm.response.headers.get("Location");`, `if (made) pm.collectionVariables.set("${kept(path)}", made.split("/").pop());`);
  }
  if (path.at(-1) === "contract") lines.push('pm.collectionVariables.set("agent-onboarding-versions", pm.response.json().versionId);');
  item.event = [test(lines)];
  delete item.id;
}

// What a collection is set to when it is imported: the demo.
const demo = { baseUrl: "http://127.0.0.1:8080", tenant: "demo", clientId: "demo", clientSecret: "demo-secret", run: "1", token: "" };

/** The collection of a document, as text. */
export async function collection(document) {
  const converted = await convert(document);
  const items = converted.item.flatMap((folder) => folder.item.map((item) => ({ folder: folder.name, item })));
  const paths = items.map(({ item }) => ({ method: item.request.method, path: item.request.url.path }));
  const posts = paths.filter((p) => p.method === "POST" && p.path.at(-1) !== "validation").map((p) => kept(p.path));
  // What has a path of its own below the path that creates it, with the name of its key.
  const creates = new Map(
    paths.filter((p) => p.path.at(-1).startsWith(":") && posts.includes(kept(p.path))).map((p) => [kept(p.path), p.path.at(-1).slice(1)]),
  );
  creates.set("agent-onboarding-versions", "id");
  for (const { item } of items) adapt(item, creates, document);
  const folders = Map.groupBy ? Map.groupBy(items, (i) => i.folder) : items.reduce((m, i) => m.set(i.folder, [...(m.get(i.folder) ?? []), i]), new Map());
  const made = {
    info: { name: "Upline", description: document.info.description, schema: converted.info.schema },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    event: [fetchToken],
    variable: Object.entries(demo).map(([key, value]) => ({ key, value })),
    item: [...folders].map(([name, list]) => ({ name, item: list.map((i) => i.item).sort(inTurn) })),
  };
  return `${JSON.stringify(made, null, 1)}\n`;
}
