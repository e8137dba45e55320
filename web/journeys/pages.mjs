// What holds of every page, whoever looks at it and on whatever screen.
import { accessible, check, fits, open, settled } from "./browser.mjs";

const all = ["hierarchy", "hierarchy?agent=A1006&compare=2026-09-01", "lists/agents", "lists/certifications?day=2025-03-01", "agents/A1006", "insights?report=query:headcount", "onboarding", "webhooks", "files", "administration?tab=users", "administration?tab=clients", "administration?tab=audit", "administration?tab=roles", "administration?tab=settings", "insights?report=query:license-coverage", "explore"];

/** The pages that each role sees, by their names in the navigation. */
const seen = {
  admin: ["Hierarchy", "Agents", "Insights", "Onboarding", "Webhooks", "Files", "Administration", "Explore"],
  recruiter: ["Hierarchy", "Agents", "Onboarding", "Explore"],
  analyst: ["Hierarchy", "Agents", "Insights", "Explore"],
  agent: ["Hierarchy", "Agents", "Explore"],
};
const paths = { Hierarchy: "hierarchy", Agents: "lists/agents", Insights: "insights", Onboarding: "onboarding", Webhooks: "webhooks", Files: "files", Administration: "administration", Explore: "explore" };

const asRole = (role) => async (browser, base) => {
  const { page, go, asks, end } = await open(browser, base, role);
  await go("");
  const shown = (await page.locator("nav.mantine-AppShell-navbar a").allInnerTexts()).map((t) => t.trim());
  check(shown.join() === seen[role].join(), `the navigation shows ${shown.join(", ")}`);
  for (const name of shown) {
    await asks(`opening ${name}`, () => page.locator("nav.mantine-AppShell-navbar").getByRole("link", { name }).click());
    check(page.url().includes(paths[name]), `${name} leads to ${page.url()}`);
    check((await page.getByText("This could not be read").count()) === 0, `${name} could not be read`);
  }
  await go("hierarchy");
  await end();
};

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

/** What depends on the database: each page, as each role. */
export const roles = Object.keys(seen).map((role) => [`every page as ${role}`, asRole(role)]);

/** What does not. */
export const looks = all.map((path) => [`${path.split("?")[0]} in both schemes, 390 to 1920 pixels wide: ${path}`, looksRight(path)]);

const pictured = {
  hierarchy: "hierarchy?open=%5B%22A1000%22%2C%22A1010%22%5D&compare=2026-03-01",
  agents: "lists/agents",
  agent: "agents/A1006",
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

/** Pictures of the pages, for the documentation. */
export const pictures = (folder) =>
  Object.entries(pictured).map(([name, path]) => [
    `picture of ${name}`,
    async (browser, base) => {
      const { page, go, end } = await open(browser, base, "admin", { viewport: { width: 1200, height: name === "map" ? 1000 : 720 } });
      await go(path);
      await beforehand[name]?.(page);
      await settled(page);
      await page.screenshot({ path: `${folder}/${name}.png` });
      await end();
    },
  ]);
