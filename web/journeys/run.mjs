// node run.mjs BASE CHROMIUM all|database|person [FOLDER]: walks the journeys at a demo server
// and prints what came of each, as JSON: all, those that depend on the database, or those of
// an administrator, to see that it does not matter how somebody signed in. With a folder,
// pictures of the pages go there.
import { launch } from "./browser.mjs";
import { changes } from "./changes.mjs";
import { elsewhere } from "./elsewhere.mjs";
import { explore } from "./explore.mjs";
import { hierarchy, timed } from "./hierarchy.mjs";
import { journeys } from "./journeys.mjs";
import { kept } from "./kept.mjs";
import { layers } from "./layers.mjs";
import { looks, pictures, roles } from "./pages.mjs";
import { properties } from "./properties.mjs";
import { quick } from "./quick.mjs";
import { records } from "./records.mjs";
import { phone } from "./phone.mjs";
import { playground, reference } from "./reference.mjs";
import { said } from "./said.mjs";
import { so } from "./so.mjs";
import { tasks } from "./tasks.mjs";
import { words } from "./words.mjs";

const sideBySide = 3;

const [, , base, executablePath, which, folder] = process.argv;
const isAll = which === "all";
// What the browser does with answers does not depend on the database: how pages look, in
// which browsers, and how fast they are, is looked at on one.
const done = Object.entries({ ...journeys, ...hierarchy, ...changes, ...quick, ...said, ...records, ...so, ...tasks, ...kept, ...explore, ...layers, ...properties });
// The longest begin first, so that nobody waits for them at the end.
const everything = [["try a request of the reference", reference], ["the playground keeps its variables", playground], ...roles(true), ...Object.entries(words), ...done, ...Object.entries(elsewhere), ...Object.entries(phone), ...looks];
let browser = await launch(executablePath);
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
// The everyday tasks, and what writes in another way than they do.
const besides = ["change a period", "correct a street of an application", "correct a past period", "what if, and apply", "import a file with a wrong row", "review and process an application", "why did the webhook fail, and send again", "an employee who sees one downline only", ...Object.keys(so), "who changed the bank account, really"];
const waiting = { all: everything, database: [...roles(false, ["admin", "agent"]), ...done.filter(([name]) => name in tasks || besides.includes(name))], person: Object.entries(tasks) }[which];
const walker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) await walkOne(next);
};
await Promise.all(Array.from({ length: sideBySide }, walker));
await browser.close();
browser = await launch(executablePath, []); // what is timed runs as it does for its users
for (const next of [...(isAll ? Object.entries(timed) : []), ...(folder ? pictures(folder) : [])]) await walkOne(next);
await browser.close();
console.log(JSON.stringify(results));
