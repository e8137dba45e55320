// What people read is in the words of the office: every page is walked, with whatever opens
// on it, and a name of the API is found among its texts.
import { check, open, settled } from "./browser.mjs";

/** The page of files, with one that was chosen. */
const chosen = "files?";
const itsRows = "Agent code,Status,From,Zork,Agent NPN\nA1015,Zorked,2026-01-01,1,\nA9999999,Suspended,2026-01-01,2,\n";

/** Every page, and the parts of it that have an address. */
const lists = ["agents", "certifications", "uplinePeriods", "levelPeriods", "payStatusPeriods", "w9Periods", "aliases", "tagAssignments"];
const states = encodeURIComponent('["US-TX","US-NY"]');
const places = {
  hierarchy: ["hierarchy?compare=2026-03-01", "hierarchy?agent=A1006"],
  lists: lists.map((list) => `lists/${list}`),
  "an agent": ["agents/A1006", ...["changes", "reveals", "events"].map((what) => `agents/A1006?what=${what}`)],
  "who may sell": [`authorizations?agent=A1006&below=true&states=${states}`, "authorizations?tab=products"],
  insights: ["insights?report=query:headcount", "insights?build=new"],
  onboarding: ["ACTIVE", "HOLD", "COMPLETE", "PAID", "PROCESSED", "REJECTED"].map((status) => `onboarding?status=${status}`),
  webhooks: ["webhooks"],
  files: ["files", chosen],
  users: ["users", "roles", "providers"].map((tab) => `administration?tab=${tab}`),
  "reference data": ["reference", "settings"].map((tab) => `administration?tab=${tab}`),
  clients: ["administration?tab=clients"],
  "the audit trail": ["administration?tab=audit", "administration?tab=audit&what=reveals"],
  explore: ["explore"],
};

/** Proper names, and what an office writes in capitals. */
const known = new Set("GraphQL GraphiQL OpenID YouTube CSV XLSX JSON JSONL SVG PNG URL URI NPN NAIC SSN EIN SIN ITIN ZIP REST API HTTP HTTPS OAuth UTC CST CDT USD LLC US CA W-9 MCP SCIM".split(" "));

/** What looks like a name that programs have, in a text for people. */
function namesIn(text) {
  // Addresses of the web and of people, and the codes that an agency gives, are what they are.
  const plain = text.replace(/\b(https?:\/\/|[\w.+-]+@)\S+/g, " ");
  const found = plain.match(/\bdocs\/\S+|\b[a-z]+(-[a-z]+)*(:[a-z-]+)+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}(_[A-Z0-9]+)+\b|\b[A-Z]{4,}\b(?!-\d)|\$\w+/g) ?? [];
  return found.filter((name) => !known.has(name) && !/^(Mc|Mac|De|Di|O)[A-Z][a-z]+$/.test(name));
}

/**
 * The texts in sight, and what a reader hears instead: of all, but for what programs are
 * told, which stands in pre, code and the editor, and for what the agency itself has typed.
 */
const readTexts = (page) =>
  page.evaluate(() => {
    const isHidden = (of) => of.closest("pre, code, kbd, script, style, noscript, textarea, .cm-editor, [data-own]");
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.data.trim() && !isHidden(node.parentElement)) texts.push(node.data.trim());
    for (const of of document.querySelectorAll("[aria-label], [title], [placeholder], [alt], input")) if (!isHidden(of)) texts.push(of.ariaLabel, of.title, of.placeholder, of.alt, of.readOnly || of.getAttribute("aria-haspopup") ? of.value : "");
    return texts.filter(Boolean);
  });

/** What is pressed on a page: of buttons alike, such as those of each row or of a drawing, the first. */
const alike = (name) => name.replace(/\b[A-Z]*\d[\w-]*\b/g, "#").replace(/^(Change|Delete|Open|Close|Forget|Revoke|Remove|Undo|New rule of|Send again:|What is in the way of|New key of|Retire) .*/, "$1");

