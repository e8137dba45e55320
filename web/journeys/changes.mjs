// What people of the back office set: roles, what recruits are asked, and whether the
// audit trail is sound. Maps are looked at here, too.
import { readFileSync } from "node:fs";
import { accessible, ask, check, open, settled } from "./browser.mjs";

async function roles(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("administration?tab=roles");
  await page.getByRole("button", { name: "New role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Auditor");
  await dialog.getByRole("textbox", { name: "Rights" }).fill("hierarchy");
  await page.getByRole("option", { name: "Read agents, their certifications, teams and hierarchy", exact: true }).click();
  await page.keyboard.press("Escape");
  await accessible(page, "a new role");
  await asks("making a role", () => dialog.getByRole("button", { name: "Save" }).click());
  await page.getByRole("row", { name: /Auditor/ }).getByText("1 right").click();
  await page.getByRole("row", { name: /Auditor/ }).getByText("Read agents, their certifications").waitFor();
  await page.getByRole("button", { name: "Change Auditor" }).click();
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("row", { name: /Auditor.*The downline/ }).waitFor();
  check((await page.getByRole("button", { name: "Change Administrator" }).count()) === 0, "a role of the system can be changed");
  await page.getByRole("button", { name: "Change Auditor" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await accessible(page, "deleting a role");
  await page.getByRole("dialog", { name: "Delete Auditor" }).getByLabel("Reason, kept with the change").fill("nobody audits");
  await asks("deleting a role", () => page.getByRole("button", { name: "Delete the role" }).click());
  await page.getByRole("row", { name: /Auditor/ }).waitFor({ state: "detached" });
  const { trail } = await ask(page, '{ trail: auditLog(first: 1, filter: {entityType: "Role", entityKey: "Auditor"}) { nodes { reason } } }');
  check(trail.nodes[0]?.reason === "nobody audits", `the trail has the reason ${trail.nodes[0]?.reason}`);
  await end();
}

async function settings(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("administration?tab=settings");
  const part = page.getByRole("region", { name: "Change the settings" });
  const save = part.getByRole("button", { name: "Save" });
  check(await save.isDisabled(), "what has not changed can be saved");
  await part.getByRole("textbox", { name: "At most" }).fill("");
  check(await save.isDisabled(), "a number that was cleared can be saved");
  await part.getByText("A number from 1 to 100").waitFor();
  await part.getByRole("textbox", { name: "At most" }).fill("100");
  await part.getByRole("textbox", { name: "Time zone" }).fill("Mars/Olympus");
  await part.getByRole("textbox", { name: "Name" }).fill("Demo Life");
  await asks("a zone that there is not", () => save.click());
  await part.getByText("Must be an IANA time zone").waitFor();
  await accessible(page, "settings that were refused");
  await part.getByRole("textbox", { name: "Time zone" }).fill("America/Winnipeg");
  await Promise.all([page.waitForEvent("load"), save.click()]);
  await settled(page);
  await page.getByRole("region", { name: "Demo Life" }).waitFor();
  check((await part.getByRole("textbox", { name: "Time zone" }).inputValue()) === "America/Winnipeg", "the zone was not kept");
  await end();
}

async function checkTheTrail(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("administration?tab=audit");
  const part = page.getByRole("region", { name: "Check the trail" });
  await asks("checking the trail", () => part.getByRole("button", { name: "Check" }).click());
  await part.getByText("Each entry fits the one before it").waitFor();
  const head = await part.locator("code").innerText();
  await accessible(page, "a checked trail");
  // A head that is compared with itself tells no more than none.
  await part.getByText(/only the head of an earlier check can tell/).waitFor();
  await part.getByRole("textbox").fill(head);
  await part.getByRole("button", { name: "Check" }).click();
  await part.getByText(/still ends at the head that you gave.*tells no more than a check without|Since that was noted, nothing before it was changed/).waitFor();
  await part.getByRole("textbox").fill(head.replace(/^\d+/, "999999"));
  await part.getByRole("button", { name: "Check" }).click();
  await part.getByText("The trail is broken at entry").waitFor();
  await end();
  return head.split(":")[0] + " entries";
}

async function whatRecruitsAreAsked(browser, base) {
  const recruiter = await open(browser, base, "recruiter");
  await recruiter.go("onboarding");
  await recruiter.page.getByRole("button", { name: "Configuration" }).click();
  await recruiter.page.getByText("Have you ever been convicted of a felony?").waitFor();
  check((await recruiter.page.getByRole("dialog").getByRole("button", { name: /Publish|Retire|New/ }).count()) === 0, "a recruiter could publish");
  await accessible(recruiter.page, "the configuration");
  await recruiter.end();

  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("onboarding");
  await page.getByRole("button", { name: "Configuration" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "New question" }).click();
  await drawer.getByRole("textbox", { name: "Question" }).fill("Do you speak Spanish?");
  await accessible(page, "a new question");
  await asks("publishing a question", () => drawer.getByRole("button", { name: "Publish the question" }).click());
  await drawer.getByText("Do you speak Spanish?").waitFor();
  await drawer.getByRole("button", { name: "Retire Do you speak Spanish?" }).click();
  await drawer.getByText("Do you speak Spanish?").waitFor({ state: "detached" });
  const level = drawer.getByRole("textbox", { name: "Level of a new agent" });
  await level.click();
  await page.getByRole("option", { name: "Senior Associate" }).click();
  await asks("publishing the configuration", () => drawer.getByRole("button", { name: "Publish the configuration" }).click());
  await go("onboarding");
  await page.getByRole("button", { name: "Configuration" }).click();
  await settled(page);
  check((await level.inputValue()) === "Senior Associate", "the level was not published");
  await drawer.getByRole("button", { name: "New version" }).click();
  await drawer.getByRole("textbox", { name: "Title" }).fill("Agent agreement");
  await drawer.getByRole("textbox", { name: "Text" }).fill("The agent acts for the agency.");
  const told = async () => (await ask(page, "{ contract { covenants { contentItemId title text } } }")).contract.covenants;
  const before = await told();
  check(before.length > 0, "there is no covenant");
  const covenant = drawer.getByRole("textbox", { name: "Covenant 1" });
  await covenant.fill("I sell with a licence only,\nand say so.");
  await accessible(page, "a new version of the contract");
  await asks("publishing the contract", () => drawer.getByRole("button", { name: "Publish the contract" }).click());
  await drawer.getByText("I sell with a licence only").waitFor();
  // What was changed of a covenant is its text.
  const expected = before.map((v, i) => (i === 0 ? { ...v, text: "I sell with a licence only,\nand say so." } : v));
  check(JSON.stringify(await told()) === JSON.stringify(expected), `the covenants are ${JSON.stringify(await told())}`);
  await end();
}

async function licencesOnAMap(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("insights?report=query:license-coverage");
  await asks("drawing the map", () => page.getByText("Chart", { exact: true }).click());
  const states = page.locator('.plot svg[aria-label$="by state"] path');
  await states.first().waitFor();
  const colours = await states.evaluateAll((paths) => new Set(paths.map((p) => p.getAttribute("fill"))).size);
  check(colours > 3, `the map has ${colours} colours`);
  await accessible(page, "the map");
  await page.getByText("Bars", { exact: true }).click();
  await page.locator(".plot svg rect").first().waitFor();
  await accessible(page, "the bars");
  await end();
  return `${colours} colours`;
}

async function w9(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("agents/A1012");
  await page.getByRole("button", { name: /^W9: .*Change$/ }).last().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Classification" }).click();
  await page.getByRole("option", { name: "Limited liability company, taxed as an S corporation" }).click();
  const told = async () => (await ask(page, '{ agent(agentCode: "A1012") { payee { w9 { name taxpayerIdentifier(reveal: true) signature(reveal: true) } } } }')).agent.payee.w9;
  const before = await told();
  const began = await dialog.getByLabel("From").inputValue();
  await dialog.getByRole("button", { name: "From today" }).click();
  const today = await dialog.getByLabel("From").inputValue();
  check(began < today, `the W9 that began on ${began} is changed from ${today}`);
  await dialog.getByLabel("From").fill("2026-03-01");
  await asks("the preview", () => dialog.getByRole("button", { name: "Preview" }).click());
  await dialog.getByRole("group", { name: "Then" }).waitFor();
  await accessible(page, "a W9");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: /^W9: Limited liability company, taxed as an S/ }).waitFor();
  // What is masked was not typed anew, and is as it was.
  check(before.taxpayerIdentifier && JSON.stringify(await told()) === JSON.stringify(before), `the W9 was ${JSON.stringify(before)}`);
  await page.getByRole("button", { name: /^W9: Limited liability company, taxed as an S.*Change$/ }).last().click();
  await dialog.getByLabel("Tax id", { exact: true }).fill("912-55-1234");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  check((await told()).taxpayerIdentifier === "912-55-1234", "the tax id that was typed is not in the W9");
  await page.getByRole("button", { name: "As GraphQL, as curl" }).click();
  const source = await page.getByRole("dialog").innerText();
  check(source.includes("W9Apply") && !source.includes("912-55-1234"), "the tax id that was typed is shown");
  await page.keyboard.press("Escape");
  // What it replaced is there on demand.
  await asks("what was replaced", () => page.getByRole("switch", { name: "What was replaced" }).click());
  await page.getByRole("group", { name: "W9, once" }).first().waitFor();
  await accessible(page, "what was replaced");
  await end();
}

/** A certification whose period was replaced keeps what it was, folded away. */
async function replacedCertification(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("agents/A1013");
  const period = page.getByRole("button", { name: /resident: Active, .*Change$/ }).first();
  const title = (await period.getAttribute("aria-label")).split(":")[0];
  await period.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Value" }).click();
  await page.getByRole("option", { name: "Suspended", exact: true }).click();
  await asks("the preview", () => dialog.getByRole("button", { name: "Preview" }).click());
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: new RegExp(`^${title}: Suspended`) }).first().waitFor();
  check((await page.getByRole("group", { name: `${title}, once` }).count()) === 0, "what was replaced is not folded away");
  await asks("what was replaced", () => page.getByRole("switch", { name: "What was replaced" }).click());
  await page.getByRole("group", { name: `${title}, once` }).getByRole("img", { name: /Active/ }).first().waitFor();
  await end();
  return title;
}

