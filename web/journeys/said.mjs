// What a page says is so: days and instants wherever the reader is, counts and files that
// are whole, who did something, and what is known of a change whose answer was lost.
import { readFileSync } from "node:fs";
import { accessible, ask, check, eventually, open, settled, signIn } from "./browser.mjs";

const identity = (page) => page.getByRole("region", { name: "Identity" });

/** Whoever looks from Hawaii or from Kiribati reads the same days, and instants of the agency. */
async function farAway(browser, base) {
  const [code, given] = ["A1033", "A1034"];
  const seen = [];
  for (const timezoneId of ["Pacific/Honolulu", "Pacific/Kiritimati"]) {
    const { context, page } = await signIn(browser, base, "admin", timezoneId);
    // A day of a file begins in the agency's zone, where it is six o'clock in London; one that was given to the API, there.
    for (const [agent, at] of [[code, "2020-03-01T06:00:00Z"], [given, "2020-03-01T00:00:00Z"]]) {
      await ask(page, `mutation { agentUpdate(input: { agentCode: "${agent}", startDate: "${at}", initiator: "journey" }) { applied userErrors { message } } }`);
      await page.goto(`${base}/workbench/demo/agents/${agent}`);
      const said = await identity(page).innerText();
      check(/Started\s+Mar 1, 2020\n/.test(said), `from ${timezoneId} ${agent} has ${said}`);
      check(/Changed\s+\w+ \d+, \d{4}, \d+:\d\d [AP]M C[SD]T by/.test(said), `from ${timezoneId} it says ${said}`);
      seen.push(said.replace(agent, ""));
    }
    await page.goto(`${base}/workbench/demo/lists/agents?columns=${encodeURIComponent('["agentCode","startDate"]')}`);
    const cells = page.locator(".rows tbody tr td:last-child");
    await cells.first().getByText(/\d{4}$/).waitFor();
    check(!(await cells.allInnerTexts()).some((t) => t.includes(":")), "a day of the list has a time");
    await page.getByRole("button", { name: "As known now" }).click();
    await page.getByLabel(/^As known at \(America/).fill("2026-03-01T12:00");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.waitForURL(/known=2026-03-01T18/);
    await page.getByRole("button", { name: /As known at Mar 1, 2026, 12:00 PM CST/ }).waitFor();
    await context.close();
  }
  check(seen[0] === seen[2] && seen[1] === seen[3], `there and here: ${seen.join(" | ")}`);
}

/** A file that a click saves: its name and how many rows it has. */
async function saved(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: file.suggestedFilename(), rows: readFileSync(await file.path(), "utf8").trim().split(/\r?\n/).length - 1 };
}

async function wholeFiles(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  // A report of more rows than a page: all of them are in the file.
  await go("insights?report=query:payee-readiness");
  const total = Number(/of ([\d,]+) rows/.exec(await page.getByText(/^The first 500 of/).innerText())[1].replaceAll(",", ""));
  const whole = await saved(page, page.getByRole("button", { name: "CSV", exact: true }));
  check(whole.rows === total && whole.name === "payee-readiness.csv", `${whole.rows} of ${total} rows are in ${whole.name}`);
  // What is not whole says so.
  const query = (fields) => `explore?query=${encodeURIComponent(JSON.stringify(`{ agents(first: 3) { ${fields} nodes { agentCode } } }`))}`;
  await go(query("totalCount"));
  await page.getByText(/^The first 3 of [\d,]+ rows$/).waitFor();
  const part = await saved(page, page.getByRole("button", { name: "CSV of the first 3 rows" }));
  check(part.rows === 3 && /^result-first-3-of-\d+\.csv$/.test(part.name), `${part.rows} rows are in ${part.name}`);
  await go(query("pageInfo { hasNextPage }"));
  await page.getByText("The first 3 rows; there are more").waitFor();
  // A comparison counts all, and lists some.
  const year = new Date().getUTCFullYear();
  await go(`hierarchy?compare=${year - 8}-01-01`);
  const region = page.getByRole("region", { name: "What differs" });
  const [, joined] = /([\d,]+) joined/.exec(await region.getByText(/joined, .* left, .* moved/).innerText());
  const told = await ask(page, `query($today: Date!) { hierarchyDiff(fromDate: "${year - 8}-01-01", toDate: $today, maxChanges: 1) { totals { added removed moved levelChanged } } }`, { today: (await ask(page, "{ viewer { today } }")).viewer.today });
  check(Number(joined.replaceAll(",", "")) === told.hierarchyDiff.totals.added && told.hierarchyDiff.totals.added > 300, `${joined} joined, of ${told.hierarchyDiff.totals.added}`);
  await region.getByText(`Joined, the first 300 of ${joined}`).waitFor();
  const { added, removed, moved, levelChanged } = told.hierarchyDiff.totals;
  const all = await saved(page, region.getByRole("button", { name: "CSV" }));
  check(all.rows === added + removed + moved + levelChanged && all.name.startsWith(`hierarchy-${year - 8}-01-01`), `${all.rows} rows are in ${all.name}, of ${JSON.stringify(told.hierarchyDiff.totals)}`);
  await end();
  return `${joined} joined`;
}

