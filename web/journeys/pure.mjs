// Modules of the workbench that draw nothing, for tests in Node.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { build } from "vite";

const at = (path) => new URL(`../${path}`, import.meta.url).pathname;

/** Loads a module below web/src. */
export async function pure(path) {
  if (!existsSync(at("src/inputs.ts"))) execFileSync(process.execPath, [at("scripts/codegen.mjs")]);
  const entry = at(`src/${path}`);
  const { output } = await build({ configFile: false, logLevel: "silent", ssr: { noExternal: true }, build: { write: false, ssr: entry, target: "node20", minify: false } });
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
}
