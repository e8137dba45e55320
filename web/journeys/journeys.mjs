// What people come to do, from beginning to end.
import { accessible, ask, check, newContext, open, settled, signIn } from "./browser.mjs";
import { pure } from "./pure.mjs";

const cells = (page) => page.locator(".rows tbody tr");

async function findAnAgent(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("lists/agents");
  await asks("sorting", () => page.getByRole("button", { name: /^Last name/ }).click());
  await asks("filtering", async () => {
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByLabel("Last name begins with").fill("Jon");
    await page.getByLabel("Last name begins with").press("Enter");
  });
  check(page.url().includes("Jon"), "the filter is not in the URL");
  const total = await page.getByText(/^\d+ rows?$/).innerText();
  check((await cells(page).first().innerText()).includes("Jon"), "the first row does not fit the filter");
  await accessible(page, "the filter");
  await page.keyboard.press("Escape");
  await page.locator(".rows").focus();
  await asks("opening a row", () => page.keyboard.press("Enter"));
  check(/agents\/A\d+/.test(page.url()), `Enter leads to ${page.url()}`);
  await asks("the search", () => page.getByRole("textbox", { name: "Find an agent" }).fill("A1010"));
  await page.getByRole("option").first().click();
  await page.waitForURL(/agents\/A1010/);
  await end();
  return total;
}

async function moveTheDay(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("lists/agents");
  await go("lists/agents?sort=%7B%22field%22%3A%22START_DATE%22%2C%22direction%22%3A%22DESC%22%7D");
  const slider = page.getByRole("slider");
  // While the next day is read, nothing of the last one is there.
  let goOn;
  const held = new Promise((done) => (goOn = done));
  await page.route("**/graphql/**", (route) => held.then(() => route.continue()));
  const before = await cells(page).first().innerText();
  await slider.focus();
  await page.keyboard.press("Home");
  await page.waitForURL(/day=/);
  const meanwhile = await cells(page).first().innerText();
  goOn();
  check(meanwhile.trim() === "", `beside the new day stands ${meanwhile}`);
  await page.unrouteAll({ behavior: "wait" });
  await settled(page);
  check(before !== "", "there were no rows");
  await asks("today", () => page.getByRole("button", { name: "Today" }).click());
  check(!page.url().includes("day="), "today is not the day of the URL");
  await go("agents/A1006?day=2015-01-01");
  check((await page.locator("main").innerText()).includes("Associate"), "the level of 2015 is not shown");
  await end();
}

