// graphql-codegen writes the types of what codegen.ts asks, which has to compile.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = async (file, ...arguments_) => (await promisify(execFile)(process.execPath, [file, ...arguments_])).stdout.trim();

export async function typed(url, token) {
  await run("node_modules/@graphql-codegen/cli/esm/bin.js", "--config", "codegen.mjs", "--silent");
  await run("node_modules/typescript/bin/tsc", "-p", "tsconfig.json");
  return run("__generated__/out/src/codegen.js", url, token);
}
