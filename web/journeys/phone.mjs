// A telephone: every page, and what opens on it, is no wider than the screen, and rows are low.
import { accessible, check, fits, open, settled } from "./browser.mjs";
import { all } from "./pages.mjs";

const screen = { width: 390, height: 844 };

/** What reaches beyond the screen, but for what scrolls or is cut in itself. */
const beyond = (page, within) =>
  page.locator(within).last().evaluate((of) => {
    const cuts = (e) => {
      for (let above = e.parentElement; above && above !== document.body; above = above.parentElement) if (/auto|scroll|hidden/.test(getComputedStyle(above).overflowX)) return true;
      return false;
    };
    return [of, ...of.querySelectorAll("*")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1 && !cuts(e)).map((e) => `${e.tagName} ${e.textContent.slice(0, 40)}`).slice(0, 3);
  });

/** A dialog is whole: its sides are on the screen, its end can be reached. */
async function whole(page, where) {
  const dialog = page.getByRole("dialog").last();
  const box = await dialog.boundingBox();
  check(box.x >= 0 && box.x + box.width <= screen.width + 1 && box.y >= 0, `${where} is at ${JSON.stringify(box)}`);
  const over = await dialog.evaluate((d) => [d, ...d.querySelectorAll(".mantine-Modal-content, .mantine-Modal-body")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.className}: ${e.scrollWidth} of ${e.clientWidth}`));
  check(over.length === 0, `${where} is cut: ${over}`);
  const last = dialog.getByRole("button").last();
  await last.scrollIntoViewIfNeeded();
  const end = await last.boundingBox();
  check(end.y + end.height <= screen.height + 1 && end.x + end.width <= screen.width + 1, `the end of ${where} is at ${JSON.stringify(end)}`);
}

/** Pages with the buttons that open dialogs on them. */
export const dialogs = [["agents/A1006", "New agent below"], ["agents/A1006", "Change the bank account"], ["agents/A1006", "New certification"], ["onboarding", "New application"], ["webhooks", "New subscription"], ["administration?tab=users", "New user"], ["administration?tab=roles", "New role"], ["administration?tab=clients", "New client"], ["administration?tab=reference", "New tag"]];

async function onAPhone(browser, base) {
  const { page, go, end } = await open(browser, base, "admin", { viewport: screen });
  for (const path of all) {
    await go(path);
    await fits(page, path);
    const over = await beyond(page, "main");
    check(over.length === 0, `${path} reaches beyond the screen: ${over}`);
  }
  for (const [path, button] of dialogs) {
    await go(path);
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await settled(page);
    await whole(page, `${button} of ${path}`);
  }
  // Rows of lists have two lines, and say which columns they leave out.
  await go("lists/agents");
  await page.getByText("6 of 9 columns").waitFor();
  const rows = page.locator(".rows tbody tr");
  const heights = await rows.evaluateAll((each) => each.map((r) => r.getBoundingClientRect().height));
  check(heights.length > 5 && Math.max(...heights) <= 60, `rows are ${heights.slice(0, 5)} high`);
  check((await beyond(page, ".rows")).length === 0 && (await page.locator(".rows").evaluate((r) => r.scrollWidth <= r.clientWidth)), "a list is wider than the screen");
  await accessible(page, "a list on a telephone");
  // A message of what was done is whole, and covers nothing.
  await go("administration?tab=reference");
  const name = `T${Date.now()}`;
  await page.getByRole("button", { name: "New tag" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const said = page.getByRole("status", { name: "What was done" });
  await said.getByText(name).waitFor();
  const cut = await said.evaluate((s) => [s, ...s.querySelectorAll("*")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map((e) => e.textContent));
  check(cut.length === 0, `the message is cut: ${cut}`);
  await end();
}

/** No column that people need is cut on a screen of an office, and deleting is never one click away. */
async function atADesk(browser, base) {
  const { page, go, end } = await open(browser, base, "admin", { viewport: { width: 1440, height: 900 } });
  for (const path of all) {
    await go(path);
    const cut = await page.locator("main :is(.rows, .mantine-ScrollArea-viewport, .mantine-TableScrollContainer-scrollContainer)").evaluateAll((each) => each.filter((e) => e.scrollWidth > e.clientWidth + 1 && e.querySelector("table")).map((e) => `${e.ariaLabel}: ${e.scrollWidth} of ${e.clientWidth}`));
    check(cut.length === 0, `${path} cuts columns: ${cut}`);
    const deleting = await page.locator("main").getByRole("button", { name: /^Delete/ }).allInnerTexts();
    check(deleting.length === 0, `${path} has a button that deletes: ${deleting}`);
    const filled = await page.locator("main button[data-variant='filled'], main .mantine-Button-root:not([data-variant])").evaluateAll((each) => each.filter((b) => b.checkVisibility()).map((b) => b.textContent));
    check(filled.length <= 1, `${path} has ${filled.length} main actions: ${filled}`);
  }
  await end();
}

export const phone = { "every page and dialog on a telephone": onAPhone, "columns and actions at a desk": atADesk };
