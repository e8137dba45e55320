// Quick hands: keys held down, fast drags, what is clicked before the last answer is
// there. They are driven as a hand drives them, by keyboard and mouse, each event at its
// time: what a page then shows, what its controls show and what its URL says are one.
import { ask, check, eventually, open, settled } from "./browser.mjs";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const dayLength = 86_400_000;
const formatted = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

/** The day of the URL, of the slider and of what is shown, which are one. */
async function day(page, what) {
  await pause(300); // a hand rests after less: what is to come late has come
  const read = async () => {
    await settled(page);
    const picker = (await page.getByRole("textbox", { name: /Choose a day$/ }).getAttribute("aria-label")).replace(/As of (.*)\. Choose a day/, "$1");
    const inURL = new URL(page.url()).searchParams.get("day");
    return {
      slider: formatted.format(Number(await page.getByRole("slider").getAttribute("aria-valuenow")) * dayLength),
      shown: (await page.getByRole("group", { name: /^Timeline, as of/ }).getAttribute("aria-label")).replace("Timeline, as of ", ""),
      picker,
      url: inURL ? formatted.format(new Date(inURL)) : picker,
    };
  };
  const { slider } = await eventually(read, (days) => new Set(Object.values(days)).size === 1, what);
  return Date.parse(`${slider} UTC`);
}

async function slideQuickly(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst");
  await go("agents/A1006?day=2025-06-15");
  const slider = page.getByRole("slider");
  let before = await day(page, "at first");
  for (const apart of [0, 35]) {
    await slider.focus();
    for (let i = 0; i < 10; i++) {
      await page.keyboard.press("ArrowLeft");
      if (apart) await pause(apart);
    }
    const after = await day(page, `ten presses, ${apart} ms apart`);
    check(before - after === 10 * dayLength, `ten presses, ${apart} ms apart, went ${(before - after) / dayLength} days`);
    before = after;
  }
  // A key that is held down comes again and again.
  for (let i = 0; i < 40; i++) {
    await page.keyboard.down("ArrowLeft");
    await pause(33);
  }
  await page.keyboard.up("ArrowLeft");
  const held = await day(page, "a key held down");
  check(before - held === 40 * dayLength, `a key held down went ${(before - held) / dayLength} days`);
  const box = await slider.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 20; i++) {
    await page.mouse.move(x - 4 * i, y);
    await pause(16);
  }
  await page.mouse.up();
  check((await day(page, "a fast drag")) < held, "a fast drag moved nothing");
  const end20 = await slider.boundingBox();
  // A move that is lost is four pixels.
  check(Math.abs(end20.x + end20.width / 2 - (x - 80)) < 4, `the thumb is left ${end20.x + end20.width / 2 - (x - 80)} pixels beside the pointer`);
  // What is pressed last counts, however soon.
  await slider.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Today" }).click();
  await day(page, "today, at once");
  check(!page.url().includes("day="), "today was lost");
  await end();
}

/** Holds back what the page asks, all of it or an operation, until it is let go. The route stays: a request that is on its way when it goes is never answered. */
async function held(page, operation) {
  let letGo;
  const gone = new Promise((done) => (letGo = done));
  await page.route("**/graphql/**", (route) => (!operation || route.request().postData()?.includes(`"operationName":"${operation}"`) ? gone.then(() => route.continue()) : route.fallback()));
  return letGo;
}

/** Enter takes the best hit, before its answer is there; what finds nobody says so. */
async function searchQuickly(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("lists/agents?columns=%5B%22agentCode%22%2C%22firstName%22%2C%22lastName%22%2C%22email%22%2C%22npn%22%5D");
  const rename = await ask(page, 'mutation { agentUpdate(input: { agentCode: "A1031", lastName: "李", npn: "20261124", initiator: "journey" }) { agent { firstName email } userErrors { message } } }');
  const { firstName, email } = rename.agentUpdate.agent;
  const search = page.getByRole("textbox", { name: "Find an agent" });
  for (const text of [`${firstName} 李`, `李, ${firstName}`, "李", "20261124", email, "a1031"]) {
    await go("explore");
    const letGo = await held(page);
    await search.click();
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    letGo();
    await page.waitForURL(/agents\/A1031/, { timeout: 10_000 }).catch(() => check(false, `Enter after ${text} leads to ${page.url()}`));
    await settled(page);
  }
  await search.click();
  await page.keyboard.type("qqqq");
  await page.getByText("Nobody is found by “qqqq”").waitFor();
  await page.keyboard.press("Enter");
  check(/agents\/A1031/.test(page.url()), `nobody leads to ${page.url()}`);
  await end();
}