/** What an analyst explores becomes a recipe, which everybody in the agency runs, and another query takes its place. */
async function saveARecipe(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  const dialog = page.getByRole("dialog");
  const saveAs = async (button) => {
    await page.getByRole("button", { name: "Save as a recipe" }).click();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Agents by name");
    await asks("saving", () => dialog.getByRole("button", { name: button }).click());
    await dialog.getByText("Saved for the agency").waitFor();
  };
  await go("explore");
  await asks("running", () => page.getByRole("button", { name: "Run" }).click());
  await saveAs("Save");
  await accessible(page, "a recipe");
  await dialog.getByRole("link", { name: "Agents by name in Insights" }).click();
  const head = page.getByRole("region", { name: "Rows" }).locator("thead");
  await head.getByText("Pay status name").waitFor();
  // It is opened again, with its query in the link, and replaced.
  await page.getByRole("link", { name: "Open in Explore" }).click();
  await settled(page);
  const query = page.getByRole("textbox", { name: "Query" });
  await query.fill((await query.innerText()).replace("payStatus { name }", "npn"));
  await asks("running what was changed", () => page.getByRole("button", { name: "Run" }).click());
  await saveAs("Replace");
  await end();

  const admin = await open(browser, base, "admin");
  await admin.go("insights");
  await admin.page.getByRole("button", { name: "Agents by name" }).click();
  await settled(admin.page);
  const columns = await admin.page.getByRole("region", { name: "Rows" }).locator("thead").innerText();
  check(columns.includes("Npn") && !columns.includes("Pay status"), `the rows have ${columns}`);
  await admin.page.getByRole("button", { name: "More of the recipe" }).click();
  await admin.page.getByRole("menuitem", { name: "Delete" }).click();
  await accessible(admin.page, "deleting a recipe");
  await admin.asks("deleting", () => admin.page.getByRole("dialog").getByRole("button", { name: "Delete the recipe" }).click(), ["RunRecipe"]);
  await admin.page.getByRole("button", { name: "Agents by name" }).waitFor({ state: "detached" });
  await admin.end();
}

