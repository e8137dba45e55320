// node check.mjs BASE: holds the document that a demo server publishes to the
// checkers and generators that its users have, and prints what came of each, as JSON.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";

import { collection } from "./postman.mjs";

const [, , base] = process.argv;
const here = import.meta.dirname;
const run = (program, ...arguments_) => promisify(execFile)(`${here}/node_modules/.bin/${program}`, arguments_, { cwd: here, maxBuffer: 1 << 26 });
const newman = createRequire(import.meta.url)("newman");
const collectionName = "upline.postman_collection.json";
const [spec, older] = ["generated/openapi.json", "generated/openapi-3.0.json"];

function demand(holds, what) {
  if (!holds) throw new Error(what);
}

async function token() {
  const answer = await fetch(`${base}/oauth2/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa("demo:demo-secret")}`, "Content-Type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  });
  return (await answer.json()).access_token;
}

async function redocly(file) {
  const { stdout } = await run("redocly", "lint", "--extends=recommended", "--format=json", file);
  const { totals, problems } = JSON.parse(stdout);
  demand(totals.errors + totals.warnings === 0, JSON.stringify(problems.slice(0, 3)).slice(0, 900));
}

const spectral = (file) => run("spectral", "lint", "--fail-severity=hint", "--quiet", "-r", ".spectral.yaml", file);

async function typescript() {
  await run("openapi-typescript", spec, "-o", "generated/schema.d.ts");
  await run("openapi-ts", "-i", `./${spec}`, "-o", "generated/hey");
  await run("orval", "--config", "orval.config.cjs");
  await run("tsc", "-p", "tsconfig.json");
  await writeFile(`${here}/generated/out/package.json`, '{"type":"commonjs"}');
  const { stdout } = await promisify(execFile)("node", [`${here}/generated/out/usage.js`, base, await token()], { cwd: here });
  const codes = JSON.parse(stdout);
  demand(codes.length === 3 && new Set(codes).size === 1, stdout);
}

async function postman() {
  const document = JSON.parse(await readFile(`${here}/${spec}`, "utf8"));
  const made = await collection(document);
  await writeFile(`${here}/generated/${collectionName}`, made);
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;
  const { executions, failures } = await new Promise((resolve, reject) =>
    newman.run({ collection: JSON.parse(made), envVar: Object.entries({ baseUrl: base, run: String(Date.now() % 100_000) }).map(([key, value]) => ({ key, value })), reporters: [] }, (error, summary) => (error ? reject(error) : resolve(summary.run))),
  );
  const asked = new Set(executions.map((e) => e.item.id)).size;
  demand(asked === operations, `${asked} of ${operations} operations were asked`);
  demand(failures.length === 0, failures.slice(0, 4).map((f) => `${f.source?.name}: ${f.error.message}`).join("; "));
  const published = await (await fetch(`${base}/docs/${collectionName}`)).text();
  demand(made === published, `out of date: cp clients/openapi/generated/${collectionName} app/pages/reference/page`);
}

const checks = {
  "Redocly, 3.1": () => redocly(spec),
  "Redocly, 3.0": () => redocly(older),
  "Spectral, 3.1": () => spectral(spec),
  "Spectral, 3.0": () => spectral(older),
  "openapi-typescript and openapi-fetch, hey-api, orval": typescript,
  "Postman, newman": postman,
};

await promisify(execFile)("mkdir", ["-p", `${here}/generated`]);
for (const file of [spec, older]) {
  await writeFile(`${here}/${file}`, await (await fetch(`${base}/${file.replace("generated/", "")}`)).text());
}
const results = [];
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    results.push({ name });
  } catch (error) {
    results.push({ name, problem: `${error.message ?? error} ${error.stdout ?? ""}`.slice(0, 1500) });
  }
}
console.log(JSON.stringify(results));