/** Two changes of the same thing, the second before the page shows the first. */
async function changeQuickly(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const atOnce = (...names) => page.evaluate((names) => names.map((name) => [...document.querySelectorAll("input")].find((box) => box.labels?.[0]?.innerText === name)).forEach((box) => box.click()), names);
  const inURL = (name) => JSON.parse(new URL(page.url()).searchParams.get(name));
  await go("lists/agents");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "NPN" }).waitFor();
  await atOnce("NPN", "City", "E-mail");
  await settled(page);
  check(["npn", "homeAddress.city", "email"].every((path) => inURL("columns").includes(path)), `the columns are ${inURL("columns")}`);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByLabel("Last name begins with").click();
  await page.keyboard.type("J");
  await page.keyboard.press("Tab");
  await page.keyboard.type("A");
  await page.keyboard.press("Enter");
  await settled(page);
  check(JSON.stringify(inURL("filter")) === '{"lastName":"J","firstName":"A"}', `the filter is ${JSON.stringify(inURL("filter"))}`);
  // A code that was typed into a field counts without a choice from the list.
  await page.getByRole("textbox", { name: "Direct upline" }).click();
  await page.keyboard.type("a1000");
  await page.keyboard.press("Tab");
  await page.waitForURL(/A1000/);

  await go("agents/A1032");
  const tags = page.getByRole("textbox", { name: "Tags" });
  const wornNow = async () => (await ask(page, '{ agent(agentCode: "A1032") { tags { name } } }')).agent.tags.map((t) => t.name);
  const worn = await wornNow();
  const chosen = (await ask(page, "{ tags { name } }")).tags.map((t) => t.name).filter((name) => !worn.includes(name)).slice(0, 2);
  const letGo = await held(page);
  for (const name of chosen) {
    await tags.click();
    await page.getByRole("option", { name }).click();
  }
  letGo();
  check(chosen.length === 2, `only ${chosen} can be chosen`);
  const then = await eventually(wornNow, (now) => chosen.every((tag) => now.includes(tag)), `of ${chosen} are worn`);
  await go("agents/A1032");
  // What is removed, and typed, while the page reads anew what the last change made of it.
  await tags.click();
  const readOn = await held(page, "Agent");
  await Promise.all([page.waitForRequest((r) => r.postData()?.includes('"operationName":"Agent"')), page.keyboard.press("Backspace")]);
  await page.keyboard.press("Backspace");
  const alias = page.getByRole("textbox", { name: "New alias" });
  await alias.click();
  await page.keyboard.type("QH-1");
  readOn();
  const now = await eventually(wornNow, (now) => now.length === then.length - 2, `of ${then} are left`);
  await settled(page);
  check((await alias.inputValue()) === "QH-1", "what was typed meanwhile is gone");
  const pills = await page.getByRole("region", { name: "Tags and aliases" }).locator(".mantine-Pill-label").allInnerTexts();
  check(pills.join() === now.join(), `${now} are worn, and ${pills} are shown`);
  await end();
}

