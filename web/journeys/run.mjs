// node run.mjs BASE CHROMIUM [FOLDER]: walks the journeys at a demo server and
// prints what came of each, as JSON. With a folder, pictures of the pages go there.
import { launch } from "./browser.mjs";
import { elsewhere } from "./elsewhere.mjs";
import { journeys } from "./journeys.mjs";
import { pictures, surfaces } from "./pages.mjs";

const [, , base, executablePath, folder] = process.argv;
const browser = await launch(executablePath);
const results = [];
for (const [name, walk] of [...Object.entries({ ...journeys, ...elsewhere }), ...surfaces, ...(folder ? pictures(folder) : [])]) {
  const begun = Date.now();
  try {
    const said = await walk(browser, base);
    results.push({ name, ms: Date.now() - begun, said: said ?? "" });
  } catch (error) {
    results.push({ name, ms: Date.now() - begun, problem: String(error.message ?? error).slice(0, 1500) });
  }
}
await browser.close();
console.log(JSON.stringify(results));
