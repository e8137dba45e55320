// Dialogs, choices and messages under the keyboard: where it is, and what lies above what.
import { dialogs } from "./phone.mjs";
import { accessible, check, eventually, open, settled } from "./browser.mjs";

const focused = (page) => page.evaluate(() => [document.activeElement.labels?.[0]?.innerText, document.activeElement.ariaLabel, document.activeElement.textContent].find((text) => text?.trim())?.trim() ?? document.activeElement.tagName);
const isInside = (page) => page.evaluate(() => document.activeElement.closest('[role="dialog"]') !== null);

/** Whatever dialog opens: it begins on a field, and neither Tab nor Enter leads out of it. */
async function stayInside(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  // What is pressed in passing changes nothing.
  await page.route("**/graphql/**", (route) => (/"query":"\s*mutation/.test(route.request().postData() ?? "") ? route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify({ errors: [{ message: "Not now." }] }) }) : route.continue()));
  for (const [path, button] of dialogs) {
    await go(path);
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await settled(page);
    await eventually(() => page.evaluate(() => document.activeElement.matches('[role="dialog"] :is(input, textarea)')), (is) => is, `${button} begins on a field`);
    const seen = new Set();
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press(n % 7 === 6 ? "Shift+Tab" : "Tab");
      check(await isInside(page), `${n} steps lead out of ${button}, to ${await focused(page)}`);
      seen.add(await focused(page));
    }
    check(seen.size > 2, `the keyboard reaches ${[...seen]} of ${button}`);
    const save = page.getByRole("dialog").getByRole("button", { name: "Save", exact: true });
    if ((await save.count()) === 1 && (await save.isEnabled())) {
      await save.focus();
      await page.keyboard.press("Enter");
      await settled(page);
      check(await isInside(page), `Enter leads out of ${button}, to ${await focused(page)}`);
    }
  }
  await end();
  return `${dialogs.length} dialogs`;
}

/** Somebody calls and joins: found, registered and shown by the keyboard alone, in few keys. */
async function joinByKeyboard(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("insights");
  let keys = 0;
  const press = async (key) => (keys++, await page.keyboard.press(key));
  const type = async (text) => ((keys += text.length), await page.keyboard.type(text));
  await press("Control+k");
  await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
  await type("A1040");
  await press("Enter");
  await page.getByRole("heading", { name: /A1040/ }).waitFor();
  await settled(page);
  check(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)), `after the search the keyboard is at ${await focused(page)}`);
  for (let n = 0; (await focused(page)) !== "New agent below"; n++) {
    check(n < 4, `the button is ${n} steps away: ${await focused(page)}`);
    await press("Tab");
  }
  await press("Enter");
  await eventually(() => focused(page), (name) => name.startsWith("First name"), "the first field has the keyboard");
  await type("Una");
  await press("Enter");
  await eventually(() => focused(page), (name) => name.startsWith("Last name"), "what is missing has the keyboard");
  await type("Vale");
  await press("Enter");
  await eventually(() => focused(page), (name) => name.startsWith("Status"), "the status has the keyboard");
  await type("act");
  await press("Enter");
  await press("Enter");
  await page.getByRole("heading", { name: /^Una Vale/ }).waitFor();
  check(keys <= 60, `it takes ${keys} keys`);
  // Another upline is typed over the one that stands there, also if its name came a moment later.
  await page.getByRole("button", { name: "Upline and level" }).click();
  const upline = page.getByRole("dialog").getByRole("textbox", { name: "Upline" });
  await eventually(() => upline.inputValue(), (name) => name.includes("· A1040"), "the upline is called by its name");
  await page.waitForTimeout(50); // a frame is drawn
  await page.keyboard.type("A1042");
  check((await upline.inputValue()) === "A1042", `what is typed makes ${await upline.inputValue()}`);
  await page.keyboard.press("Enter");
  await eventually(() => upline.inputValue(), (name) => name.includes("· A1042"), "the other upline is taken");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "Identity", exact: true }).getByRole("link", { name: /A1042/ }).waitFor();
  await end();
  return `${keys} keys`;
}

