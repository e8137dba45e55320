// The hierarchy: opened, moved in time, compared, reorganised as a trial, and how fast.
import { accessible, check, open, opening } from "./browser.mjs";

async function redrawTheTree(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("hierarchy?open=%5B%22A1000%2B%22%5D");
  const drawn = () => page.evaluate(() => Number(document.querySelector("canvas").dataset.drawn));
  const before = await drawn();
  const begun = Date.now();
  await asks("moving the day", async () => {
    await page.getByRole("slider").focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((n) => Number(document.querySelector("canvas").dataset.drawn) > n, before);
  });
  const took = Date.now() - begun;
  check(took < 3000, `the day moved in ${took} ms`);
  // Panning redraws; count the frames of a second.
  const box = await page.locator("canvas").boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  const [from, start] = [await drawn(), Date.now()];
  for (let i = 0; i < 60; i++) await page.mouse.move(box.x + 300 + 3 * i, box.y + 300 - 2 * i);
  await page.mouse.up();
  const frames = (1000 * ((await drawn()) - from)) / (Date.now() - start);
  check(frames >= 15, `${Math.round(frames)} frames a second`);
  await end();
  return `the day moved in ${took} ms, settling included; ${Math.round(frames)} frames a second`;
}

async function compareTwoDays(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("hierarchy");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByLabel("With the day").fill("2025-01-01");
  await asks("comparing", () => page.getByRole("dialog").getByRole("button", { name: "Compare" }).click());
  const said = await page.getByText(/\d+ joined, \d+ left, \d+ moved/).innerText();
  check(!said.startsWith("0 joined"), `nobody joined: ${said}`);
  await asks("showing who joined", () => page.getByRole("region", { name: "What differs" }).getByRole("listitem").first().getByRole("button").click());
  check(page.url().includes("agent="), "who joined is not shown");
  await end();
  return said;
}

async function whatIf(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("hierarchy?agent=A1007");
  await page.getByRole("button", { name: "Move, as a trial" }).click();
  const basket = page.getByRole("region", { name: "What if" });
  await basket.getByRole("textbox", { name: "Move A1007 below" }).fill("A1010");
  await page.getByRole("option", { name: /A1010/ }).click();
  await asks("the preview", () => basket.getByRole("button", { name: "Preview" }).click());
  const effect = await basket.getByText(/agents are affected/).innerText();
  await accessible(page, "the basket");
  await basket.getByRole("button", { name: "Apply all" }).click();
  await basket.getByText(/moves were applied/).waitFor();
  await go("agents/A1007");
  check((await page.getByRole("region", { name: "Identity" }).innerText()).includes("A1010"), "the move was not applied");
  await end();
  return effect;
}

async function firstView(browser, base) {
  const { page, end } = await open(browser, base, "analyst");
  await page.goto(`${base}/workbench/demo/hierarchy`);
  await page.waitForFunction(() => Number(document.querySelector("canvas")?.dataset.drawn) > 0);
  const took = Math.round(await page.evaluate(() => performance.now()));
  await end();
  return `the hierarchy stood after ${took} ms`;
}

/** Whoever is there no more is drawn going, and what was drawn is gone afterwards. */
async function leave(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst", { reducedMotion: "no-preference" });
  await go("hierarchy?open=%5B%22A1000%2B%22%5D");
  const leaving = (compare) => page.waitForFunction(compare);
  await page.getByRole("slider").focus();
  const seen = leaving(() => Number(document.querySelector("canvas").dataset.leaving) > 0);
  await page.keyboard.press("Home");
  await seen;
  await leaving(() => document.querySelector("canvas").dataset.leaving === "0");
  const said = await page.getByText(/not there yet/).innerText();
  await end();
  return said;
}

/** Opens everybody, step by step, each step in three requests at most. */
async function openEverybody(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("hierarchy");
  const cards = () => page.evaluate(() => Number(document.querySelector("canvas").dataset.cards));
  const roots = await page.evaluate(async () => {
    const query = "{ team { roots(first: 20) { nodes { agentCode } } } }";
    const answer = await fetch("/graphql/demo", { method: "POST", headers: { "Content-Type": "application/json", "X-Upline-Request": "workbench" }, body: JSON.stringify({ query }) });
    return (await answer.json()).data.team.roots.nodes.map((n) => n.agentCode);
  });
  await asks("opening everybody", () => page.goto(`${base}/workbench/demo/hierarchy?open=${encodeURIComponent(JSON.stringify(roots.map((code) => `${code}*`)))}`), opening);
  const more = page.getByRole("button", { name: "Read on" });
  let steps = 0;
  for (; (await more.count()) > 0; steps++) await asks("reading on", () => more.click());
  check(steps > 0 && (await cards()) > 1000, `${await cards()} cards after ${steps} steps`);
  await end();
  return `${steps} steps`;
}

export const hierarchy = {
  "who leaves is drawn leaving": leave,
  "open everybody": openEverybody,
  "compare two days": compareTwoDays,
  "what if, and apply": whatIf,
};

/** What looks at a clock: nothing else is done meanwhile. */
export const timed = { "redraw the tree": redrawTheTree, "first view": firstView };