/** A link to a query shows a colleague its rows; another day runs it anew. */
async function shareAQuery(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  const query = "query($onDate: Date) { agents(first: 1, onDate: $onDate, orderBy: [{ field: START_DATE, direction: DESC }]) { totalCount nodes { agentCode payStatus { name } } } }";
  await go(`explore?query=${encodeURIComponent(JSON.stringify(query))}`);
  const rows = page.getByRole("region", { name: "Rows" }).locator("tbody");
  const today = await rows.innerText();
  await asks("another day", async () => {
    await page.getByRole("slider").focus();
    await page.keyboard.press("Home");
    await page.waitForURL(/day=/);
  });
  const then = await rows.count() ? await rows.innerText() : "";
  check(today !== "" && then !== today, `the rows of another day are ${then}`);
  // What is recorded, and what changes something, is not run by a link.
  await go(`explore?query=${encodeURIComponent(JSON.stringify("{ agents(first: 1) { nodes { governmentIdentifier(reveal: true) } } }"))}`);
  await page.getByText("Run the query to see its rows here").waitFor();
  await go(`explore?query=${encodeURIComponent(JSON.stringify('# no query\nmutation { tagDelete(input: {name: "x"}) { applied } }'))}`);
  await page.getByText("Changes are made in the playground").waitFor();
  await end();
}

