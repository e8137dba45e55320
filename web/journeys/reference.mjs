// The reference of the REST paths: readable, searchable, with requests that can be
// tried and the GraphQL of each operation, from this server alone.
import { check, eventually, newContext } from "./browser.mjs";

export async function reference(browser, base) {
  const context = await newContext(browser, { viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const faults = [];
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (url.protocol.startsWith("http") && url.origin !== base) faults.push(`asks another host: ${r.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`an error in the page: ${error.message}`));
  page.on("console", (m) => m.type() === "error" && faults.push(`${m.text()} (${m.location().url})`));

  await page.goto(`${base}/docs/#tag/agents/GET/agency-management/{tenantIdentifier}/agents`);
  await page.getByRole("heading", { name: "Read agents" }).first().waitFor();
  const graphQL = await page.locator("details", { hasText: "The GraphQL that it runs" }).first().textContent();
  check(graphQL.includes("query Agents"), `the GraphQL is ${graphQL}`);
  const titles = await page.getByRole("navigation").getByRole("button").allInnerTexts();
  for (const task of ["Licences and appointments", "Pay status and W9", "Webhooks"]) check(titles.some((t) => t.includes(task)), `${task} is no task of ${titles}`);
  const { tags } = await (await page.request.get(`${base}/openapi.json`)).json();
  for (const { name } of tags) check(!titles.some((t) => t.trim() === name), `operations of ${name} belong to no task`);

  // What people call an operation finds it.
  for (const [said, title] of [["suspend", "Apply pay status period"], ["promote", "Apply level period"], ["bank account", "Change agent payee"]]) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").first().fill(said);
    await page.getByRole("option", { name: title }).first().waitFor();
    await page.keyboard.press("Escape");
  }

  // The page asks for a token of the demo's client by itself: the first Send is answered.
  await page.getByRole("button", { name: /Test Request/ }).first().click();
  const asked = page.waitForResponse((r) => r.url().startsWith(`${base}/agency-management/`));
  await page.getByRole("button", { name: /^Send/ }).first().click();
  const answer = await asked;
  check(answer.status() === 200 && answer.url().includes("/demo/"), `${answer.url()} is answered ${answer.status()}`);
  await context.close();
  check(faults.length === 0, faults.join("; "));
  return "";
}

/** What the playground opens with is there after a reload, and so is what was typed. */
export async function playground(browser, base) {
  const context = await newContext(browser);
  const page = await context.newPage();
  const editors = () => page.evaluate(() => [...document.querySelectorAll(".CodeMirror")].map((e) => e.CodeMirror.getValue()));
  const variables = page.locator(".graphiql-editor-tool .CodeMirror").first();
  const opened = async () => {
    await variables.waitFor();
    await page.waitForFunction(() => localStorage["upline-demo:graphiql:tabState"]); // written a while after
    return eventually(editors, ([query]) => query !== "", "the editors");
  };
  await page.goto(`${base}/playground/`);
  const first = await opened();
  check(first[1].includes("agentCode"), `it opens with ${first}`);
  await page.reload();
  check((await opened()).join() === first.join(), `a reload makes of ${first}: ${await editors()}`);
  const tabs = await page.evaluate(() => JSON.parse(localStorage["upline-demo:graphiql:tabState"]).tabs.length);
  check(tabs === 1, `a reload makes ${tabs} tabs`);
  await variables.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type('{"agentCode": "A1000"');
  await eventually(() => page.evaluate(() => JSON.stringify(localStorage)), (kept) => kept.includes("A1000"), "what is kept");
  await page.reload();
  check((await opened())[1].includes("A1000"), "what was typed is gone");
  // A link shows a query to somebody who has another one open, and the page leads back.
  await page.getByRole("button", { name: "Copy a link to the query" }).click();
  check(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("variables")?.includes("A1000"), `the address is ${page.url()}`);
  await page.goto("about:blank");
  await page.goto(`${base}/playground/#${new URLSearchParams({ query: "{ viewer { today } }", variables: "{}" })}`);
  await eventually(editors, ([query]) => query === "{ viewer { today } }", "the query of the link");
  check((await page.locator(".graphiql-editor-tool .CodeMirror-lint-mark-error").count()) === 0, "a valid {} is underlined");
  check((await page.getByRole("link", { name: "Workbench" }).getAttribute("href")) === "../workbench/", "it does not lead back");
  await context.close();
}
