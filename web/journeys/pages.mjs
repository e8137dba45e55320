// What holds of every page, whoever looks at it and on whatever screen.
import { writeFileSync } from "node:fs";
import { accessible, ask, check, fits, open, settled } from "./browser.mjs";

export const all = ["hierarchy", "hierarchy?agent=A1006&compare=2026-09-01", "lists/agents", "lists/certifications?day=2025-03-01", "agents/A1006", "authorizations?agent=A1006&below=true", "authorizations?tab=products", "insights?report=query:headcount", "onboarding", "webhooks", "files", "administration?tab=users", "administration?tab=clients", "administration?tab=audit", "agents/A1006?what=changes", "administration?tab=reference", "administration?tab=roles", "administration?tab=providers", "administration?tab=settings", "insights?report=query:license-coverage", "explore"];

/** The pages that each role sees, by their names in the navigation. */
const seen = {
  admin: ["Hierarchy", "Agents", "Who may sell", "Insights", "Onboarding", "Webhooks", "Files", "Administration", "Explore"],
  recruiter: ["Hierarchy", "Agents", "Who may sell", "Onboarding", "Explore"],
  analyst: ["Hierarchy", "Agents", "Who may sell", "Insights", "Explore"],
  agent: ["Hierarchy", "Agents", "Who may sell", "Explore"],
};
const lists = ["certifications", "uplinePeriods", "levelPeriods", "payStatusPeriods", "w9Periods", "aliases", "tagAssignments"];
const tabs = ["users", "roles", "providers", "clients", "reference", "audit", "settings"];

/** What a role looks at, and the page of the navigation that it belongs to. */
const visits = (code) => [
  ["Hierarchy", "hierarchy"],
  ["Hierarchy", `hierarchy?agent=${code}&compare=2026-03-01`],
  ["Agents", "lists/agents"],
  ...lists.map((list) => ["Agents", `lists/${list}`]),
  ["Agents", `agents/${code}`],
  ["Who may sell", `authorizations?agent=${code}`],
  ["Who may sell", "authorizations?tab=products"],
  ["Insights", "insights"],
  ["Onboarding", "onboarding"],
  ["Webhooks", "webhooks"],
  ["Files", "files"],
  ...tabs.map((tab) => ["Administration", `administration?tab=${tab}`]),
  ["Explore", "explore"],
];

/** What is done on a page besides looking at it. */
const besides = {
  "agents/": [(page) => page.getByRole("tab", { name: "Changes" }).click(), (page) => page.getByRole("tab", { name: "Reveals" }).click(), (page) => page.getByRole("tab", { name: "Events" }).click()],
  onboarding: [(page) => page.getByRole("region", { name: "Applications" }).getByRole("button").first().click()],
  explore: [(page) => page.getByRole("button", { name: "Run" }).click()],
};

/** Runs all queries and recipes of the catalogue, each of which is an action of its own. */
async function everyReport(page, asks) {
  const reports = page.getByRole("navigation", { name: "Queries and recipes" }).getByRole("button");
  const names = await reports.allInnerTexts();
  check(names.length > 15, `only ${names.length} reports`);
  for (const [i, name] of names.entries()) {
    await asks(`the report ${name}`, () => reports.nth(i).click());
    await sound(page, `the report ${name}`);
  }
}

/** A page is without an error. */
async function sound(page, where) {
  const said = await page.getByRole("alert").allInnerTexts();
  check(said.length === 0, `${where} says ${said.join("; ")}`);
}

