// A real browser at the workbench, and what every journey holds it to.
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const roles = { admin: "Administrator", recruiter: "Recruiter", analyst: "Analyst", agent: "Agent" };

export const launch = (executablePath) => chromium.launch({ executablePath, headless: true, args: flags });

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

const sessions = new Map();

/** The cookies of a role, which signs in once, by the one click of the demo. */
function signedIn(browser, base, role) {
  const signIn = async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${base}/workbench/`);
    await page.getByRole("button", { name: new RegExp(`^${roles[role]}: `) }).click();
    await page.waitForURL(/\/workbench\/demo\//);
    const state = await context.storageState();
    await context.close();
    return state;
  };
  if (!sessions.has(role)) sessions.set(role, signIn());
  return sessions.get(role);
}

/** Opens a page as a role. What a page must never do is noted. */
export async function open(browser, base, role, options = {}) {
  const storageState = await signedIn(browser, base, role);
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce", locale: "en-US", timezoneId: "UTC", storageState, ...options });
  const page = await context.newPage();
  const faults = [];
  let requests = [];
  inflight.set(page, new Set());
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (url.protocol.startsWith("http") && url.origin !== base) faults.push(`asks another host: ${r.url()}`);
    if (!url.pathname.startsWith("/graphql/")) return;
    requests.push(/"operationName":"(\w+)"/.exec(r.postData() ?? "")?.[1] ?? url.pathname);
    // A stream is open for as long as the page is.
    if (r.headers().accept?.includes("json")) inflight.get(page).add(r);
  });
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (r) => inflight.get(page).delete(r));
  page.on("pageerror", (error) => faults.push(`an error in the page: ${error.message}`));
  page.on("console", (m) => m.type() === "error" && faults.push(`the console says: ${m.text()}`));
  page.setDefaultTimeout(30_000);
  return {
    page,
    go: async (path) => {
      await page.goto(`${base}/workbench/demo/${path}`);
      await settled(page);
    },
    /** How often an action asked the server, which is three times at most, besides what every page asks when it is opened. */
    asks: async (what, action) => {
      requests = [];
      await action();
      await settled(page);
      const own = requests.filter((name) => !ofEveryPage.includes(name));
      check(own.length <= 3, `${what} asks ${own.length} times: ${requests.join(", ")}`);
      return own.length;
    },
    end: async () => {
      await context.close();
      check(faults.length === 0, faults.join("; "));
    },
  };
}

const inflight = new WeakMap();

/** Who looks, and the history of the agency. */
const ofEveryPage = ["Start", "History"];

/** Waits until the answers are there and drawn. */
export async function settled(page) {
  await page.waitForLoadState("load");
  // An answer is drawn, and what is drawn may ask again: two frames tell.
  const frames = () => page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn)))));
  for (let quiet = 0; quiet < 3; quiet = inflight.get(page).size === 0 ? quiet + 1 : 0) await frames();
  await page.waitForFunction(() => !document.body.innerText.includes("Loading") && !document.querySelector('[aria-busy="true"]'));
}

/** Holds a page to the rules of accessibility (WCAG 2.2 AA as axe knows it). */
export async function accessible(page, where) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await import("node:fs").then((fs) => fs.readFileSync(axe, "utf8")));
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
  const found = violations.map((v) => `${v.id} (${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")})`);
  check(found.length === 0, `${where}: ${found.join("; ")}`);
}

/** Holds a page to its width: only what scrolls in itself may be wider. */
export async function fits(page, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(over <= 0, `${where} is ${over} pixels too wide`);
}