/** A page that shows a part of a list says so, and leads to all of it. */
async function leftOut(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  for (let i = 0; i < 21; i++) await ask(page, "mutation($input: AliasCreateInput!) { aliasCreate(input: $input) { applied } }", { input: { agentCode: "A1043", identifier: `LEFT-${i}`, initiator: "a journey" } });
  const { totalCount: total } = (await ask(page, '{ aliases(filter: { agentCode: "A1043" }) { totalCount } }')).aliases;
  await go("agents/A1043");
  const part = page.getByRole("region", { name: "Tags and aliases" });
  await part.getByText(`The first 20 of ${total} aliases are shown.`).waitFor();
  await accessible(page, "a part of a list");
  await part.getByRole("link", { name: "All of them" }).click();
  await page.getByRole("status").filter({ hasText: `${total} rows` }).waitFor();
  await end();
}

async function chartsOfMeasures(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("insights?report=query:leaderboard");
  await page.getByText("Chart", { exact: true }).click();
  await page.locator(".plot svg").first().waitFor();
  const name = await page.getByRole("figure").getAttribute("aria-label");
  check(/^Value by/.test(name), `the chart shows ${name}`);
  await page.getByRole("textbox", { name: "Show" }).click();
  const offered = await page.getByRole("option").allInnerTexts();
  check(!offered.some((o) => /rank|level/i.test(o)), `the chart offers ${offered}`);
  await page.keyboard.press("Escape");
  // Steps of a ladder are no measure: what is charted is how many there are a week.
  await go("insights?report=query:level-changes");
  await page.getByText("Chart", { exact: true }).click();
  const weekly = await page.getByRole("figure").getAttribute("aria-label");
  check(weekly === "Rows by First day", `the chart shows ${weekly}`);
  await end();
  return name;
}

/** What a chart draws, as it is told to whoever reads with a screen reader: the sum of its marks. */
const drawnIn = async (page) => (await page.getByRole("list", { name: /, in numbers$/ }).getByRole("listitem").allInnerTexts()).reduce((sum, text) => sum + Number(/: (\S+)$/.exec(text)[1]), 0);