async function changeAPeriod(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("agents/A1011");
  await page.getByRole("button", { name: /^Pay status: .*open\. Change$/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Value" }).click();
  await page.getByRole("option", { name: "Suspended" }).click();
  await asks("the preview", () => dialog.getByRole("button", { name: "Preview" }).click());
  await dialog.getByRole("group", { name: "Then" }).waitFor();
  await accessible(page, "the preview");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  await settled(page);
  await page.getByRole("button", { name: /^Pay status: Suspended/ }).waitFor();
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByText(/(changed|set) the pay status/).first().waitFor();
  await end();
}

async function reveal(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("agents/A1006");
  const payee = page.getByRole("region", { name: "Payee" });
  check((await payee.innerText()).includes("*"), "the payee is not masked");
  await asks("revealing", () => payee.getByRole("button", { name: /Reveal/ }).click());
  await page.waitForFunction(() => !document.querySelector('section[aria-label="Payee"]').innerText.includes("*"));
  await page.getByRole("tab", { name: "Reveals" }).click();
  await page.getByText(/revealed the/).first().waitFor();
  await end();
}

async function reviewAnApplication(browser, base) {
  const recruiter = await open(browser, base, "recruiter");
  await recruiter.go("onboarding?status=COMPLETE");
  await recruiter.page.getByRole("button", { name: "Hannah Osei" }).click();
  await settled(recruiter.page);
  check((await recruiter.page.getByRole("button", { name: "Process" }).count()) === 0, "a recruiter could process");
  await recruiter.asks("marking as paid", () => recruiter.page.getByRole("button", { name: "Mark paid" }).click());
  await recruiter.page.getByText(/^It can be processed into an agent, by somebody/).waitFor();
  await accessible(recruiter.page, "the application");
  await recruiter.end();
  const admin = await open(browser, base, "admin");
  await admin.go("onboarding?status=PAID");
  await admin.page.getByRole("button", { name: "Hannah Osei" }).click();
  await admin.page.getByRole("button", { name: "Process" }).click();
  await admin.page.getByRole("dialog").getByRole("button", { name: "Process" }).click();
  const agent = admin.page.getByRole("link", { name: /^Agent / });
  await agent.click();
  await settled(admin.page);
  await admin.page.getByRole("heading", { name: /Hannah Osei/ }).waitFor();
  await admin.end();
}

async function sendAgain(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("webhooks");
  await page.getByText("Failed", { exact: true }).click();
  const attempts = page.getByRole("region", { name: "Attempts" });
  await attempts.getByRole("button").first().click();
  await page.getByLabel("Payload").waitFor();
  await accessible(page, "an attempt");
  await asks("sending again", () => page.getByRole("button", { name: "Send again", exact: true }).click());
  await end();
}

async function importAFile(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  const { columnOf } = await pure("parts/words.ts");
  const { __type } = await ask(page, '{ __type(name: "BulkEntity") { enumValues { name } } }');
  for (const { name } of __type.enumValues) {
    const labels = (await ask(page, "query($e: BulkEntity!) { bulkColumns(entity: $e) { name } }", { e: name })).bulkColumns.map((c) => columnOf(c.name));
    check(new Set(labels).size === labels.length && labels.every((l) => !/[a-z][A-Z.]/.test(l)), `columns of ${name}: ${labels}`);
  }
  await go("files");
  const text = "Agent,standing,since\nA1015,Suspended,2026-01-01\nA9999999,Suspended,2026-01-01\n";
  await page.locator('input[type="file"]').setInputFiles({ name: "statuses.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("textbox", { name: "Rows are" }).click();
  await page.getByRole("option", { name: "Pay status period" }).click();
  await settled(page);
  for (const [header, column] of [["standing", "Status *"], ["since", "From *"]]) {
    await page.getByRole("textbox", { name: header, exact: true }).click();
    await page.getByRole("option", { name: column, exact: true }).click();
  }
  await asks("checking", () => page.getByRole("button", { name: "Check" }).click());
  await page.getByText(/1 row is wrong, of 2: nothing is imported. The other 1 row is left out with it/).waitFor();
  check((await page.getByRole("region", { name: "Rows that are wrong" }).innerText()).includes("A9999999"), "the wrong row is not named");
  await page.getByRole("textbox", { name: "Rows that are wrong" }).click();
  await page.getByRole("option", { name: "Bad rows are left out" }).click();
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("button", { name: "Import 1 row" }).click();
  await page.getByRole("region", { name: "Imported", exact: true }).waitFor();
  await go("agents/A1015");
  await page.getByRole("button", { name: /^Pay status: Suspended/ }).first().waitFor();
  await end();
}

async function exportRows(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("lists/agents?filter=%7B%22lastName%22%3A%22Jon%22%7D");
  const total = Number((await page.getByText(/^\d+ rows?$/).innerText()).split(" ")[0]);
  await page.getByRole("button", { name: "Export" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "CSV" }).click()]);
  const text = (await import("node:fs")).readFileSync(await file.path(), "utf8");
  const rows = text.trim().split(/\r?\n/).length - 1;
  check(rows === total, `${rows} rows in the file, ${total} on the page`);
  const [head] = text.replace("\ufeff", "").split(/\r?\n/);
  check(head.startsWith("Code,First name,Last name,Pay status,Level,Upline,"), `the heads are not those of the screen: ${head}`);
  await end();
  return `${rows} rows`;
}

async function asACallElsewhere(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("insights?report=query:headcount");
  await page.getByText("Chart", { exact: true }).click();
  await page.locator(".plot svg").first().waitFor();
  await page.getByRole("button", { name: "As GraphQL, as curl" }).click();
  await page.getByRole("dialog").getByText("RunInsight", { exact: true }).waitFor();
  await page.getByText("As curl", { exact: true }).click();
  check((await page.getByRole("dialog").innerText()).includes("curl -s"), "there is no call");
  await end();
}

async function seeOnesPart(browser, base) {
  const { page, go, end } = await open(browser, base, "agent");
  await go("lists/agents");
  const part = Number((await page.getByText(/rows?$/).innerText()).split(" ")[0].replaceAll(",", ""));
  await go("agents/A1000");
  await page.getByText("There is no agent A1000.").waitFor();
  await end();
  check(part > 1 && part < 300, `a limited agent sees ${part} agents`);
  return `${part} agents`;
}

async function signOut(browser, base) {
  // Sessions of their own: the others go on with theirs.
  const { context, page } = await signIn(browser, base, "recruiter");
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(`${base}/workbench/demo/agents/A1006?day=2024-01-01`);
  await page.getByRole("heading", { name: "Sign in to Upline" }).waitFor();
  await page.getByRole("button", { name: /^Recruiter: / }).click();
  await page.waitForURL(/agents\/A1006\?day=2024-01-01/);
  await context.close();
}

const isSignedIn = async (page, base) => (await page.request.get(`${base}/oauth2/session`)).status() === 200;

async function signOutEverywhere(browser, base) {
  const admin = await open(browser, base, "admin");
  await admin.go("administration?tab=users");
  await admin.page.getByRole("button", { name: "New user" }).click();
  const dialog = admin.page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Username" }).fill("ines");
  await dialog.getByRole("textbox", { name: "Roles" }).click();
  await admin.page.getByRole("option", { name: "Analyst" }).click();
  await admin.page.keyboard.press("Escape");
  await dialog.getByLabel("Password", { exact: true }).fill("Tulip-bucket-91");
  await dialog.getByRole("button", { name: "Save as approved" }).click();
  await dialog.waitFor({ state: "hidden" });
  const browsers = await Promise.all([1, 2, 3].map(() => signInAs(browser, base, "ines", "Tulip-bucket-91")));
  const [here, there, later] = browsers.map((b) => b.page);
  check(await isSignedIn(there, base), "nobody is signed in");
  await here.getByRole("button", { name: "Signed in as ines" }).click();
  await here.getByRole("menuitem", { name: "Sign out everywhere" }).click();
  await here.getByRole("menu").waitFor({ state: "hidden" });
  await accessible(here, "signing out everywhere");
  await here.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await here.waitForURL(/\/oauth2\/sign-out/);
  check(!(await isSignedIn(here, base)) && !(await isSignedIn(there, base)), "a session went on");
  // An administrator does the same to somebody else.
  await signInAs(browser, base, "ines", "Tulip-bucket-91", later);
  await admin.page.getByRole("button", { name: "Change ines" }).click();
  await dialog.getByRole("button", { name: "Sign out everywhere" }).click();
  check(await isSignedIn(later, base), "a click alone signed somebody out");
  await admin.asks("signing somebody out", () => admin.page.getByRole("button", { name: "Sign out", exact: true }).click());
  await dialog.getByRole("button", { name: "Signed out everywhere" }).waitFor();
  await accessible(admin.page, "a user");
  check(!(await isSignedIn(later, base)), "the session of somebody else went on");
  await Promise.all(browsers.map((b) => b.context.close()));
  await admin.end();
}

/** Signs somebody in who is no role of the demo's. */
async function signInAs(browser, base, username, password, before) {
  const context = before?.context() ?? (await newContext(browser));
  const page = before ?? (await context.newPage());
  await page.goto(`${base}/oauth2/sign-in?next=/workbench/&tenant=demo`);
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: `Signed in as ${username}` }).waitFor();
  return { context, page };
}

