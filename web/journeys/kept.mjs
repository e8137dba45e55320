// What people arrange and keep: it is theirs in every browser, and everybody's if they share it.
import { accessible, ask, check, eventually, open, settled } from "./browser.mjs";

/** A view that is kept is there in another browser, and nobody else's; the second of its name takes the place of the first. */
async function keepAView(browser, base) {
  const first = await open(browser, base, "analyst");
  const name = `Mine ${Date.now()}`;
  const keep = async (path, verb) => {
    await first.go(path);
    await first.page.getByRole("button", { name: "Views" }).click();
    await first.page.getByRole("button", { name: /^Keep this view/ }).click();
    await first.page.getByRole("textbox", { name: "Name" }).fill(name);
    await first.page.getByRole("dialog").getByRole("button", { name: verb, exact: true }).click();
    await first.page.getByRole("dialog").waitFor({ state: "hidden" });
  };
  await keep("lists/agents?filter=" + encodeURIComponent('{"query":"jones"}'), "Keep");
  await keep("lists/agents?filter=" + encodeURIComponent('{"query":"smith"}'), "Replace");
  await first.end();
  const { page, go, end } = await open(browser, base, "analyst");
  await go("lists/agents");
  await page.getByRole("button", { name: "Views" }).click();
  const views = page.getByRole("group", { name: "views" });
  check((await views.getByRole("button", { name, exact: true }).count().then(() => eventually(() => views.getByRole("button", { name, exact: true }).count(), (n) => n > 0, "the view"))) === 1, "the view is there twice");
  await views.getByRole("button", { name, exact: true }).click();
  await page.waitForURL(/smith/);
  await settled(page);
  const other = await open(browser, base, "admin");
  const { presets } = await ask(other.page, "{ presets(kind: VIEW, first: 100) { nodes { name } } }");
  check(!presets.nodes.some((p) => p.name === name), "somebody else has the view");
  await other.end();
  await page.getByRole("button", { name: "Views" }).click();
  await views.getByRole("button", { name: `Forget ${name}` }).click();
  await accessible(page, "forgetting a view");
  await page.getByRole("dialog").getByRole("button", { name: "Forget it" }).click();
  await page.getByRole("status", { name: "What was done" }).getByText("deleted what was kept").waitFor();
  await page.getByRole("button", { name: "Views" }).click();
  await views.getByText("Nothing is kept yet").or(views.getByText("Everybody's")).waitFor();
  await eventually(() => views.getByRole("button", { name, exact: true }).count(), (n) => n === 0, "the view is gone");
  await end();
}

