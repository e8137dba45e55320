// The hierarchy: opened, moved in time, compared, reorganised as a trial, and how fast.
import { accessible, ask, check, eventually, open, opening, settled } from "./browser.mjs";
import { cards, drag, firstView, moveTheDay, openThousands, tried, watch } from "./timing.mjs";

const soon = (goal) => (took, strain) => took < goal * strain;
const smooth = (frames, strain) => frames * strain >= 30;

/** A step of the day, and panning, with the 200 cards of an upline with all its reports. */
async function redrawTheTree(browser, base) {
  const o = await open(browser, base, "analyst");
  await o.go("hierarchy?open=%5B%22A1000%2B%22%5D");
  const shown = await cards(o.page);
  check(shown >= 200, `only ${shown} cards`);
  const day = await tried(moveTheDay(o), soon(300));
  check(day.isReached, `the day moved in ${day.found.join(", ")} ms`);
  const panning = await tried(() => drag(o.page, 1000), smooth);
  check(panning.isReached, `${panning.found.join(", ")} frames a second`);
  await o.end();
  return `${shown} cards: the day moved in ${day.found.join(", ")} ms; ${panning.found.join(", ")} frames a second`;
}

/** 5,000 cards in sight at once can be dragged. */
async function manyCards(browser, base) {
  const o = await open(browser, base, "analyst");
  const shown = await openThousands(o);
  const { found, isReached } = await tried(() => drag(o.page, 1000), smooth);
  const said = `${found.join(", ")} frames a second with ${shown} cards`;
  check(shown >= 5000 && isReached, said);
  await o.end();
  return said;
}

async function compareTwoDays(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("hierarchy");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByLabel("With the day").fill("2025-01-01");
  await asks("comparing", () => page.getByRole("dialog").getByRole("button", { name: "Compare" }).click());
  const said = await page.getByText(/\d+ joined, \d+ left, \d+ moved/).innerText();
  check(!said.startsWith("0 joined"), `nobody joined: ${said}`);
  await asks("showing who joined", () => page.getByRole("region", { name: "What differs" }).getByRole("listitem").first().getByRole("button").click());
  check(page.url().includes("agent="), "who joined is not shown");
  await end();
  return said;
}

async function whatIf(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  // What is lost of a history is the one warning that matters: a period that begins later.
  const year = new Date().getUTCFullYear() + 1;
  await ask(page, "mutation($input: UplinePeriodApplyInput!) { uplinePeriodApply(input: $input) { applied } }", { input: { agentCode: "A1007", uplineAgentCode: "A1012", effectiveFrom: `${year}-06-01` } });
  await go("hierarchy?agent=A1007");
  await page.getByRole("button", { name: "Move, as a trial" }).click();
  const basket = page.getByRole("region", { name: "What if" });
  const name = `Spring ${Date.now()}`;
  await basket.getByRole("textbox", { name: "Move A1007 below" }).fill("A1010");
  await page.getByRole("option", { name: /A1010/ }).click();
  await basket.getByRole("textbox", { name: "Name" }).fill(name);
  await asks("the preview of what is not saved", () => basket.getByRole("button", { name: "Preview" }).click());
  await basket.getByText(/authorizations are gained/).waitFor();
  // A preview saves nothing.
  const { scenarios } = await ask(page, "{ scenarios(first: 100) { nodes { name } } }");
  check(!scenarios.nodes.some((s) => s.name === name) && !page.url().includes("scenario="), "a preview saves a scenario");
  await asks("the scenario saved", () => basket.getByRole("button", { name: "Save" }).click());
  await page.waitForURL(/scenario=/);
  // Whoever opens the link has the same moves under the same name.
  await go(page.url().replace(/^.*?(hierarchy\?)/, "$1").replace(/&?moves=[^&]*/, ""));
  await basket.getByText("A1007 → A1010").waitFor();
  check((await basket.getByRole("textbox", { name: "Name" }).inputValue()) === name, "the link does not open the scenario");
  await asks("the preview", () => basket.getByRole("button", { name: "Preview" }).click());
  await basket.getByText(/authorizations are gained/).waitFor();
  const effect = await basket.getByText(/agents? (is|are) affected/).innerText();
  await accessible(page, "the basket");
  const lost = new RegExp(`^The period of .* from Jun 1, ${year} is removed\\.$`);
  await basket.getByText(lost).waitFor();
  await basket.getByRole("button", { name: "Apply all" }).click();
  const asked = page.getByRole("dialog", { name: `Apply ${name}` });
  await asked.getByText(lost).waitFor();
  await accessible(page, "whether to apply");
  await asked.getByRole("button", { name: "Move 1 agent" }).click();
  await basket.getByText(/moves? (was|were) applied/).waitFor();
  const upline = async () => (await ask(page, '{ agent(agentCode: "A1007") { membership { directUplineCode } } }')).agent.membership.directUplineCode;
  check((await upline()) === "A1010", "the move was not applied");
  await page.getByRole("status", { name: "What was done" }).getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("dialog", { name: "Take it back" }).getByRole("button", { name: "Take it back" }).click();
  await eventually(upline, (now) => now !== "A1010", "the move is taken back");
  await end();
  return effect;
}