/** The demo opens with something worth seeing on every page. */
async function worthSeeing(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const year = new Date().getUTCFullYear() - 1;
  await go(`hierarchy?day=${year}-07-02&compare=${year}-06-30`);
  const said = await page.getByText(/\d+ joined, \d+ left, \d+ moved/).innerText();
  check(Number(/(\d+) moved/.exec(said)[1]) >= 9, `a reorganisation: ${said}`);
  await go("onboarding");
  const states = await page.getByRole("radiogroup", { name: "Status" }).innerText();
  for (const state of ["Active", "Hold", "Complete", "Paid", "Processed", "Rejected"]) check(new RegExp(`${state} [1-9]`).test(states), `no application is ${state}: ${states}`);
  const grounds = await page.locator(".status").evaluateAll((all) => new Set(all.map((s) => getComputedStyle(s).backgroundColor)).size);
  check(grounds > 2, `the states have ${grounds} colours`);
  await go("webhooks");
  await page.getByText("Failed", { exact: true }).click();
  await page.getByRole("region", { name: "Attempts" }).getByRole("button").first().waitFor();
  await go("insights");
  check((await page.getByRole("button", { name: "Licences that expire" }).count()) === 1, "there is no recipe");
  await end();
  return said;
}

/** Looks at who may sell, and gives a new product a rule. */
async function whoMaySell(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go(`authorizations?agent=A1006&states=${encodeURIComponent('["US-TX","US-NY"]')}`);
  const answers = await page.getByRole("region", { name: "Who may sell" }).innerText();
  check(/Texas/.test(answers) && /Term life/.test(answers), `the matrix shows ${answers}`);
  await accessible(page, "who may sell");
  await go("authorizations?tab=products");
  await page.getByRole("button", { name: "New product" }).click();
  await page.getByLabel("Code").fill("WHOLE");
  await page.getByLabel("Name").fill("Whole life");
  await asks("a new product", () => page.getByRole("button", { name: "Save" }).click());
  await page.getByRole("button", { name: "New rule of Whole life" }).click();
  await page.getByRole("textbox", { name: "Rule" }).fill("Status");
  await asks("a new rule", () => page.getByRole("button", { name: "Apply" }).click());
  await page.getByRole("region", { name: "Rules of Whole life" }).getByText("active pay status").waitFor();
  await accessible(page, "products");
  await end();
}

export const journeys = {
  "the demo is worth seeing": worthSeeing,
  "find an agent": findAnAgent,
  "move the day": moveTheDay,
  "change a period": changeAPeriod,
  "reveal a payee": reveal,
  "review and process an application": reviewAnApplication,
  "send a delivery again": sendAgain,
  "see who may sell, and make a rule": whoMaySell,
  "import a file with a wrong row": importAFile,
  "export rows": exportRows,
  "as a call elsewhere": asACallElsewhere,
  "see one's part": seeOnesPart,
  "sign out and come back": signOut,
  "sign out everywhere": signOutEverywhere,
};