/** A dashboard of three reports: built, arranged, shared, one of its reports gone. */
async function buildADashboard(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  const name = `Monday ${Date.now()}`;
  await go("insights?report=query:license-expirations");
  await page.getByRole("button", { name: "Add to a dashboard" }).click();
  await page.getByRole("menuitem", { name: "New dashboard…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("checkbox", { name: /^For everybody/ }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByRole("heading", { name }).waitFor();
  for (const report of ["query:headcount", "query:leaderboard"]) {
    await go(`insights?report=${report}`);
    await page.getByRole("button", { name: "Add to a dashboard" }).click();
    await page.getByRole("menuitem", { name, exact: true }).click();
    await page.getByRole("heading", { name }).waitFor();
  }
  const titles = () => page.locator(".tiles > section").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  const arrange = async (title, how) => {
    await page.getByRole("button", { name: `Arrange ${title}` }).click();
    await page.getByRole("menuitem", { name: how }).click();
    await settled(page);
  };
  const before = await eventually(titles, (t) => t.length === 3, "three reports");
  await arrange(before[2], "Move forward");
  await eventually(titles, (t) => t[1] === before[2], "the third report is the second");
  await arrange(before[0], "Show as a table");
  await page.getByRole("region", { name: before[0] }).getByRole("table").waitFor();
  await arrange(before[0], "Wider");
  await settled(page);
  await accessible(page, "a dashboard");
  // Whoever may run reports sees it, in one request for all of them; a report that is gone says so alone.
  const { presets } = await ask(page, "{ presets(kind: DASHBOARD, first: 100) { nodes { id name content lastModified } } }");
  const board = presets.nodes.find((p) => p.name === name);
  const gone = [{ report: "recipe:00000000-0000-4000-8000-000000000000", p: {}, form: "chart" }, { report: "query:headcount", p: { from: "not a day", through: "not a day" }, form: "chart" }];
  await ask(page, `mutation($known: [DateTime!]!, $input: PresetReplaceInput!) { presetReplace(input: $input) @ifMatch(lastModified: $known) { applied } }`, { known: [board.lastModified], input: { id: board.id, name, isShared: true, content: { tiles: [...board.content.tiles, ...gone] } } });
  const admin = await open(browser, base, "admin");
  await admin.go(`insights?board=${board.id}`);
  const tiles = admin.page.locator(".tiles > section");
  await eventually(() => tiles.count(), (n) => n === 5, "five reports");
  await admin.page.getByText("There is no such report, or no longer.").waitFor();
  await eventually(() => tiles.nth(4).innerText(), (text) => /onDate|date|day/i.test(text.replace(/^.*\n/, "")), "what is wrong with the day");
  await admin.page.getByRole("region", { name: before[0] }).getByRole("table").waitFor();
  await admin.end();
  await go(`insights?board=${board.id}`);
  await page.getByRole("heading", { name }).waitFor();
  // It is printed on one page, without what is pressed, and says of which day it is.
  const papers = async () => (await page.pdf({ format: "Letter", landscape: true })).toString("latin1").match(/\/Type \/Page\b/g).length;
  check((await papers()) === 1, `the dashboard takes ${await papers()} pages`);
  // Eight reports, some as tables, fit on one page, too.
  const eight = ["headcount", "license-coverage", "license-expirations", "leaderboard", "recruiting", "pay-status-summary", "span-of-control", "production-summary"].map((slug, i) => ({ report: `query:${slug}`, p: {}, form: i % 3 === 2 ? "table" : "chart" }));
  const { presetCreate } = await ask(page, "mutation($input: PresetCreateInput!) { presetCreate(input: $input) { preset { id } userErrors { message } } }", { input: { kind: "DASHBOARD", name: `${name} of eight`, isShared: false, content: { tiles: eight } } });
  check(presetCreate.preset, JSON.stringify(presetCreate.userErrors));
  await go(`insights?board=${presetCreate.preset.id}`);
  await eventually(() => page.locator(".tiles > section").count(), (n) => n === 8, "eight reports");
  await settled(page);
  check((await papers()) === 1, `eight reports take ${await papers()} pages`);
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 1056, height: 816 });
  const cut = await page.locator(".tiles > section").evaluateAll((each) => each.filter((e) => [...e.querySelectorAll("tr, svg")].some((part) => part.getBoundingClientRect().right > e.getBoundingClientRect().right + 1 || part.getBoundingClientRect().bottom > e.getBoundingClientRect().bottom + 1)).map((e) => e.ariaLabel));
  check(cut.length === 0, `paper cuts ${cut}`);
  await page.emulateMedia({ media: "screen" });
  await ask(page, "mutation($id: ID!) { presetDelete(input: { id: $id }) { applied } }", { id: presetCreate.preset.id });
  await go(`insights?board=${board.id}`);
  await page.getByRole("heading", { name }).waitFor();
  await page.emulateMedia({ media: "print" });
  await page.getByText(/, as known now$/).waitFor();
  check((await page.locator("header, nav, main button").evaluateAll((all) => all.filter((one) => one.checkVisibility()).length)) === 0, "paper has buttons");
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: "More of the dashboard" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await asks("deleting the dashboard", () => page.getByRole("button", { name: "Delete the dashboard" }).click(), ["Dashboard"]);
  await page.getByRole("heading", { name }).waitFor({ state: "hidden" });
  await end();
}

