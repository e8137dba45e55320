// Explore: a query is typed with the editor's help, or picked from the fields that there are.
import { accessible, check, open, settled } from "./browser.mjs";

const rowsOf = (page) => page.getByRole("region", { name: "Rows" });

/** What is typed is completed, underlined where it is wrong, and left with Tab. */
async function typeAQuery(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("explore");
  const query = page.getByRole("textbox", { name: "Query" });
  await page.locator(".cm-editor").waitFor();
  await query.fill("");
  await query.pressSequentially("{ agents(first: 3) { nodes { agentC");
  await page.getByRole("option", { name: "agentCode" }).waitFor();
  await accessible(page, "a completion");
  await page.emulateMedia({ colorScheme: "dark" });
  await accessible(page, "a completion in the dark");
  // An option is taken once it has been there for a moment, so that no line break is.
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  check((await query.innerText()) === "{ agents(first: 3) { nodes { agentCode}}}", `the completion makes ${await query.innerText()}`);
  await asks("running what was completed", () => page.getByRole("button", { name: "Run" }).click());
  await rowsOf(page).getByText(/^A\d+$/).nth(2).waitFor();
  // What the schema does not have is underlined, and listed for those who do not see that.
  await query.fill("{ agents(first: 3) { nodes { agentCote } } }");
  await page.locator(".cm-lintRange-error").waitFor();
  await query.press("Control+Shift+M");
  await page.getByRole("option", { name: /Cannot query field "agentCote"/ }).waitFor();
  await accessible(page, "what is wrong, in the dark");
  await page.keyboard.press("Escape");
  // The editor lets go of the keyboard.
  await query.focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  check(await page.getByRole("textbox", { name: "Variables" }).evaluate((field) => field === document.activeElement), "Tab does not leave the editor");
  await end();
}

/** Each example can be run as it is. */
async function runExamples(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("explore");
  const field = page.getByRole("textbox", { name: "Example" });
  await field.click();
  const names = await page.getByRole("option").allInnerTexts();
  check(names.length > 3, `there are ${names.length} examples`);
  for (const name of names) {
    await field.fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Run" }).click();
    await settled(page);
    check((await page.getByRole("alert").count()) === 0, `${name}: ${await page.getByRole("alert").allInnerTexts()}`);
    await page.getByRole("group", { name: "Answer" }).or(page.getByRole("radiogroup", { name: "Answer" })).first().waitFor();
  }
  await end();
  return `${names.length} examples`;
}