/** Every chart of every query draws all of it, also what is behind the first page. */
async function chartsOfEverything(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  const { insightQueries } = await ask(page, "{ insightQueries { slug parameters { required } } }");
  let charts = 0;
  let asked;
  page.on("request", (r) => r.postData()?.includes('"RunInsight"') && (asked ??= r.postDataJSON().variables));
  /** All rows of what the page asked first. */
  const read = async () => {
    const query = "query($slug: String!, $parameters: JSON, $first: Int, $offset: Int) { insight(slug: $slug, parameters: $parameters, first: $first, offset: $offset) { totalCount columns { key label type format } rows } }";
    const { columns, rows, totalCount } = (await ask(page, query, asked)).insight;
    while (rows.length < totalCount) rows.push(...(await ask(page, query, { ...asked, offset: rows.length })).insight.rows);
    return { columns, rows };
  };
  /** What the chart of a query draws, and what its rows say; nothing for one without a chart, or of numbers that do not add up. */
  const chartOf = async (slug) => {
    asked = undefined;
    await go(`insights?report=query:${slug}`);
    const form = page.getByRole("radiogroup", { name: "Form" });
    if ((await form.count()) === 0) return undefined;
    await form.getByText("Chart", { exact: true }).click();
    await settled(page);
    const bars = page.getByRole("radiogroup", { name: "Chart as" }).getByText("Bars", { exact: true });
    if ((await bars.count()) > 0) await bars.click();
    const [, label] = /^(.*) by /.exec(await page.getByRole("figure").getAttribute("aria-label"));
    const { columns, rows } = await read();
    const column = columns.find((c) => c.label === label);
    if (column && (column.format === "percent" || column.type === "percent" || /^average/.test(column.key))) return undefined;
    const sum = rows.reduce((all, row) => all + (column ? Number(row[column.key] ?? 0) : 1), 0);
    const untold = await page.getByText(/not drawn: /).allInnerTexts();
    const drawn = untold.reduce((all, text) => all + Number(/not drawn: (\S+)$/.exec(text)[1].replaceAll(",", "")), await drawnIn(page));
    return { drawn, sum, label, isWhole: Math.abs(drawn - sum) < 0.01 };
  };
  for (const { slug } of insightQueries.filter((q) => q.parameters.every((p) => !p.required))) {
    let chart = await chartOf(slug);
    for (let again = 0; again < 3 && chart && !chart.isWhole; again++) chart = await chartOf(slug); // somebody has changed what it is of meanwhile
    if (!chart) continue;
    check(chart.isWhole, `${slug}: ${chart.drawn} of ${chart.label} is drawn, of ${chart.sum}`);
    charts++;
  }
  check(charts > 8, `only ${charts} charts`);
  await end();
  return `${charts} charts`;
}

/** A chart for a meeting: of quarters, beside the period before, each as the API has it; as a picture. */
async function chartsForAMeeting(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("insights?report=query:leaderboard");
  const [first] = await page.getByRole("list", { name: /, in numbers$/ }).getByRole("listitem").allInnerTexts();
  check(/^\S.* · A\d+: /.test(first), `the leader is called ${first}`);
  const of = async (from, through) => (await ask(page, "query($p: JSON) { insight(slug: \"production-summary\", parameters: $p, first: 100) { rows } }", { p: { interval: "quarter", from, through } })).insight.rows.map((r) => `${r.period}: ${Number(r.issuedPremium)}`);
  await go(`insights?report=query:production-summary&p=${encodeURIComponent(JSON.stringify({ interval: "quarter", from: "2025-07-01", through: "2026-06-30" }))}`);
  await page.getByRole("checkbox", { name: "With the period before" }).check();
  const told = (name) => page.getByRole("list", { name }).getByRole("listitem").allInnerTexts();
  const before = await eventually(() => told(/in the period before$/), (all) => all.length > 0, "the period before");
  for (const [shown, is, what] of [[await told(/, in numbers$/), await of("2025-07-01", "2026-06-30"), "the quarters"], [before, await of("2024-07-01", "2025-06-30"), "the quarters before"]]) check(shown.join() === is.join(), `${what} are ${shown}, and should be ${is}`);
  await accessible(page, "a chart with the period before");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Picture" }).click()]);
  const picture = readFileSync(await file.path());
  check(file.suggestedFilename() === "Issued premium by Period.png" && picture.readUInt32BE(16) > 1000, `the picture is ${file.suggestedFilename()}, ${picture.readUInt32BE(16)} pixels wide`);
  await end();
}