/** Goes to another view as a link does, without loading the page anew. */
const turn = (page, base, path) =>
  page.evaluate((to) => {
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, `${base}/workbench/demo/${path}`);

/** A role walks through all pages: those that are for it, and the links that others send. */
const asRole = (role, looked) => async (browser, base) => {
  const { page, go, asks, end } = await open(browser, base, role);
  await go("");
  const shown = (await page.locator("nav.mantine-AppShell-navbar a").allInnerTexts()).map((t) => t.trim());
  check(shown.join() === seen[role].join(), `the navigation shows ${shown.join(", ")}`);
  const code = await ownCode(page);
  for (const [name, path] of visits(code ?? "A1006")) {
    const where = `${path} as ${role}`;
    await asks(where, () => turn(page, base, path));
    if (!shown.includes(name)) {
      await page.getByText("This page is not for your role").waitFor();
      continue;
    }
    await sound(page, where);
    check((await page.getByText("This page is not for your role").count()) === 0, `${where} is not shown`);
    for (const [of, acts] of Object.entries(besides).filter(([of]) => path.startsWith(of))) for (const act of acts) await asks(`${of} as ${role}`, () => act(page));
    if (looked && role === "analyst" && name === "Insights") await everyReport(page, asks);
    await sound(page, where);
    // The pages of an administrator are looked at in both schemes.
    if (looked && role !== "admin" && !lists.some((list) => path.endsWith(list))) await accessible(page, where);
  }
  await end();
};

/** The agent that the user is. */
const ownCode = async (page) => (await ask(page, "{ viewer { user { agentCode } } }")).viewer.user.agentCode;

/** A page in both schemes, wide and narrow: read once, looked at in all of them. */
const looksRight = (path) => async (browser, base) => {
  const { page, go, end } = await open(browser, base, "admin");
  const found = [];
  const noted = (checked) => checked.catch((error) => found.push(error.message));
  const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await go(path);
  await noted(accessible(page, `${path}, light`));
  await page.emulateMedia({ colorScheme: "dark" });
  if (path === all[0]) await noted(accessible(page, `${path}, dark`));
  for (const width of [1920, 768, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await drawn();
    await noted(fits(page, `${path} at ${width}`));
  }
  await noted(accessible(page, `${path}, dark and narrow`));
  check(found.length === 0, found.join("\n"));
  await end();
};

/** What depends on the database: each page, as each role; how accessible it is does not, and is looked at where that is asked for. */
export const roles = (looked, which = Object.keys(seen)) => which.map((role) => [`every page as ${role}`, asRole(role, looked)]);

/** What does not. */
export const looks = all.map((path) => [`${path.split("?")[0]} in both schemes, 390 to 1920 pixels wide: ${path}`, looksRight(path)]);

const pictured = {
  hierarchy: "hierarchy?open=%5B%22A1000%22%2C%22A1010%22%5D&compare=2026-03-01",
  agents: "lists/agents",
  agent: "agents/A1006",
  authorizations: "authorizations?agent=A1006",
  insights: "insights?report=query:headcount",
  map: "insights?report=query:license-coverage",
  onboarding: "onboarding",
  webhooks: "webhooks",
  files: "files",
  administration: "administration?tab=roles",
  explore: "explore",
};

const asChart = (page) => page.getByText("Chart", { exact: true }).click();
/** What is done on a page before its picture is taken. */
const beforehand = {
  insights: asChart,
  map: asChart,
  explore: (page) => page.getByRole("button", { name: "Run" }).click(),
  files: async (page) => {
    await page.getByRole("textbox", { name: "Rows are" }).click();
    await page.getByRole("option", { name: "Pay status period" }).click();
    const text = "agentCode,status,effectiveFrom\nA1015,Suspended,2026-01-01\nA9999999,Suspended,2026-01-01\n";
    await page.locator('input[type="file"]').setInputFiles({ name: "statuses.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: "Check" }).click();
  },
};

/** Those that the page itself shows, when it is asked what it is for. */
const inHelp = ["hierarchy", "agents", "authorizations", "insights", "onboarding", "webhooks", "files", "administration", "explore"];

/** A picture at the size in which it is shown there, twice for sharp screens. */
async function small(browser, png) {
  const page = await browser.newPage();
  const url = await page.evaluate(async (from) => {
    const picture = await createImageBitmap(await (await fetch(from)).blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: 672, height: Math.round((672 * picture.height) / picture.width) });
    const g = canvas.getContext("2d");
    g.imageSmoothingQuality = "high";
    g.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/webp", 0.7);
  }, `data:image/png;base64,${png.toString("base64")}`);
  await page.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

/** Pictures of the pages, for the documentation. */
export const pictures = (folder) =>
  Object.entries(pictured).map(([name, path]) => [
    `picture of ${name}`,
    async (browser, base) => {
      const { page, go, end } = await open(browser, base, "admin", { viewport: { width: 1200, height: name === "map" ? 1000 : 720 } });
      await go(path);
      const hints = page.getByRole("button", { name: "No more hints" });
      if (await hints.isVisible()) await hints.click(); // a low window has none
      await beforehand[name]?.(page);
      await settled(page);
      const whole = await page.screenshot({ path: `${folder}/${name}.png` });
      if (inHelp.includes(name)) writeFileSync(`${folder}/../../web/src/help/${name}.webp`, await small(browser, whole));
      await end();
    },
  ]);