/** What programs keep is whatever they like: what is nothing is left out, and takes no page down. */
async function keepNonsense(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const make = "mutation($input: PresetCreateInput!) { made: presetCreate(input: $input) { preset { id } } }";
  const stamp = Date.now();
  const kept = async (kind, subject, content) => (await ask(page, make, { input: { kind, subject, name: `${kind} ${stamp}`, content, isShared: false } })).made.preset.id;
  const good = { report: "query:headcount", p: {}, form: "table" };
  const ids = [await kept("DASHBOARD", "", { tiles: [null, 7, { report: 1 }, { ...good, p: "x" }, ...Array(10).fill(good)] }), await kept("VIEW", "agents", { columns: 5, filter: "x", sort: [] }), await kept("FILE_MAPPING", "AGENT", { Producer: "x", "First name": null, "Last name": { column: "lastName" } })];
  await go(`insights?board=${ids[0]}`);
  await eventually(() => page.locator(".tiles > section").count(), (n) => n === 8, "as many reports as a dashboard shows");
  await page.locator(".tiles > section").first().getByRole("table").waitFor();
  await page.getByText("2 reports more than a dashboard shows").waitFor();
  await go("lists/agents");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: `VIEW ${stamp}`, exact: true }).click();
  await page.getByText(/^[\d,]+ rows$/).waitFor();
  check((await page.getByRole("alert").count()) === 0, "a view of nothing is wrong");
  await go("files");
  await page.locator("input[type=file]").setInputFiles({ name: "agents.csv", mimeType: "text/csv", buffer: Buffer.from("Producer,First name,Last name\nZ1,Ann,Lee\n") });
  await page.getByRole("button", { name: "Mappings" }).click();
  await page.getByRole("button", { name: `FILE_MAPPING ${stamp}`, exact: true }).click();
  await page.getByRole("row", { name: /Producer/ }).waitFor();
  for (const id of ids) await ask(page, "mutation($id: ID!) { presetDelete(input: { id: $id }) { applied } }", { id });
  await end();
}

/** Help where people are: what a page is for, what the words mean, and hints that are put away. */
async function askForHelp(browser, base) {
  const { page, go, end } = await open(browser, base, "recruiter");
  const hint = page.getByRole("note", { name: "First steps" });
  await go("hierarchy");
  await hint.waitFor();
  await accessible(page, "a hint");
  await page.getByRole("button", { name: "Got it" }).click();
  await hint.waitFor({ state: "hidden" });
  await page.reload();
  await settled(page);
  check((await hint.count()) === 0, "a hint that was put away comes back");
  await page.getByRole("link", { name: "Agents", exact: true }).click();
  await hint.waitFor();
  await page.getByRole("button", { name: "No more hints" }).click();
  for (const label of ["Hierarchy", "Agents", "Who may sell", "Onboarding", "Explore"]) {
    await page.getByRole("link", { name: label, exact: true }).click();
    await settled(page);
    check((await hint.count()) === 0, `${label} still has a hint`);
    await page.getByRole("button", { name: "About this page" }).click();
    const picture = page.getByRole("img", { name: `The page ${label}` });
    await eventually(() => picture.evaluate((img) => img.naturalWidth), (width) => width > 100, `the picture of ${label}`);
    await page.keyboard.press("Escape");
    await picture.waitFor({ state: "hidden" });
  }
  await page.getByRole("button", { name: "About this page" }).click();
  await page.getByRole("button", { name: "What the words mean" }).click();
  await page.getByRole("rowheader", { name: "Upline" }).waitFor();
  await accessible(page, "the words of the field");
  await end();
}

export const kept = {
  "ask what a page is for": askForHelp,
  "keep a view of one's own": keepAView,
  "build and share a dashboard": buildADashboard,
  "what programs keep takes no page down": keepNonsense,
};
