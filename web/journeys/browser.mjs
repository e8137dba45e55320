// A real browser at the workbench, and what every journey holds it to.
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const roles = { admin: "Administrator", recruiter: "Recruiter", analyst: "Analyst", agent: "Agent" };

/** Pages live for a second or two: what V8 would spend on making their code faster never comes back, an eighth of the time. */
const shortLived = ["--js-flags=--no-maglev --no-turbofan"];

/** Starts a browser, once no other is open: pages of the last one are forgotten. */
export function launch(executablePath, besides = shortLived) {
  for (const pages of free.values()) pages.length = 0;
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...besides] });
}

/** A browser for itself. It waits so long for what comes by itself, on a machine that is busy, too. */
export async function newContext(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000);
  return context;
}

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

/** Waits until something holds of what is read again and again, however slow the machine is. What it holds of is returned. */
export async function eventually(read, holds, what) {
  for (const end = Date.now() + 60_000; ; await new Promise((done) => setTimeout(done, 50))) {
    const found = await read();
    if (holds(found)) return found;
    check(Date.now() < end, `${what}: ${JSON.stringify(found)}`);
  }
}

const looks = { viewport: { width: 1400, height: 900 }, reducedMotion: "reduce", colorScheme: "light" };
const place = { locale: "en-US", timezoneId: "UTC" };

/** The person who signs in as the administrator with the agency's own provider, as { email, username, password }; none if the demo's click does it. */
const person = JSON.parse(process.env.UPLINE_JOURNEY_PERSON ?? "null");

/** Signs in with the provider that an e-mail address leads to. */
async function withProvider(page) {
  await page.getByLabel("Agency").fill("demo");
  await page.getByLabel("Username or e-mail address").fill(person.email);
  await page.getByRole("button", { name: "Sign in with my organisation" }).click();
  await page.locator("#username").fill(person.username);
  await page.locator("#password").fill(person.password);
  await page.getByRole("button", { name: "Login" }).click();
}

/** Opens a browser that signs in as a role, by the one click of the demo or with the agency's own provider. */
export async function signIn(browser, base, role, timezoneId = place.timezoneId) {
  const context = await newContext(browser, { ...looks, ...place, timezoneId });
  const page = await context.newPage();
  await page.goto(`${base}/workbench/`);
  if (person && role === "admin") await withProvider(page);
  else await page.getByRole("button", { name: new RegExp(`^${roles[role]}: `) }).click();
  await page.waitForURL(/\/workbench\/demo\//);
  return { context, page };
}

/** What the server answers to a document. It is not the page that asks: one that shows an answer may not. */
export const ask = async (page, query, variables) => {
  const headers = { "X-Upline-Request": "workbench", Origin: new URL(page.url()).origin };
  const answer = await page.request.post(new URL("/graphql/demo", page.url()).href, { headers, data: { query, variables } });
  return (await answer.json()).data;
};

/** Pages of each role that no journey has now. Each is a window of its own: one behind another is drawn once a second. */
const free = new Map(Object.keys(roles).map((role) => [role, []]));

/**
 * Opens a page as a role. What a page must never do is noted. A page that another journey
 * has left is loaded anew in a third of the time that the first page of a process takes.
 */
export async function open(browser, base, role, options = {}) {
  const page = free.get(role).pop() ?? (await signIn(browser, base, role)).page;
  const { viewport, ...media } = { ...looks, ...options };
  await page.setViewportSize(viewport);
  await page.emulateMedia(media);
  const watched = watch(page, base);
  return {
    page,
    go: async (path) => {
      await page.goto(`${base}/workbench/demo/${path}`);
      await settled(page);
    },
    asks: (what, action, besides = []) => asks(page, watched, what, action, besides),
    end: async () => {
      page.removeAllListeners();
      await leave(page, base);
      free.get(role).push(page);
      check(watched.faults.length === 0, watched.faults.join("; "));
    },
  };
}

/** Leaves a page to the next journey: at a small answer of the same host, so that nothing of this one goes on. */
async function leave(page, base) {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.goto(`${base}/.well-known/jwks.json`);
}

/** Who looks, and the history of the agency: what a page asks once, when it is opened. */
export const opening = ["Start", "History"];

/** How often an action asked the server, which is three times at most, besides what is named; the pages of a list count once. */
async function asks(page, watched, what, action, besides) {
  watched.requests = [];
  await action();
  await settled(page);
  // A message of what was done asks by itself whether it can be taken back.
  const own = watched.requests.filter((name) => !name.startsWith("Undoable"));
  for (const name of besides) if (own.includes(name)) own.splice(own.indexOf(name), 1);
  check(new Set(own).size <= 3, `${what} asks ${own.length} times: ${watched.requests.join(", ")}`);
  return own.length;
}

/** Notes what a page asks, and what it must not do. */
function watch(page, base) {
  const watched = { faults: [], requests: [] };
  const { faults } = watched;
  inflight.set(page, new Set());
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (url.protocol.startsWith("http") && url.origin !== base) faults.push(`asks another host: ${r.url()}`);
    if (!url.pathname.startsWith("/graphql/")) return;
    watched.requests.push(/"operationName":"(\w+)"/.exec(r.postData() ?? "")?.[1] ?? url.pathname);
    // A stream is open for as long as the page is.
    if (r.headers().accept?.includes("json")) inflight.get(page).add(r);
  });
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (r) => inflight.get(page).delete(r));
  page.on("pageerror", (error) => faults.push(`an error in the page: ${error.message}`));
  // A browser asks once for the icon of an answer that is no page, as the one that pages are left at.
  page.on("console", (m) => m.type() === "error" && !m.location().url.endsWith("/favicon.ico") && faults.push(`the console says: ${m.text()}`));
  return watched;
}

const inflight = new WeakMap();

/** Waits until the answers are there and drawn. */
export async function settled(page) {
  await page.waitForLoadState("load");
  // Nothing is said, and nothing asked, until the page knows who is signed in and where it is.
  await page.waitForFunction(() => document.body.innerText.trim() !== "");
  // An answer is drawn, and what is drawn may ask again: two frames tell.
  const frames = () => page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn)))));
  for (let quiet = 0; quiet < 3; quiet = inflight.get(page).size === 0 ? quiet + 1 : 0) await frames();
  await page.waitForFunction(() => !document.body.innerText.includes("Loading") && !document.querySelector('[aria-busy="true"]'));
}

/** Holds a page to the rules of accessibility (WCAG 2.2 AA as axe knows it). */
export async function accessible(page, where) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await import("node:fs").then((fs) => fs.readFileSync(axe, "utf8")));
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] }));
  const found = violations.map((v) => `${v.id} (${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")})`);
  check(found.length === 0, `${where}: ${found.join("; ")}`);
}

/** Holds a page to its width: only what scrolls in itself may be wider. */
export async function fits(page, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(over <= 0, `${where} is ${over} pixels too wide`);
}