/** Two tabs at one record: what the second was shown is no more, and it says so. */
async function twoTabs(browser, base) {
  const [one, two] = [await open(browser, base, "admin"), await open(browser, base, "admin")];
  const stale = two.page.getByText("The record was changed since it was read");
  const period = async ({ page, go }) => {
    await go("agents/A1041");
    const bar = page.getByRole("button", { name: /^Pay status: /, exact: false }).last();
    const [, from] = /, (.*) – /.exec(await bar.getAttribute("aria-label"));
    await bar.click();
    // A period that is clicked opens with its own days; from today is another button.
    const shown = formatted.format(new Date(await page.getByRole("dialog").locator('input[type="date"]').first().inputValue()));
    check(shown === from, `the period from ${from} opens from ${shown}`);
    await page.getByRole("dialog").getByRole("button", { name: "From today" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Value" }).click();
    await page.getByRole("option", { name: "Suspended" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Preview" }).click();
    await page.getByRole("dialog").getByRole("group", { name: "Then" }).waitFor();
  };
  await period(one);
  await period(two);
  await one.page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await one.page.getByRole("dialog").waitFor({ state: "hidden" });
  await two.page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await stale.waitFor();
  await two.page.getByRole("button", { name: "Read it again" }).click();
  await two.page.getByRole("button", { name: /^Pay status: Suspended/ }).waitFor();

  const user = async ({ page, go }, email) => {
    await go("administration?tab=users");
    await page.getByRole("button", { name: "Change recruiter", exact: true }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "E-mail" }).fill(email);
  };
  await user(one, `rita${Date.now()}@example.com`); // another than before, also when the journey is walked again
  await user(two, "rosa@example.com");
  for (const { page } of [one, two]) await page.getByRole("dialog").getByRole("button", { name: "Save as approved" }).click();
  await stale.waitFor();

  const settings = async ({ page, go }) => {
    await go("administration?tab=settings");
    return page.getByRole("textbox", { name: "Name", exact: true });
  };
  const [first, second] = [await settings(one), await settings(two)];
  const name = await first.inputValue();
  await first.fill(`${name} One`);
  await one.page.getByRole("button", { name: "Save" }).click();
  await one.page.getByRole("heading", { name: `${name} One` }).waitFor();
  await second.fill(`${name} Two`);
  await two.page.getByRole("button", { name: "Save" }).click();
  await two.page.getByText("The record was changed since it was read").waitFor();
  await one.page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await one.page.getByRole("button", { name: "Save" }).click();
  await one.page.getByRole("heading", { name, exact: true }).waitFor();
  await one.end();
  await two.end();
}

/** Clients and subscriptions that somebody else has changed since they were shown stay as that left them. */
async function changedMeanwhile(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const stale = page.getByText("The record was changed since it was read");
  const description = `of ${Date.now()}`;
  const clientId = "demo.meanwhile";
  await ask(page, 'mutation { clientDelete(input: {clientId: "demo.meanwhile"}) { applied } clientCreate(input: { name: "meanwhile", scopes: ["read:agents"] }) { applied } }');
  await go("administration?tab=clients");
  const part = page.getByRole("region", { name: clientId });
  await part.getByText("Enabled").waitFor();
  await ask(page, "mutation($clientId: String!, $description: String!) { clientUpdate(input: { clientId: $clientId, description: $description }) { applied } }", { clientId, description });
  for (const [button, yes] of [["Disable", "Disable"], ["New secret", "Make the secret"]]) {
    await part.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").getByRole("button", { name: yes }).click();
    await stale.first().waitFor();
  }
  await part.getByRole("button", { name: "Read it again" }).first().click();
  await settled(page);
  await part.getByText("Enabled").waitFor();
  await part.getByRole("button", { name: "New secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make the secret" }).click();
  await page.getByText(`The new secret of ${clientId}`).waitFor();
  await ask(page, 'mutation { clientDelete(input: {clientId: "demo.meanwhile"}) { applied } }');

  await go("webhooks");
  const pauses = page.getByRole("button", { name: "Pause" });
  await pauses.waitFor();
  const { all } = await ask(page, "{ all: webhookSubscriptions(first: 1) { nodes { id } } }");
  await ask(page, "mutation($id: ID!, $description: String!) { webhookSubscriptionUpdate(input: { id: $id, description: $description }) { applied } }", { id: all.nodes[0].id, description });
  await pauses.click();
  await stale.waitFor();
  await page.getByRole("button", { name: "Read it again" }).click();
  await page.getByRole("region", { name: description }).waitFor();
  await pauses.waitFor();
  await end();
}

/** What was replaced since it was shown is not deleted: the dialog had another recipe in it. */
async function deleteAsShown(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const input = (fields) => ({ name: "Of two tabs", dataset: "graphql", definition: { graphql: `query($first: Int, $after: String) { agents(first: $first, after: $after) { totalCount nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`, connectionPath: "agents", columns: [{ field: "agentCode", label: "Code" }] } });
  const { change } = await ask(page, "mutation($input: AgencyRecipeCreateInput!) { change: agencyRecipeCreate(input: $input) { reportRecipe { id } userErrors { message field } } }", { input: input("agentCode") });
  check(change.reportRecipe, JSON.stringify(change));
  await go("insights");
  await page.getByRole("button", { name: "Of two tabs" }).click();
  await page.getByRole("button", { name: "More of the recipe" }).waitFor();
  await ask(page, "mutation($input: AgencyRecipeReplaceInput!) { agencyRecipeReplace(input: $input) { applied } }", { input: { id: change.reportRecipe.id, ...input("agentCode npn") } });
  const remove = async () => {
    await page.getByRole("button", { name: "More of the recipe" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the recipe" }).click();
  };
  await remove();
  await page.getByText("The record was changed since it was read").waitFor();
  await page.getByRole("button", { name: "Read it again" }).click();
  await settled(page);
  await remove();
  await page.getByRole("button", { name: "Of two tabs" }).waitFor({ state: "detached" });
  await end();
}

export const quick = {
  "delete as it was shown": deleteAsShown,
  "two tabs at one record": twoTabs,
  "change what was changed meanwhile": changedMeanwhile,
  "slide with quick hands": slideQuickly,
  "search with quick hands": searchQuickly,
  "change with quick hands": changeQuickly,
};