/** A colleague is asked for a review, sees the scenario, comments and approves; after a change it is said that the approval was of another. */
async function reviewAScenario(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  const name = `Review ${Date.now()}`;
  await go(`hierarchy?agent=A1007&moves=${encodeURIComponent('["A1007>A1010"]')}`);
  const basket = page.getByRole("region", { name: "What if" });
  await basket.getByRole("textbox", { name: "Name" }).fill(name);
  await basket.getByRole("textbox", { name: "Ask colleagues for a review" }).fill("recr");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await asks("asking for a review", () => basket.getByRole("button", { name: "Save" }).click());
  await basket.getByRole("region", { name: "Reviews" }).getByText("Is asked").waitFor();
  await accessible(page, "who is asked");
  const colleague = await open(browser, base, "recruiter");
  await colleague.go("hierarchy");
  await colleague.page.getByRole("button", { name: "What if" }).click();
  const theirs = colleague.page.getByRole("region", { name: "What if" });
  await theirs.getByRole("textbox", { name: "Scenario" }).fill(name);
  await colleague.page.getByRole("option", { name: new RegExp(`${name} .*asks you`) }).waitFor();
  await colleague.page.keyboard.press("Enter");
  await theirs.getByText("A1007 → A1010").waitFor();
  await theirs.getByRole("textbox", { name: "Your review" }).fill("Ann agrees.");
  await accessible(colleague.page, "a review");
  await theirs.getByRole("button", { name: "Approve" }).click();
  await theirs.getByText("Approved", { exact: true }).waitFor();
  await colleague.end();
  await go(page.url().replace(/^.*?(hierarchy\?)/, "$1"));
  const reviews = basket.getByRole("region", { name: "Reviews" });
  await reviews.getByText("Ann agrees.").waitFor();
  await reviews.getByText("Approved", { exact: true }).waitFor();
  await basket.getByLabel("From", { exact: true }).fill("2027-03-01");
  await basket.getByRole("button", { name: "Save" }).click();
  await reviews.getByText("Approved, before it was changed").waitFor();
  await end();
}