/** Leads away, begins to play, or signs out. */
const leftAlone = /^(Sign (in|out)|Third-party|Play|Pages|Use the|Signed in|As GraphQL|Retire|GraphiQL|The reference|Got it|No more hints|Back)/;

const press = 'button:not([disabled]):not([role="tab"]), [role="menuitem"], summary, input[aria-haspopup="listbox"]:not([disabled]), svg [role="button"]';

/** Waits until what was pressed has its answer, and is drawn. */
async function calm(page) {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
  if (await page.evaluate(() => document.body.textContent.includes("Loading") || document.querySelector('[aria-busy="true"], [data-loading]') !== null)) await settled(page);
}

/** Reads what is in sight within an element, and what opens below it, to a depth. */
async function walk(page, found, where, within, depth, pressed) {
  const note = async (at) => {
    for (const text of await readTexts(page)) for (const name of namesIn(text)) if (!found.has(name)) found.set(name, `${at}: ${text.slice(0, 140)}`);
  };
  await note(where);
  if (depth === 0) return;
  const scope = () => page.locator(within).last();
  const layers = () => page.locator(layer).count();
  const names = await scope().locator(press).evaluateAll((all) => all.map((one) => (one.checkVisibility() ? (one.closest("svg") && "A drawing") || one.ariaLabel || one.labels?.[0]?.innerText || one.textContent.trim() || one.placeholder || "" : null)));
  for (const [i, name] of names.entries()) {
    if (name === null || name === "Close" || leftAlone.test(name) || pressed.has(alike(name))) continue;
    pressed.add(alike(name));
    const control = scope().locator(press).nth(i);
    if (!(await control.isVisible())) continue;
    const [url, before] = [page.url(), await layers()];
    // What goes away while the page settles is not there to be pressed.
    if (!(await control.dispatchEvent("click", {}, { timeout: 5_000 }).then(() => true, () => false))) continue;
    await calm(page);
    const at = `${where} › ${name}`;
    if ((await layers()) > before) await walk(page, found, at, layer, depth - 1, new Set(pressed));
    else await note(at);
    for (let n = 0; n < 4 && (await layers()) > before; n++) {
      await page.keyboard.press("Escape");
      await calm(page);
      const discard = page.getByRole("button", { name: "Discard", exact: true });
      if (await discard.isVisible()) await discard.click();
    }
    // What neither Escape nor a button closes is left by opening the page anew.
    const isStuck = (await layers()) > before;
    if (page.url() === url && !isStuck) continue;
    if (within !== "main") return;
    await page.goto(url);
    await settled(page);
  }
}

/** What opens above a page. */
const layer = '[role="dialog"]:visible, [role="menu"]:visible, [role="listbox"]:visible, .mantine-Popover-dropdown:visible';

/** Walks pages, with whatever opens on them. Nothing is changed: a change is answered as refused. */
const readsWell = (paths) => async (browser, base) => {
  const { page, go, end } = await open(browser, base, "admin");
  await page.route("**/graphql/**", (route) => {
    const body = route.request().postData() ?? "";
    if (!/"query":"\s*mutation/.test(body) || /"dryRun":true/.test(body)) return route.continue();
    return route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify({ errors: [{ message: "Not now." }] }) });
  });
  const [found, pressed] = [new Map(), new Set()];
  for (const path of paths) {
    await go(path);
    if (path === chosen) await page.locator('input[type="file"]').setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from(itsRows) });
    await settled(page);
    const first = page.getByRole("region", { name: "Applications" }).getByRole("button").first();
    if (await first.isVisible()) {
      await first.click();
      await settled(page);
    }
    await walk(page, found, path, "main", 2, pressed);
  }
  await end();
  check(found.size === 0, [...found].map(([name, where]) => `${name} (${where})`).join("\n"));
  return `${pressed.size} controls`;
};

export const words = Object.fromEntries(Object.entries(places).map(([name, paths]) => [`the words of the office: ${name}`, readsWell(paths)]));
