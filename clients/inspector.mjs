// node inspector.mjs FILE: what GraphQL Inspector says of each change of a schema in a JSON
// file, [{ name, before, after }]: the paths of what breaks clients, as JSON.
import { readFileSync } from "node:fs";
import { CriticalityLevel, diff } from "@graphql-inspector/core";
import { buildSchema } from "graphql";

const results = [];
for (const { name, before, after } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const changes = await diff(buildSchema(before), buildSchema(after));
  results.push({ name, breaks: changes.filter((c) => c.criticality.level === CriticalityLevel.Breaking).map((c) => c.path ?? c.type) });
}
console.log(JSON.stringify(results));