/** Two cards are chosen and dragged onto a third: the basket has their moves, and the tree is drawn as it would be. */
async function dragCards(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("hierarchy?open=%5B%22A1000%22%5D&agent=A1007");
  const canvas = page.locator(".chart > canvas");
  await page.getByRole("region", { name: /^About/ }).waitFor();
  await page.waitForTimeout(600); // cards go to their places
  const box = await canvas.boundingBox();
  // Whoever is searched for stands here, with the next reports below it.
  const middle = { x: box.x + Math.max(10, box.width * 0.85 - 200) + 60, y: box.y + box.height / 2 };
  const below = (n) => ({ ...middle, y: middle.y + n * 58 * 0.8 });
  const click = (at, keys = []) => canvas.click({ position: { x: at.x - box.x, y: at.y - box.y }, modifiers: keys });
  await click(below(2), ["Shift"]);
  await page.getByText("2 agents are chosen.").waitFor();
  const carry = async (to) => {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 8 });
    await page.locator(".carried").waitFor();
  };
  await carry(below(1));
  await page.keyboard.press("Escape");
  await page.mouse.up();
  check(!page.url().includes("moves="), "Escape does not let go");
  await carry(below(1));
  await page.mouse.up();
  const basket = page.getByRole("region", { name: "What if" });
  await basket.getByText(/^A1007 → A\d+$/).waitFor();
  const moves = await basket.getByText(/^A\d+ → A\d+$/).allInnerTexts();
  check(moves.length === 2 && new Set(moves.map((m) => m.split(" ")[2])).size === 1, `the basket has ${moves.join(", ")}`);
  const to = moves[0].split(" ")[2];
  check(!moves.some((m) => m.startsWith(to)), "somebody moves below itself");
  // Space chooses one more, or one less, by keyboard; what is chosen last is moved with a button, too.
  await page.getByRole("application").focus();
  await page.keyboard.press("Space");
  await page.getByText("2 agents are chosen.").waitFor({ state: "hidden" });
  await page.keyboard.press("Space");
  const frame = page.locator(".minimap > div");
  const before = await frame.getAttribute("style");
  await page.locator(".minimap").click({ position: { x: 60, y: 60 } });
  await eventually(() => frame.getAttribute("style"), (now) => now !== before, "the small map leads there");
  await accessible(page, "chosen cards");
  await end();
  return moves.join(", ");
}

/** A part of the hierarchy is shown alone, and says whose it is: each name above leads to the larger part. */
async function aPart(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("hierarchy?agent=A1005");
  await asks("the part", () => page.getByRole("button", { name: "Show only this part" }).click());
  const trail = page.getByRole("navigation", { name: "Whose part is shown" });
  await trail.getByText("Everybody").waitFor();
  const { agent } = await ask(page, '{ agent(agentCode: "A1005") { displayName uplineChain { agent { agentCode displayName } } } }');
  const names = ["Everybody", ...agent.uplineChain.map((link) => link.agent.displayName).reverse(), agent.displayName];
  await eventually(async () => (await trail.innerText()).split(/\s*›\s*/).map((n) => n.trim()), (now) => now.join() === names.join(), `the way is ${names}`);
  await accessible(page, "a part of the hierarchy");
  const [above] = agent.uplineChain;
  await asks("the larger part", () => trail.getByRole("button", { name: above.agent.displayName }).click());
  check(page.url().includes(`root=${above.agent.agentCode}`), "the name above leads elsewhere");
  await trail.getByRole("button", { name: "Everybody" }).click();
  await page.waitForURL((url) => !url.searchParams.has("root"));
  await end();
  return names.join(" › ");
}

