// node measure.mjs BASE CHROMIUM: measures at a demo server what docs/workbench.md says
// of speed, in the browser, and prints it. Compare figures of one machine only.
import { launch, open, settled } from "./browser.mjs";

/** Notes when the page last changed, in milliseconds since the navigation began. */
const watch = () => {
  window.lastChange = 0;
  new MutationObserver(() => requestAnimationFrame(() => (window.lastChange = performance.now()))).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const drawn = (page) => page.evaluate(() => Number(document.querySelector("canvas").dataset.drawn));
const cards = (page) => page.evaluate(() => Number(document.querySelector("canvas").dataset.cards));

/** Drags the canvas for two seconds, a step each frame, and counts the frames. */
const drag = (page) =>
  page.evaluate(async () => {
    const canvas = document.querySelector("canvas");
    const at = (type, x) => new MouseEvent(type, { bubbles: true, view: window, clientX: 600 + x, clientY: 450 + x / 2, button: 0, buttons: 1 });
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    canvas.dispatchEvent(at("mousedown", 0));
    const [before, begun] = [Number(canvas.dataset.drawn), performance.now()];
    for (let x = 0; performance.now() - begun < 2000; x = (x + 5) % 300) {
      window.dispatchEvent(at("mousemove", x));
      await frame();
    }
    const frames = Number(canvas.dataset.drawn) - before;
    const seconds = (performance.now() - begun) / 1000;
    window.dispatchEvent(at("mouseup", 0));
    return Math.round(frames / seconds);
  });

async function firstView(o, base) {
  const took = [];
  for (let i = 0; i < 5; i++) {
    await o.page.goto(`${base}/workbench/demo/hierarchy`);
    await settled(o.page);
    took.push(Math.round(await o.page.evaluate(() => window.lastChange)));
  }
  return `${median(took)} ms to the last paint (${took.join(", ")})`;
}

/** How long a step of the day takes until the new day is drawn. */
async function moveTheDay(o) {
  await o.go(`hierarchy?open=${encodeURIComponent('["A1000+"]')}`);
  const took = [];
  await o.page.getByRole("slider").focus();
  for (let i = 0; i < 5; i++) {
    await o.page.evaluate(() => {
      window.moved = new Promise((done) => {
        const chart = document.querySelector(".chart");
        const begun = performance.now();
        new MutationObserver((_, o) => {
          if (document.querySelector(".chart")?.getAttribute("aria-busy") !== "false" || performance.now() - begun < 5) return;
          o.disconnect();
          requestAnimationFrame(() => done(performance.now() - begun));
        }).observe(chart, { attributes: true, attributeFilter: ["aria-busy"] });
      });
    });
    await o.page.keyboard.press("ArrowLeft");
    took.push(Math.round(await o.page.evaluate(() => window.moved)));
    await settled(o.page);
  }
  return `${await cards(o.page)} cards: ${median(took)} ms (${took.join(", ")})`;
}

/** Opens the largest parts of the agency until 5,000 cards are there, and drags them. */
async function pan(o) {
  const { page } = o;
  await o.go("hierarchy");
  const found = await page.evaluate(async () => {
    const headers = { "Content-Type": "application/json", "X-Upline-Request": "workbench" };
    const ask = async (query) => (await (await fetch("/graphql/demo", { method: "POST", headers, body: JSON.stringify({ query }) })).json()).data;
    const tree = (maxNodes) => `downlineTree(depth: 1, maxNodes: ${maxNodes}) { nodes { agentCode downlineCount } }`;
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
const browser = await launch(executablePath);
const o = await open(browser, base, "analyst", { reducedMotion: "no-preference" });
await o.page.addInitScript(watch);
await o.go("hierarchy");
console.log(`first view: ${await firstView(o, base)}`);
console.log(`moving the day: ${await moveTheDay(o)}`);
console.log(`panning: ${await pan(o)}`);
await browser.close();
