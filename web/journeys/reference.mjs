// The reference of the REST paths: readable, searchable, with requests that can be
// tried and the GraphQL of each operation, from this server alone.
import { check, newContext } from "./browser.mjs";

export async function reference(browser, base) {
  const context = await newContext(browser, { viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const faults = [];
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (url.protocol.startsWith("http") && url.origin !== base) faults.push(`asks another host: ${r.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`an error in the page: ${error.message}`));
  page.on("console", (m) => /Content Security Policy/.test(m.text()) && faults.push(m.text()));

  await page.goto(`${base}/docs/#tag/agency-management/GET/agency-management/{tenantIdentifier}/agents`);
  await page.getByRole("heading", { name: "Agents that match every condition of the filter" }).first().waitFor();
  const graphQL = await page.locator("details", { hasText: "The GraphQL that it runs" }).first().textContent();
  check(graphQL.includes("query Agents"), `the GraphQL is ${graphQL}`);

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").first().fill("pay status");
  await page.getByRole("option", { name: /pay status/i }).first().waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: /Test Request/ }).first().click();
  const asked = page.waitForResponse((r) => r.url().startsWith(`${base}/agency-management/`));
  await page.getByRole("button", { name: /^Send/ }).first().click();
  const status = (await asked).status();
  check(status === 401, `a request without a token is answered ${status}`);
  await context.close();
  check(faults.length === 0, faults.join("; "));
  return "";
}