/** Top down, by size, and only those of a state: the link shows the same to the next one. */
async function layOut(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("hierarchy?open=%5B%22A1000%2B%22%5D");
  const chart = page.getByRole("application");
  const all = await eventually(() => cards(page), (n) => n > 100, "cards");
  const choose = async (field, option) => {
    await page.getByRole("textbox", { name: field }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await choose("Layout", "Top down");
  await page.waitForURL(/form=down/);
  await settled(page);
  check((await cards(page)) === all, "top down there are as many cards");
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  const said = () => chart.locator("[aria-live]").innerText();
  const top = await eventually(said, (text) => text !== "", "the first card is said");
  await page.keyboard.press("ArrowDown");
  const below = await eventually(said, (text) => text !== top, "somebody below is said");
  await page.keyboard.press("ArrowUp");
  await eventually(said, (text) => text === top, "up leads back");
  await accessible(page, "the hierarchy top down");

  await page.getByRole("button", { name: "Show only", exact: true }).click();
  await choose("Home state", "Texas");
  await page.waitForURL(/only=/);
  await settled(page);
  await page.keyboard.press("Escape");
  const fit = Number((await page.getByText(/that are read fits?/).innerText()).match(/^\d+/)[0]);
  const shown = await eventually(() => cards(page), (n) => n < all, "fewer cards");
  const { agents } = await ask(page, '{ agents(first: 1, filter: { homeJurisdiction: "US-TX", uplineAgentCode: "A1000" }) { totalCount } }');
  check(fit >= agents.totalCount && agents.totalCount > 0, `${fit} fit, ${agents.totalCount} of them report to the top`);
  check(shown >= fit && shown <= 2 * fit + 20, `${shown} cards for ${fit} who fit`);
  await accessible(page, "whom to show");

  await choose("Layout", "By size");
  await page.waitForURL(/form=area/);
  await settled(page);
  const areas = page.locator(".areas canvas");
  const drawn = await eventually(() => areas.evaluate((c) => Number(c.dataset.areas ?? 0)), (n) => n > 20, "areas");
  await accessible(page, "the hierarchy by size");
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await eventually(said, (text) => text !== "", "an agent is said");
  await asks("the part of an area", () => page.keyboard.press("Enter"), opening);
  await page.getByRole("navigation", { name: "Whose part is shown" }).waitFor();
  const other = await open(browser, base, "admin");
  await other.go(page.url().replace(/^.*?(hierarchy\?)/, "$1"));
  await other.page.locator(".areas canvas").waitFor();
  await other.page.getByRole("button", { name: "Show only (1)" }).waitFor();
  await other.end();
  await end();
  return `${below}; ${fit} fit; ${drawn} areas`;
}

/** From the navigation to the last paint: a second, and two for an agency of 100,000. */
async function seeItFirst(browser, base) {
  const o = await open(browser, base, "analyst");
  await o.page.addInitScript(watch);
  await o.go("lists/agents");
  const agents = Number((await o.page.getByText(/rows?$/).innerText()).replaceAll(/\D/g, ""));
  const { found, isReached } = await tried(firstView(o, base), soon(agents > 10_000 ? 2000 : 1000));
  const said = `${found.join(", ")} ms with ${agents} agents`;
  check(isReached, said);
  await o.end();
  return said;
}

/** Whoever is there no more is drawn going, and what was drawn is gone afterwards. */
async function leave(browser, base) {
  const { page, go, end } = await open(browser, base, "analyst", { reducedMotion: "no-preference" });
  await go("hierarchy?open=%5B%22A1000%2B%22%5D");
  const leaving = (compare) => page.waitForFunction(compare);
  await page.getByRole("slider").focus();
  const seen = leaving(() => Number(document.querySelector("canvas")?.dataset.leaving) > 0);
  await page.keyboard.press("Home");
  await seen;
  await leaving(() => document.querySelector("canvas")?.dataset.leaving === "0");
  const said = await page.getByText(/not there yet/).innerText();
  await end();
  return said;
}

/** Opens everybody, step by step, each step in three requests at most. */
async function openEverybody(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "analyst");
  await go("hierarchy");
  const roots = await page.evaluate(async () => {
    const query = "{ team { roots(first: 20) { nodes { agentCode } } } }";
    const answer = await fetch("/graphql/demo", { method: "POST", headers: { "Content-Type": "application/json", "X-Upline-Request": "workbench" }, body: JSON.stringify({ query }) });
    return (await answer.json()).data.team.roots.nodes.map((n) => n.agentCode);
  });
  await asks("opening everybody", () => page.goto(`${base}/workbench/demo/hierarchy?open=${encodeURIComponent(JSON.stringify(roots.map((code) => `${code}*`)))}`), opening);
  const more = page.getByRole("button", { name: "Read on" });
  let steps = 0;
  for (; (await more.count()) > 0; steps++) await asks("reading on", () => more.click());
  check(steps > 0 && (await cards(page)) > 1000, `${await cards(page)} cards after ${steps} steps`);
  await end();
  return `${steps} steps`;
}

export const hierarchy = {
  "who leaves is drawn leaving": leave,
  "open everybody": openEverybody,
  "compare two days": compareTwoDays,
  "what if, and apply": whatIf,
  "review a scenario": reviewAScenario,
  "drag cards onto a new upline": dragCards,
  "a part of the hierarchy, and the way back": aPart,
  "lay the hierarchy out, and show only some": layOut,
};

/** What looks at a clock: nothing else is done meanwhile. */
export const timed = { "redraw the tree": redrawTheTree, "drag 5,000 cards": manyCards, "first view": seeItFirst };
