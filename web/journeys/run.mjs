// node run.mjs BASE CHROMIUM all|database [FOLDER]: walks the journeys at a demo server and
// prints what came of each, as JSON; those that depend on the database, or all. With a
// folder, pictures of the pages go there.
import { launch } from "./browser.mjs";
import { changes } from "./changes.mjs";
import { elsewhere } from "./elsewhere.mjs";
import { hierarchy, timed } from "./hierarchy.mjs";
import { journeys } from "./journeys.mjs";
import { looks, pictures, roles } from "./pages.mjs";
import { reference } from "./reference.mjs";

const sideBySide = 3;

const [, , base, executablePath, which, folder] = process.argv;
const everywhere = [...Object.entries({ ...journeys, ...hierarchy, ...changes }), ...roles(which === "all")];
const once = [...Object.entries(elsewhere), ...looks];
// The longest begins first, so that nobody waits for it at the end.
const longest = ["try a request of the reference", reference];
const browser = await launch(executablePath);
const results = [];

async function walkOne([name, walk]) {
  const begun = Date.now();
  try {
    const said = await walk(browser, base);
    results.push({ name, ms: Date.now() - begun, said: said ?? "" });
  } catch (error) {
    results.push({ name, ms: Date.now() - begun, problem: String(error.message ?? error).slice(0, 1500) });
  }
}

// Whoever is free takes the next. What counts frames is alone.
const waiting = which === "all" ? [longest, ...everywhere, ...once] : everywhere;
const walker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) await walkOne(next);
};
await Promise.all(Array.from({ length: sideBySide }, walker));
for (const next of [...Object.entries(timed), ...(folder ? pictures(folder) : [])]) await walkOne(next);
await browser.close();
console.log(JSON.stringify(results));
