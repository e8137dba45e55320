// Everyday tasks of the office, from the page alone, each with the number of clicks that it
// may take. Typing is no click, choosing a file is one.
import { readFileSync } from "node:fs";
import { accessible, ask, check, eventually, open, settled } from "./browser.mjs";

/** A hand that counts its clicks. */
function hand(page, most) {
  let clicks = 0;
  const click = async (target) => {
    clicks++;
    await target.click();
  };
  return {
    click,
    button: (name, within = page) => click(within.getByRole("button", { name, exact: true })),
    link: (name) => click(page.getByRole("link", { name, exact: true })),
    choose: async (field, option, within = page) => {
      await click(within.getByRole("textbox", { name: field }));
      await click(page.getByRole("option", { name: option, exact: true }));
    },
    file: async (file) => {
      clicks++;
      await page.locator('input[type="file"]').setInputFiles(file);
    },
    rest: () => {
      check(clicks <= most, `it takes ${clicks} clicks, ${most} are allowed`);
      return `${clicks} clicks`;
    },
  };
}

const saved = async (page, action) => {
  const [file] = await Promise.all([page.waitForEvent("download"), action()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
};

/** Texas licences of the next sixty days, as a workbook. */
async function licencesAsAWorkbook(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("insights?report=query:license-expirations");
  const { click, button, rest } = hand(page, 5);
  await page.getByRole("spinbutton", { name: "Within days" }).fill("60");
  await page.getByRole("textbox", { name: "Jurisdiction" }).focus();
  await page.keyboard.type("Texas");
  await click(page.getByRole("option", { name: "Texas" }));
  await button("Run");
  await settled(page);
  await click(page.getByText("Table", { exact: true }).or(page.getByText("Chart", { exact: true })).first());
  const total = Number(/([\d,]+) rows?/.exec(await page.getByRole("status").filter({ hasText: /rows?$/ }).innerText())[1].replaceAll(",", ""));
  const book = await saved(page, () => button("XLSX"));
  check(book.name.endsWith(".xlsx") && book.bytes.subarray(0, 2).toString() === "PK", `the file is ${book.name}`);
  // What is in the archive is not compressed.
  const sheet = book.bytes.toString("utf8");
  check((sheet.match(/<row>/g) ?? []).length === total + 1, `the workbook has ${sheet.match(/<row>/g)?.length} rows, the page ${total}`);
  check(sheet.includes("Last day") && sheet.includes("<autoFilter") && !sheet.includes("effectiveThrough"), "the heads are not those of the page");
  await end();
  return `${total} rows, ${rest()}`;
}

/** Twelve agents get another upline: who is affected is seen, then it is applied, and taken back. */
async function moveTwelve(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  const of = async () => (await ask(page, '{ agents(filter: { uplineAgentCode: "A1003" }, first: 100) { totalCount } }')).agents.totalCount;
  const before = await of();
  await go(`lists/agents?filter=${encodeURIComponent(JSON.stringify({ not: { downlineOf: "A1003" }, payStatus: ["Active"] }))}&sort=${encodeURIComponent('{"field":"START_DATE","direction":"DESC"}')}`);
  const { click, button, rest } = hand(page, 12);
  const boxes = page.getByRole("checkbox", { name: /^Choose A/ });
  await click(boxes.nth(0));
  // With Shift, all between the last one and this one are chosen.
  await page.keyboard.down("Shift");
  await click(boxes.nth(11));
  await page.keyboard.up("Shift");
  await page.getByText("12 agents chosen").waitFor();
  await accessible(page, "agents that are chosen");
  await button("Move");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Below" }).fill("A1003");
  await page.keyboard.press("Enter");
  await settled(page);
  await asks("the preview", () => button("Preview", dialog));
  const affected = await dialog.getByRole("list", { name: "Who is affected" }).getByRole("listitem").allInnerTexts();
  check(affected.length === 12 && affected.every((t) => /[A-Z]\w+ .*\(A\d+\)/.test(t)), `affected are ${affected}`);
  await accessible(page, "who is affected");
  await asks("moving twelve agents", () => button("Apply", dialog), ["Agents"]);
  await page.getByText(/^12 agents have A1003 as upline/).waitFor();
  await eventually(of, (n) => n === before + 12, "twelve are below");
  await button("Undo");
  await dialog.getByText("This is set back:").waitFor();
  check((await dialog.getByRole("listitem").count()) === 12, "not all twelve are set back");
  await accessible(page, "what is taken back");
  await button("Take it back", dialog);
  await dialog.waitFor({ state: "hidden" });
  await eventually(of, (n) => n === before, "all are where they were");
  await end();
  return rest();
}

/** Two dozen agents get a tag, in two requests: one click takes both back. */
async function tagMany(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const worn = async () => (await ask(page, "{ tagAssignments { totalCount } }")).tagAssignments.totalCount;
  const [tag] = (await ask(page, "{ tags { name } }")).tags;
  await go(`lists/agents?filter=${encodeURIComponent(JSON.stringify({ not: { tag: [tag.name] } }))}`);
  const before = await worn();
  const boxes = page.getByRole("checkbox", { name: /^Choose A/ });
  await boxes.nth(0).click();
  await page.keyboard.down("Shift");
  await boxes.nth(23).click();
  await page.keyboard.up("Shift");
  await page.getByText("24 agents chosen").waitFor();
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Give" }).click();
  await page.getByRole("option", { name: tag.name, exact: true }).click();
  await page.keyboard.press("Escape");
  await dialog.getByRole("textbox", { name: /^Reason/ }).fill("The spring campaign");
  await dialog.getByRole("button", { name: "Apply" }).click();
  const told = page.getByRole("status", { name: "What was done" });
  await told.getByText("You changed the tags of 24 agents.").waitFor();
  await eventually(worn, (n) => n === before + 24, "all wear it");
  await told.getByRole("button", { name: "Undo" }).last().click();
  await dialog.getByText("This is set back:").waitFor();
  check((await dialog.getByRole("listitem").count()) === 24, "not all are set back");
  await dialog.getByRole("button", { name: "Take it back" }).click();
  await dialog.waitFor({ state: "hidden" });
  await eventually(worn, (n) => n === before, "nobody wears it");
  await end();
}

/** A file of another system: semicolons, its own names of columns, its own days and states. */
async function importAForeignFile(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("hierarchy");
  const lines = Array.from({ length: 200 }, (_, i) => `A${1100 + i};Life;${["TX", "California", "ny"][i % 3]};FOREIGN-${i};active;0${1 + (i % 9)}/15/2026;02/${10 + (i % 19)}/2028;caf\u00e9;zz`);
  const text = ["Producer Code;License Type;State;License Number;Status;Issue Date;Expiration Date;Notes;Zork", ...lines, "A999999;LIFE;TX;FOREIGN-X;Active;01/15/2026;;nobody;zz"].join("\r\n");
  const { link, file, button, choose, rest } = hand(page, 9);
  await link("Files");
  await settled(page);
  await file({ name: "licences.csv", mimeType: "text/csv", buffer: Buffer.from(text, "latin1") });
  const part = page.getByRole("region", { name: "Columns of the file" });
  await part.getByText("201 rows, in Windows-1252, with semicolons.").waitFor();
  for (const told of ["US-TX", "US-CA", "2026-01-15", "caf\u00e9"]) await part.getByText(told).first().waitFor();
  check(await page.getByRole("button", { name: "Check", exact: true }).isDisabled(), "a column that is not known is dropped in silence");
  await asks("leaving out", () => button("Leave out what is not known"));
  await accessible(page, "the columns of a file");
  await choose("Rows that are wrong", "Bad rows are left out");
  await asks("checking", () => button("Check"));
  await page.getByText("1 row is wrong.").waitFor();
  const rejected = await saved(page, () => button("Rows that are wrong, as CSV"));
  check(rejected.bytes.toString().includes("FOREIGN-X") && rejected.bytes.toString().includes("nobody"), "the rejected row is not in its file");
  await asks("importing", () => button("Import 200 rows"), ["BulkImports"]); // the list of imports has one more
  await page.getByRole("region", { name: "Imported", exact: true }).waitFor();
  const { certifications } = await ask(page, '{ certifications(filter: { identifier: "FOREIGN-1" }) { nodes { jurisdiction { code } effectiveFrom effectiveThrough } } }');
  check(JSON.stringify(certifications.nodes) === '[{"jurisdiction":{"code":"US-CA"},"effectiveFrom":"2026-02-15","effectiveThrough":"2028-02-11"}]', JSON.stringify(certifications.nodes));
  const clicks = rest();
  // A mapping that is kept is taken again for a file with the same columns.
  const theirs = `Theirs ${Date.now()}`;
  await page.getByRole("button", { name: "Mappings" }).click();
  await page.getByRole("button", { name: /^Keep this mapping/ }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(theirs);
  await page.getByRole("dialog").getByRole("button", { name: "Keep" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await go("files");
  await page.locator('input[type="file"]').setInputFiles({ name: "again.csv", mimeType: "text/csv", buffer: Buffer.from(text, "latin1") });
  await page.getByRole("button", { name: "Mappings" }).click();
  await page.getByRole("group", { name: "mappings" }).getByRole("button", { name: theirs, exact: true }).waitFor();
  await end();
  return clicks;
}

/** What an import has changed is taken back. */
async function takeAnImportBack(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const level = async () => (await ask(page, '{ agent(agentCode: "A1050") { membership { level { value } } } }')).agent.membership.level.value;
  const before = await level();
  const other = (await ask(page, "{ agentLevels { value } }")).agentLevels.find((l) => l.value !== before).value;
  await go("files");
  await page.locator('input[type="file"]').setInputFiles({ name: "levels.txt", mimeType: "text/plain", buffer: Buffer.from(`agent|level|from\nA1050|${other}|15-Nov-2026\n`) });
  await page.getByRole("textbox", { name: "Rows are" }).click();
  await page.getByRole("option", { name: "Level period" }).click();
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("button", { name: "Import 1 row" }).click();
  await eventually(level, (now) => now === other, "the level");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take it back" }).click();
  await eventually(level, (now) => now === before, "the level of before");
  await end();
}

/** A wrong cell is typed over, the check runs again; the import is found again below, with what it changed, and taken back. */
async function mendACell(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  const days = async () => (await ask(page, '{ agent(agentCode: "A1051") { payStatusPeriods(first: 20) { nodes { status { name } effectiveFrom } } } }')).agent.payStatusPeriods.nodes;
  const before = JSON.stringify(await days());
  const name = `statuses ${Date.now()}.csv`;
  await go("files");
  await page.locator('input[type="file"]').setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from("agentCode,status,effectiveFrom\nA1051,Zorked,2026-11-02\nA1052,Suspended,2026-13-02\n") });
  await page.getByRole("textbox", { name: "Rows are", exact: true }).click();
  await page.getByRole("option", { name: "Pay status period" }).click();
  await asks("checking", () => page.getByRole("button", { name: "Check", exact: true }).click());
  await page.getByText("2 rows are wrong, of 2").waitFor();
  for (const [cell, value] of [["status, row 2", "Suspended"], ["effectiveFrom, row 3", "2026-11-03"]]) {
    await page.getByRole("textbox", { name: cell }).fill(value);
    await asks("mending", () => page.keyboard.press("Enter"));
    await settled(page);
  }
  await accessible(page, "a file that was mended");
  await page.getByRole("button", { name: "Import 2 rows" }).click();
  await eventually(days, (now) => now.some((p) => p.effectiveFrom === "2026-11-02" && p.status.name === "Suspended"), "the status");
  const imports = page.getByRole("region", { name: "Imports", exact: true }).first();
  await imports.getByRole("button", { name: `Changes: ${name}` }).click();
  const changes = page.getByRole("dialog", { name: `What ${name} changed` });
  for (const code of ["A1051", "A1052"]) await changes.getByText(code).first().waitFor();
  await accessible(page, "what an import changed");
  await page.keyboard.press("Escape");
  await imports.getByRole("button", { name: `Take back: ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take it back" }).click();
  await eventually(async () => JSON.stringify(await days()), (now) => now === before, "the statuses of before");
  await end();
}

/** A report is built without code, saved, and shown to somebody else by its address. */
async function buildAReport(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("hierarchy");
  const { link, button, click, choose, rest } = hand(page, 10);
  const name = `Ending ${Date.now()}`;
  await link("Insights");
  await settled(page);
  await button("New report");
  await page.locator("input:focus").waitFor(); // the form is read, and begins with the name
  await page.keyboard.type(name);
  await choose("Rows are", "Certifications");
  await click(page.getByRole("textbox", { name: "Columns" }));
  for (const column of ["jurisdiction", "certification id"]) {
    await page.keyboard.type(column);
    await page.keyboard.press("Enter");
  }
  await page.keyboard.press("Escape");
  await choose("What of Certification id", "How many");
  await button("Condition");
  await page.getByRole("textbox", { name: "Field" }).focus();
  await page.keyboard.type("through");
  await page.keyboard.press("Enter");
  await page.getByRole("spinbutton", { name: "Value" }).fill("60");
  await accessible(page, "the report builder");
  await asks("saving a report", () => button("Save"));
  await page.getByRole("heading", { name }).waitFor();
  const clicks = rest();
  const { agencyRecipes } = await ask(page, "{ agencyRecipes(first: 100) { nodes { name definition } } }");
  const { definition } = agencyRecipes.nodes.find((r) => r.name === name);
  check(JSON.stringify(definition.filters) === '[{"field":"effectiveThrough","operator":"between","value":[{"days":0},{"days":60}]}]', JSON.stringify(definition));
  check(JSON.stringify(definition.groupBy) === '["jurisdiction"]', JSON.stringify(definition));
  const address = page.url().replace(/.*\/demo\//, "");
  const analyst = await open(browser, base, "analyst");
  await analyst.go(address);
  await analyst.page.getByRole("heading", { name }).waitFor();
  await analyst.end();
  // What it shows is changed, and it opens with what it was.
  await page.getByRole("button", { name: "Change", exact: true }).click();
  check((await page.getByRole("spinbutton", { name: "Value" }).inputValue()) === "60", "the condition is not there");
  await page.getByRole("spinbutton", { name: "Value" }).fill("90");
  await page.getByRole("textbox", { name: "A chart shows" }).click();
  await page.getByRole("option", { name: "Certification id" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".plot svg").first().waitFor();
  await accessible(page, "a report as a chart");
  await end();
  return clicks;
}

/** Who was above somebody, on another day and now. */
async function whoWasAbove(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("insights");
  const { click, rest } = hand(page, 4);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("A1300");
  await page.keyboard.press("Enter");
  await page.waitForURL(/agents\/A1300/);
  await settled(page);
  const day = page.getByRole("textbox", { name: /Choose a day$/ });
  await click(day);
  await day.fill("7/1/2025");
  await page.keyboard.press("Enter");
  await page.waitForURL(/day=2025-07-01/);
  await settled(page);
  await page.getByText("You are looking at Jul 1, 2025").waitFor();
  await accessible(page, "a past day");
  await click(page.getByRole("button", { name: "Back to today" }));
  await settled(page);
  check(!page.url().includes("day="), "it is not today");
  await end();
  return rest();
}

/** The conditions of a list: found, seen, taken away, kept as a view; the way back leads to the same rows. */
async function narrowAList(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("lists/agents");
  const total = () => eventually(async () => (await settled(page), page.getByRole("status").filter({ hasText: /rows?$/ }).innerText()), (t) => /rows?$/.test(t), "the rows").then((t) => Number(t.replace(/\D/g, "")));
  const all = await total();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("textbox", { name: "Has none of type" }).click();
  await asks("narrowing", () => page.getByRole("option", { name: "Life", exact: true }).click());
  await page.getByRole("textbox", { name: "Level" }).click();
  await page.getByRole("option", { name: "Associate", exact: true }).click();
  await page.getByRole("button", { name: "Done" }).click();
  const chips = page.getByRole("group", { name: "Conditions in force" });
  await chips.getByText("Level: Associate").waitFor();
  const few = await total();
  check(few > 0 && few < all, `${few} of ${all} fit`);
  await accessible(page, "conditions in force");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: /^Keep this view/ }).click();
  const name = `View ${Date.now()}`;
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("checkbox", { name: /^For everybody/ }).check();
  await accessible(page, "keeping a view");
  await page.getByRole("dialog").getByRole("button", { name: "Keep" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await chips.getByRole("button", { name: "Without Level" }).click();
  check((await total()) > few, "a condition that was taken away is in force");
  // A quick hand: what was typed last counts.
  await page.getByRole("textbox", { name: "Search" }).click();
  for (const letter of "jones") await page.keyboard.type(letter);
  await page.waitForURL(/jones/);
  await page.getByRole("button", { name: "Clear all" }).click();
  check((await total()) === all, "the conditions are not cleared");
  check((await page.getByRole("textbox", { name: "Search" }).inputValue()) === "", "the search is not cleared");
  const analyst = await open(browser, base, "analyst");
  await analyst.go("lists/agents");
  await analyst.page.getByRole("button", { name: "Views" }).click();
  await accessible(analyst.page, "the views");
  await analyst.page.getByRole("button", { name, exact: true }).click();
  await settled(analyst.page);
  await analyst.page.getByText(`${few} rows`).waitFor();
  await analyst.end();
  await page.locator(".rows").evaluate((rows) => rows.scrollTo({ top: 2000 }));
  await settled(page);
  const top = () => page.locator(".rows").evaluate((rows) => rows.scrollTop);
  const link = page.getByRole("row").nth(12).getByRole("link").first();
  await link.scrollIntoViewIfNeeded();
  const was = await top();
  await link.click();
  await settled(page);
  await page.goBack();
  await eventually(top, (now) => now === was && now > 1000, `the list was left at ${was}`);
  await end();
}

/** The search finds pages, reports and actions too. */
async function findAnything(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("explore");
  for (const [text, where] of [["import a file", /\/files/], ["webhooks", /\/webhooks/], ["build a rep", /build=new/], ["Licence exp", /report=/]]) {
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.tagName === "INPUT"); // where a person types
    await page.keyboard.type(text);
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(where, { timeout: 10_000 }).catch(() => check(false, `${text} leads to ${page.url()}`));
    await settled(page);
  }
  // Numbers of licences, applicants, users and companies are found, too, and who is mistyped.
  const { certifications, applications, agents } = await ask(page, '{ certifications(filter: { type: "LIFE" }, first: 5) { nodes { identifier agent { agentCode } } } applications(first: 1) { nodes { firstName lastName } } agents(filter: { lastName: "Mart" }, first: 1) { nodes { firstName lastName agentCode } } }');
  const [licence, [applicant], [somebody]] = [certifications.nodes.find((c) => c.identifier), applications.nodes, agents.nodes];
  const slip = `${somebody.firstName} ${somebody.lastName.slice(0, 2)}${somebody.lastName[3]}${somebody.lastName[2]}${somebody.lastName.slice(4)}`;
  for (const [text, found] of [[licence.identifier, `${licence.identifier} of`], [`${applicant.lastName} ${applicant.firstName}`, "· application"], ["RECRUIT", /recruiter.* · user/], ["blue lantern", "Blue Lantern Life"], [slip, `${somebody.firstName} ${somebody.lastName}`]]) {
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
    await page.keyboard.type(text);
    await page.getByRole("option").filter({ hasText: found }).first().waitFor({ timeout: 10_000 }).catch(() => check(false, `${text} does not find ${found}`));
    await accessible(page, `what is found by ${text}`);
    await page.keyboard.press("Escape");
  }
  await end();
}

/** What somebody was paid stands on their page, and is taken back by another payment. */
async function takeAPaymentBack(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const reference = `J${Date.now()}`;
  await ask(page, "mutation($input: CommissionPaymentRecordInput!) { commissionPaymentRecord(input: $input) { applied } }", { input: { agentCode: "A1071", paidOn: "2026-03-02", amount: "120.5", reference } });
  await go("agents/A1071");
  const { click, button, rest } = hand(page, 2);
  const row = page.getByRole("region", { name: "Commissions that were paid" }).getByRole("row", { name: new RegExp(reference) });
  await accessible(page, "payments");
  await click(row.getByRole("button", { name: "Take back the payment of Mar 2, 2026" }));
  await button("Save", page.getByRole("dialog"));
  await eventually(() => row.allInnerTexts(), (all) => all.length === 2 && all.some((text) => /120\.5.*taken back/s.test(text)) && all.some((text) => text.includes("-120.5")), "the payment and what takes it back");
  const { agent } = await ask(page, '{ agent(agentCode: "A1071") { commissionPayments(first: 100) { nodes { amount reference } } } }');
  const sum = agent.commissionPayments.nodes.filter((p) => p.reference === reference).reduce((all, p) => all + Number(p.amount), 0);
  check(sum === 0, `${sum} is left of it`);
  await end();
  return rest();
}

/** All certifications of somebody who left end at once, and are taken back at once. */
async function endCertifications(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const { agents } = await ask(page, "{ agents(first: 60, filter: { isActive: true }) { nodes { agentCode certifications(first: 60) { nodes { status } } } } }");
  const left = agents.nodes.find((a) => a.certifications.nodes.filter((c) => c.status === "ACTIVE").length > 2);
  const statuses = async () => (await ask(page, "query($code: String!) { agent(agentCode: $code) { certifications(first: 60) { nodes { id status effectiveFrom effectiveThrough } } } }", { code: left.agentCode })).agent.certifications.nodes;
  const before = await statuses();
  await go("hierarchy");
  const { button, click, rest } = hand(page, 5);
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
  await page.keyboard.type(left.agentCode);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: new RegExp(left.agentCode) }).waitFor();
  await button("More that can be done");
  await click(page.getByRole("menuitem", { name: "End certifications" }));
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox").first().waitFor();
  await accessible(page, "ending certifications");
  const lasting = before.filter((c) => !["TERMINATED", "EXPIRED", "RETIRED", "REJECTED"].includes(c.status));
  check((await dialog.getByRole("checkbox", { checked: true }).count()) === lasting.length, "not all that last are chosen");
  await button(`End ${lasting.length} certifications`, dialog);
  await dialog.waitFor({ state: "hidden" });
  const clicks = rest();
  const ended = await statuses();
  for (const c of before) check(ended.find((e) => e.id === c.id).status === (lasting.includes(c) ? "TERMINATED" : c.status), `${c.id} is ${ended.find((e) => e.id === c.id).status}, was ${c.status}`);
  await page.getByRole("status", { name: "What was done" }).getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("dialog", { name: "Take it back" }).getByRole("button", { name: "Take it back" }).click();
  await eventually(statuses, (now) => JSON.stringify(now) === JSON.stringify(before), "the certifications as they were");
  await end();
  return clicks;
}

/** Rows are chosen, and looked for, faster than anything is read. */
async function chooseQuickly(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("lists/agents");
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  for (const apart of [0, 35]) {
    await page.locator(".rows").focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 10; i++) {
      await page.keyboard.press(" ");
      await page.keyboard.press("ArrowDown");
      await pause(apart);
    }
    const said = await page.getByRole("group", { name: "Agents that are chosen" }).getByRole("status").innerText();
    check(said === "10 agents chosen", `ten presses, ${apart} ms apart: ${said}`);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    const search = page.getByRole("textbox", { name: "Search" });
    await search.click();
    await page.keyboard.type("jonesy", { delay: apart });
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Enter");
    const inURL = () => JSON.parse(new URL(page.url()).searchParams.get("filter") ?? "{}").query;
    await eventually(inURL, (query) => query === "jones", "the search in the address");
    await pause(400);
    check(inURL() === "jones" && (await search.inputValue()) === "jones", `typed ${apart} ms apart: ${await search.inputValue()}, in the address ${inURL()}`);
    await settled(page);
    await search.fill("");
    await page.keyboard.press("Enter");
    await eventually(inURL, (query) => query === undefined, "the search is gone");
    await settled(page);
  }
  await end();
}

export const tasks = {
  "choose with quick hands": chooseQuickly,
  "Texas licences as a workbook": licencesAsAWorkbook,
  "move twelve agents and take it back": moveTwelve,
  "tag many agents and take it back": tagMany,
  "import a foreign file": importAForeignFile,
  "take an import back": takeAnImportBack,
  "mend a cell, and find the import again": mendACell,
  "build, save and share a report": buildAReport,
  "who was above, then and now": whoWasAbove,
  "narrow a list and keep the view": narrowAList,
  "find anything": findAnything,
  "take a payment back": takeAPaymentBack,
  "end all certifications": endCertifications,
};