/** The changes of an agent in a range of days, as a file: those that the trail has, each with its values, and what its check says. */
async function whatAnAuditorTakes(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const { today, timeZone } = (await ask(page, "{ viewer { today timeZone } }")).viewer;
  for (const npn of ["20261128", "20261129"]) await ask(page, "mutation($input: AgentUpdateInput!) { agentUpdate(input: $input) { applied } }", { input: { agentCode: "A1072", npn, reason: `NPN ${npn}` } });
  await go("administration?tab=audit");
  await page.getByRole("textbox", { name: "Agent", exact: true }).fill("A1072");
  await page.keyboard.press("Enter");
  await page.waitForURL(/of=A1072/);
  for (const field of ["From", "Through"]) await page.getByLabel(field, { exact: true }).fill(today);
  await page.waitForURL(/through=/);
  await settled(page);
  await accessible(page, "the changes of an agent");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const lines = readFileSync(await file.path(), "utf8").trim().split("\r\n");
  const told = [...new Set(lines.slice(1, -2).map((line) => Number(line.split(",")[0])))];
  // The trail is asked for its entries; a day of the agency begins at midnight there.
  const { auditLog } = await ask(page, '{ auditLog(first: 100, filter: { entityType: "Agent", entityKey: "A1072", kind: WRITE }) { nodes { sequence at } } }');
  const dayIn = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  const want = auditLog.nodes.filter((e) => dayIn.format(new Date(e.at)) === today).map((e) => e.sequence);
  check(told.join() === want.join() && want.length >= 2, `the file has the entries ${told}, the trail ${want}`);
  check(lines.some((line) => line.includes("20261128,20261129,NPN 20261129")), "the values are not in the file");
  check(/^"Checked .*: all [\d,]+ entries are as they were written; the trail ends at \S+"$/.test(lines.at(-1)), `the proof is ${lines.at(-1)}`);
  check(file.suggestedFilename() === `changes-A1072-${today}-${today}.csv`, file.suggestedFilename());
  // A day without changes has none.
  for (const field of ["From", "Through"]) await page.getByLabel(field, { exact: true }).fill("1999-12-31");
  await page.getByText("Nothing is recorded.").waitFor();
  await end();
  return `${want.length} entries`;
}

export const changes = {
  "save a recipe": saveARecipe,
  "share a query": shareAQuery,
  "change a W9, and see what it replaced": w9,
  "see what a certification was": replacedCertification,
  "make, change and delete a role": roles,
  "change the settings of the agency": settings,
  "check the audit trail": checkTheTrail,
  "what an auditor takes home": whatAnAuditorTakes,
  "set what recruits are asked": whatRecruitsAreAsked,
  "licences on a map": licencesOnAMap,
};