/** An agent is made by the keyboard alone: it begins on the first field, and goes on at the first that is wrong. */
async function formByKeyboard(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("agents/A1040");
  await page.getByRole("button", { name: "New agent below" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await eventually(() => focused(page), (name) => name.startsWith("First name"), "the first field has the keyboard");
  await page.keyboard.type("Nora");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), (name) => name.startsWith("Last name"), "what is missing has the keyboard");
  await page.keyboard.type("Quist");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), (name) => name.startsWith("Status"), "the next that is missing has the keyboard");
  // What is typed finds by first letters, and Enter takes it.
  await page.keyboard.type("susp");
  await page.getByRole("option", { name: "Suspended" }).waitFor();
  check((await page.getByRole("option").count()) === 1, "more than one pay status begins so");
  await page.keyboard.press("Enter");
  check((await dialog.getByRole("textbox", { name: "Status" }).inputValue()) === "Suspended", "Enter does not take the only one");
  // A list has two ends.
  await dialog.getByRole("textbox", { name: "Level" }).focus();
  await page.keyboard.press("ArrowDown");
  const options = page.getByRole("option");
  await options.first().waitFor();
  const chosen = () => page.locator('[role="option"][data-combobox-selected]').innerText();
  await page.keyboard.press("End");
  check((await chosen()) === (await options.last().innerText()), "End does not lead to the end");
  await page.keyboard.press("Home");
  check((await chosen()) === (await options.first().innerText()), "Home does not lead to the beginning");
  await page.keyboard.press("Enter");
  await accessible(page, "a form with sections");
  // A bank account has the fields of its country.
  await dialog.getByText("Bank account", { exact: true }).click();
  check((await dialog.getByLabel("Transit number").count()) === 0, "an account without a country has a Canadian field");
  await dialog.getByRole("textbox", { name: "Country" }).last().fill("Can");
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Transit number", { exact: true }).waitFor();
  check((await dialog.getByLabel("Routing number", { exact: true }).count()) === 0, "an account in Canada has a field of the United States");
  // What was typed is discarded only if somebody says so.
  await page.keyboard.press("Escape");
  const asked = page.getByRole("dialog", { name: "Discard what you typed?" });
  await asked.waitFor();
  await accessible(page, "discarding");
  await page.keyboard.press("Enter");
  await asked.waitFor({ state: "hidden" });
  check((await dialog.getByRole("textbox", { name: "First name" }).inputValue()) === "Nora", "what was typed is gone");
  await page.keyboard.press("Escape");
  await asked.getByRole("button", { name: "Discard", exact: true }).click();
  await dialog.first().waitFor({ state: "hidden" });
  // A dialog in which nothing was typed closes at once.
  await page.getByRole("button", { name: "New agent below" }).click();
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await end();
}

/** Enter on Preview leaves the keyboard in the dialog, and a second Enter applies nothing. */
async function previewByKeyboard(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("agents/A1063");
  await page.getByRole("button", { name: /^Pay status: .*open\. Change$/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Value" }).fill("Susp");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Preview" }).focus();
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Apply" }).waitFor();
  await settled(page);
  check(await isInside(page), `the keyboard is at ${await focused(page)}`);
  await page.keyboard.press("Enter");
  check(await dialog.getByRole("button", { name: "Apply" }).isVisible(), "a second Enter applied what nobody read");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  check((await focused(page)) === "Apply", `Tab leads to ${await focused(page)}`);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  // The message of it covers nothing that can be pressed, and goes by itself.
  const message = page.getByRole("status", { name: "What was done" });
  await message.getByRole("button", { name: "Undo" }).waitFor();
  const [shown, main] = [await message.boundingBox(), await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector("main")).paddingBottom))];
  check(main >= shown.height - 1, `the page leaves ${main} pixels for a message of ${shown.height}`);
  await page.setViewportSize({ width: 390, height: 844 });
  const narrow = await message.boundingBox();
  check(narrow.x >= 0 && narrow.x + narrow.width <= 390, "a message is cut off on a telephone");
  await message.getByText("You changed").waitFor({ state: "hidden", timeout: 30_000 });
  await end();
}

/** The header leaves the page its room: at most 96 pixels, and the day where a day acts. */
async function headerIsLow(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  for (const [path, hasDay] of [["hierarchy", true], ["agents/A1006", true], ["onboarding", false], ["webhooks", false], ["administration?tab=users", false]]) {
    await go(path);
    for (const [width, height] of [[1440, 900], [720, 450], [390, 844]]) {
      await page.setViewportSize({ width, height });
      const header = await page.locator("header").boundingBox();
      check(header.height <= 96, `the header of ${path} is ${header.height} pixels high at ${width}`);
      const days = page.getByRole("group", { name: "The day that is shown" });
      check((await days.count()) === (hasDay ? 1 : 0), `${path} ${hasDay ? "has no" : "has a"} day`);
      if (!hasDay) continue;
      const bar = await days.boundingBox();
      check(bar.y + bar.height <= header.height && bar.x + bar.width <= width, `the day of ${path} does not fit at ${width}`);
    }
  }
  // Letters are those that the page brings along.
  check(await page.evaluate(() => document.fonts.check('14px "Inter"') && [...document.fonts].some((f) => f.family.includes("Inter") && f.status === "loaded")), "the font of the page is not there");
  await end();
}

export const layers = {
  "the keyboard stays in a dialog": stayInside,
  "somebody joins, by the keyboard alone": joinByKeyboard,
  "a form by the keyboard": formByKeyboard,
  "a preview by the keyboard, and its message": previewByKeyboard,
  "a low header, with a day where one acts": headerIsLow,
};