/** Fields are picked without GraphQL; what somebody wrote stays, and what does not parse is left alone. */
async function pickFields(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("explore");
  await page.locator(".cm-editor").waitFor();
  const query = page.getByRole("textbox", { name: "Query" });
  await query.fill("# mine\nquery Mine($onDate: Date) { agents(first: 4, onDate: $onDate) { nodes { code: agentCode } } }");
  await asks("the fields", () => page.getByRole("button", { name: "Fields" }).click());
  const fields = page.getByRole("group", { name: "Fields" });
  check(await fields.getByRole("checkbox", { name: "Agent code" }).isChecked(), "what is asked for is not ticked");
  await fields.getByRole("checkbox", { name: "Name", exact: true }).check();
  await fields.getByRole("button", { name: "Pay status" }).click();
  await fields.getByRole("group", { name: "Pay status" }).getByRole("checkbox", { name: "Name" }).check();
  await fields.getByRole("checkbox", { name: "Agent code" }).uncheck();
  const text = await query.innerText();
  check(text === "# mine\nquery Mine($onDate: Date) { agents(first: 4, onDate: $onDate) { nodes { displayName payStatus { name } } } }", `picking makes ${text}`);
  await accessible(page, "fields");
  await page.emulateMedia({ colorScheme: "dark" });
  await accessible(page, "fields in the dark");
  await asks("running what was picked", () => page.getByRole("button", { name: "Run" }).click());
  await rowsOf(page).getByText("payStatus.name").waitFor();
  // The editor takes back what was picked, one by one.
  await query.press("Control+z");
  check((await query.innerText()).includes("nodes { code: agentCode displayName payStatus { name } }"), `undoing makes ${await query.innerText()}`);
  check(await fields.getByRole("checkbox", { name: "Agent code" }).isChecked(), "what is undone is not ticked");
  // Another list takes the place of the first.
  await fields.getByRole("textbox", { name: "What is asked for" }).click();
  await page.getByRole("option", { name: "Certifications" }).click();
  await fields.getByRole("checkbox", { name: "Number", exact: true }).waitFor();
  check(/# mine\nquery Mine\(\$onDate: Date\) \{ certifications\(first: 4, onDate: \$onDate\)/.test(await query.innerText()), `another list makes ${await query.innerText()}`);
  await asks("running another list", () => page.getByRole("button", { name: "Run" }).click());
  await rowsOf(page).getByText("identifier").waitFor();
  // What does not parse says so, and stays.
  await query.fill("{ agents { nodes { ");
  await fields.getByText("Fields are picked once the query can be read").waitFor();
  await settled(page);
  check((await fields.getByRole("checkbox").count()) === 0 && (await query.innerText()).trim() === "{ agents { nodes {", "what does not parse is changed");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("alert").getByText(/Syntax|Unexpected|Expected/).waitFor();
  await end();
}

/** A list of objects is a text in its cell, and fields fold open as deep as four levels. */
async function pickBelow(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("explore");
  await page.locator(".cm-editor").waitFor();
  const query = page.getByRole("textbox", { name: "Query" });
  await query.fill("");
  await page.getByRole("button", { name: "Fields" }).click();
  let at = page.getByRole("group", { name: "Fields" });
  await at.getByRole("textbox", { name: "What is asked for" }).click();
  await page.getByRole("option", { name: "Agents" }).click();
  await at.getByRole("button", { name: "Tags", exact: true }).click();
  await at.getByRole("group", { name: "Tags" }).getByRole("checkbox", { name: "Name" }).check();
  for (const name of ["Upline", "Membership", "Level"]) {
    await at.getByRole("button", { name, exact: true }).first().click();
    at = at.getByRole("group", { name, exact: true }).first();
  }
  check((await at.getByRole("button").count()) === 0, "fields fold open below the fourth level");
  await at.getByRole("checkbox", { name: "Name" }).check();
  check((await query.innerText()).includes("nodes { agentCode tags { name } upline { membership { level { name } } } }"), `picking makes ${await query.innerText()}`);
  await page.getByRole("button", { name: "Run" }).click();
  await rowsOf(page).getByRole("columnheader", { name: "tags" }).waitFor();
  check(!/[[{]/.test(await rowsOf(page).innerText()), "a list of objects is no text");
  await end();
}

/** A server that does not tell its schema, and an editor that is late, lose nothing. */
async function editAnyway(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  let letGo;
  const late = new Promise((done) => (letGo = done));
  await page.route("**/assets/editor-*.js", (route) => late.then(() => route.continue()));
  await page.route("**/graphql/demo", (route) => (route.request().postData()?.includes("IntrospectionQuery") ? route.fulfill({ json: { errors: [{ message: "introspection is off" }] } }) : route.fallback()));
  await go("explore");
  const query = page.getByRole("textbox", { name: "Query" });
  await query.fill("{ viewer { } }");
  for (let i = 0; i < 3; i++) await query.press("ArrowLeft");
  letGo();
  await page.locator(".cm-editor.cm-focused").waitFor();
  await page.keyboard.type("today ");
  check((await query.innerText()) === "{ viewer { today } }", `it goes on with ${await query.innerText()}`);
  await page.getByRole("button", { name: "Run" }).click();
  await rowsOf(page).getByText("viewer.today").waitFor();
  await page.getByRole("button", { name: "Fields" }).click();
  await page.getByText("The server does not tell which fields there are.").waitFor();
  await end();
}

export const explore = {
  "run the examples of Explore": runExamples,
  "type a query": typeAQuery,
  "pick fields": pickFields,
  "pick fields below fields": pickBelow,
  "edit without a schema": editAnyway,
};