async function whoCalled(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await ask(page, 'mutation { agentUpdate(input: { agentCode: "A1035", npn: "20261125", initiator: "somebody else" }) { applied } }');
  const { subject } = (await ask(page, "{ viewer { subject } }")).viewer;
  await go("administration?tab=audit");
  const said = (where) => where.getByRole("listitem").filter({ hasText: "in the name of somebody else" }).first().innerText();
  check((await said(page)).includes(`by ${subject}`), "who called is not in the audit trail");
  await go("agents/A1035?what=changes");
  check((await said(page)).includes(`by ${subject}`), "who called is not on the page of the agent");
  await end();
}

/** A change whose answer is lost may have been made: nobody says that nothing was changed. */
async function lostAnswer(browser, base) {
  const { context, page } = await signIn(browser, base, "admin");
  await page.goto(`${base}/workbench/demo/agents/A1036`);
  await page.getByRole("button", { name: /^Pay status: .*open\. Change$/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "From today" }).click();
  await dialog.getByRole("textbox", { name: "Value" }).click();
  await page.getByRole("option", { name: "Suspended" }).click();
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByRole("group", { name: "Then" }).waitFor();
  await page.route("**/graphql/**", async (route) => {
    if (route.request().postDataJSON()?.operationName !== "PayStatusApply") return route.fallback();
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("It may have been changed all the same").waitFor();
  // The trail is asked what came of the request.
  await page.getByText(/^The audit trail has it, as entry \d+: it was made\.$/).waitFor();
  await page.getByRole("button", { name: "Read it again" }).click();
  await page.getByRole("button", { name: /^Pay status: Suspended/ }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  // What the server refuses was not made.
  await page.getByRole("button", { name: /^Pay status: Suspended/ }).first().click();
  await dialog.getByLabel("Through").fill("1999-01-01");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await page.getByText("Nothing was changed").waitFor();
  await context.close();
}

/** A user is tied to an agent, sees what is below, and has an e-mail address. */
async function tieAUser(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("administration?tab=users");
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Username" }).fill("tilda");
  await dialog.getByRole("textbox", { name: "E-mail" }).fill("tilda@example.com");
  await dialog.getByRole("textbox", { name: "Agent" }).fill("A1006");
  await page.getByRole("option", { name: /A1006/ }).click();
  await dialog.getByRole("textbox", { name: "Roles" }).click();
  await page.getByRole("option", { name: "Agent", exact: true }).click();
  await page.keyboard.press("Escape");
  await dialog.getByText(/^With the role Agent and no wider one/).waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill("Tulip-bucket-92");
  await accessible(page, "a new user");
  await dialog.getByRole("button", { name: "Save as approved" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("row", { name: /tilda@example\.com.*A1006/ }).waitFor();
  const { users } = await ask(page, "{ users(first: 50) { nodes { username agentCode email } } }");
  const made = users.nodes.find((u) => u.username === "tilda");
  check(made.agentCode === "A1006" && made.email === "tilda@example.com", JSON.stringify(made));
  await end();
}

/** Who approves a background sees what was answered. */
async function answersOfABackground(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const [question] = (await ask(page, "{ backgroundQuestions { contentItemVersionId text responseType } }")).backgroundQuestions.filter((q) => q.responseType === "BOOLEAN");
  const input = { recruiterAgentCode: "A1006", firstName: "Ned", lastName: "Asked", emailAddress: "ned@example.com", background: { requiresApproval: true, responses: [{ contentItemVersionId: question.contentItemVersionId, responseValue: "true" }] } };
  const made = await ask(page, "mutation($input: ApplicationCreateInput!) { applicationCreate(input: $input) { application { applicationId } userErrors { message field } } }", { input });
  check(made?.applicationCreate.application, `the application was refused: ${JSON.stringify(made)}`);
  await go(`onboarding?application=${encodeURIComponent(JSON.stringify(made.applicationCreate.application.applicationId))}`);
  const row = page.getByRole("region", { name: "Background and contract" }).getByRole("row", { name: question.text });
  check(/true|yes/i.test(await row.innerText()), `the answer is ${await row.innerText()}`);
  await accessible(page, "the answers");
  await page.getByRole("button", { name: "Approve the background" }).click();
  await eventually(() => page.getByText("Approved", { exact: true }).count(), (n) => n === 1, "the background was approved");
  await settled(page);
  await end();
}

/** A verdict says no more than was checked. */
async function verdicts(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const { applications } = await ask(page, "{ applications(filter: { status: [COMPLETE, PAID] }, first: 50) { nodes { applicationId validation { isComplete } } } }");
  const { applicationId: id } = applications.nodes.find((a) => a.validation.isComplete);
  await ask(page, 'mutation($id: ID!) { applicationHold(input: { id: $id, reason: "waits for a copy of the licence" }) { applied } }', { id });
  await go(`onboarding?application=${encodeURIComponent(JSON.stringify(id))}`);
  const checks = page.getByRole("region", { name: "Checks" });
  await checks.getByText("It is on hold: waits for a copy of the licence").waitFor();
  check(!/everything/i.test(await checks.innerText()), `of an application on hold it says ${await checks.innerText()}`);
  await accessible(page, "an application on hold");
  // Each part of an application is done, or says what is missing: as many as the server finds.
  const { open: incomplete } = await ask(page, "{ open: applications(filter: { status: [ACTIVE] }, first: 50) { nodes { applicationId validation { isComplete errors { message } } } } }");
  for (const a of incomplete.nodes.slice(0, 4)) {
    await go(`onboarding?application=${encodeURIComponent(JSON.stringify(a.applicationId))}`);
    await checks.getByRole("listitem").first().waitFor();
    const texts = await checks.locator("li p").allInnerTexts();
    const besides = texts.filter((text) => text === "The background is not approved.").length;
    check(texts.length - besides === a.validation.errors.length, `the checklist says ${texts}, the server ${JSON.stringify(a.validation.errors)}`);
    check(((await checks.getByRole("img", { name: "Open" }).count()) === 0) === (texts.length === 0), "what is open is not marked");
  }
  await ask(page, "mutation($id: ID!) { applicationResume(input: { id: $id }) { applied } }", { id });
  await go("files");
  const choose = (text) => page.locator('input[type="file"]').setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await choose("Zork,Quux\n1,2\n3,4\n");
  await page.getByText("None of the columns is known: say what at least one of them is.").waitFor();
  check(await page.getByRole("button", { name: "Check", exact: true }).isDisabled(), "a file of unknown columns can be checked");
  await choose("Agent code,First name\n");
  await page.getByText("The file has a line with the names of columns, and no rows.").waitFor();
  await choose("Agent,standing,since\nA1015,Suspended,2026-01-01\nA1016,Suspended,2026-01-01\nA9999999,Suspended,2026-01-01\n");
  await page.getByRole("textbox", { name: "Rows are", exact: true }).click();
  await page.getByRole("option", { name: "Pay status period" }).click();
  await settled(page);
  for (const [header, column] of [["standing", "Status *"], ["since", "From *"]]) {
    await page.getByRole("textbox", { name: header, exact: true }).click();
    await page.getByRole("option", { name: column, exact: true }).click();
  }
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("1 row is wrong, of 3: nothing is imported. The other 2 rows are left out with it.").waitFor();
  await end();
}

export const said = {
  "days and instants, far away": farAway,
  "files and counts that are whole": wholeFiles,
  "what is left out": leftOut,
  "charts of measures": chartsOfMeasures,
  "charts of everything": chartsOfEverything,
  "a chart for a meeting": chartsForAMeeting,
  "verdicts that say no more than was checked": verdicts,
  "who called": whoCalled,
  "an answer that is lost": lostAnswer,
  "tie a user to an agent": tieAUser,
  "the answers of a background": answersOfABackground,
};
