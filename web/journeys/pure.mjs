// Modules of the workbench that draw nothing, for tests in Node.
import { build } from "vite";

/** Loads a module below web/src. */
export async function pure(path) {
  const entry = new URL(`../src/${path}`, import.meta.url).pathname;
  const { output } = await build({ configFile: false, logLevel: "silent", ssr: { noExternal: true }, build: { write: false, ssr: entry, target: "node20", minify: false } });
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
}
