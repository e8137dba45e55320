// node measure.mjs BASE CHROMIUM: measures at a demo server what docs/workbench.md says
// of speed, in the browser, and prints it. Compare figures of one machine only.
import { launch, open } from "./browser.mjs";
import { cards, drag, firstView, moveTheDay, tried, watch } from "./timing.mjs";

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Opens the largest parts of the agency until 5,000 cards are there, and drags them. */
async function pan(o) {
  const { page } = o;
  await o.go("hierarchy");
  const found = await page.evaluate(async () => {
    const headers = { "Content-Type": "application/json", "X-Upline-Request": "workbench" };
    const ask = async (query) => (await (await fetch("/graphql/demo", { method: "POST", headers, body: JSON.stringify({ query }) })).json()).data;
    const tree = (maxNodes) => `downlineTree(maxDepth: 1, maxNodes: ${maxNodes}) { nodes { agentCode downlineCount } }`;
    const largest = (nodes) => nodes.sort((a, b) => b.downlineCount - a.downlineCount);
    const { team } = await ask(`{ team { roots(first: 20) { nodes { ${tree(1)} } } } }`);
    const [root] = largest(team.roots.nodes.map((r) => r.downlineTree.nodes[0]));
    const { agent } = await ask(`{ agent(agentCode: "${root.agentCode}") { ${tree(900)} } }`);
    return [root, ...largest(agent.downlineTree.nodes.slice(1))];
  });
  const parts = [`${found.shift().agentCode}+`];
  for (let n = 0; n < 7000 && found.length > 0 && parts.length < 80; ) {
    const next = found.shift();
    n += Math.min(1100, next.downlineCount);
    parts.push(`${next.agentCode}*`);
  }
  await o.go(`hierarchy?open=${encodeURIComponent(JSON.stringify(parts))}`);
  const more = page.getByRole("button", { name: "Read on" });
  while ((await cards(page)) < 5000 && (await more.count()) > 0) await o.asks("reading on", () => more.click());
  const near = await drag(page);
  await page.getByRole("button", { name: "Show everything" }).click();
  const all = await drag(page);
  return `${await cards(page)} cards: ${near} frames a second near, ${all} with all of them in sight`;
}

const [, , base, executablePath] = process.argv;
const browser = await launch(executablePath, []);
const o = await open(browser, base, "analyst", { reducedMotion: "no-preference" });
await o.page.addInitScript(watch);
await o.go("hierarchy");
const { found: first } = await tried(firstView(o, base));
console.log(`first view: ${median(first)} ms to the last paint (${first.join(", ")})`);
await o.go(`hierarchy?open=${encodeURIComponent('["A1000+"]')}`);
const { found: moved } = await tried(moveTheDay(o));
console.log(`moving the day: ${await cards(o.page)} cards: ${median(moved)} ms (${moved.join(", ")})`);
console.log(`panning: ${await pan(o)}`);
await browser.close();
