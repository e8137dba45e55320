// What pages say is so: their numbers and verdicts are held against a plain book of the agency,
// which is read agent by agent on a day, as it was known at an instant, and counted here.
import { ask, check, open } from "./browser.mjs";

/** All rows of a connection. */
async function readAll(page, field, selection, variables) {
  const query = `query($filter: ${field === "agents" ? "AgentFilter" : "CertificationFilter"}, $onDate: Date, $asKnownAt: DateTime, $after: String) { list: ${field}(filter: $filter, onDate: $onDate, asKnownAt: $asKnownAt, first: 100, after: $after) { nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`;
  const rows = [];
  for (let after = null; ; ) {
    const { list } = await ask(page, query, { ...variables, after });
    rows.push(...list.nodes);
    if (!list.pageInfo.hasNextPage) return rows;
    after = list.pageInfo.endCursor;
  }
}

const ofAgents = "agentCode displayName isActive payStatus { name } membership { directUplineCode uplineSince level { value name } } homeAddress { jurisdiction { code } }";
const ofCertifications = "agent { agentCode } type { code name category } jurisdiction { code name } status effectiveThrough isResidentCertification";

/** The agency on a day, as it was known at an instant. Who is below whom is found by walking up from each. */
async function bookOf(page, onDate, asKnownAt) {
  const at = { onDate, asKnownAt };
  const agents = await readAll(page, "agents", ofAgents, at);
  const certifications = await readAll(page, "certifications", ofCertifications, at);
  const above = new Map(agents.map((a) => [a.agentCode, a.membership.directUplineCode]));
  const chainOf = (code) => {
    const chain = [];
    for (let up = above.get(code); up; up = above.get(up)) chain.push(up);
    return chain;
  };
  const chains = new Map(agents.map((a) => [a.agentCode, chainOf(a.agentCode)]));
  const below = (code) => agents.filter((a) => chains.get(a.agentCode).includes(code));
  const direct = (code) => agents.filter((a) => above.get(a.agentCode) === code);
  // Somebody is in the hierarchy from a day on; the list of agents has everybody.
  const members = agents.filter((a) => a.membership.uplineSince);
  return { onDate, members, agents, certifications, chains, above, below, direct };
}

const number = (text) => Number(/-?[\d,]+(\.\d+)?/.exec(text ?? "")?.[0].replaceAll(",", "") ?? NaN);
const plusDays = (day, n) => new Date(Date.parse(`${day}T00:00:00Z`) + n * 86_400_000).toISOString().slice(0, 10);
const countBy = (all, of) => all.reduce((counts, one) => counts.set(of(one), (counts.get(of(one)) ?? 0) + 1), new Map());

/** How many rows a list or a result says that it has; none where it says so. */
async function rowsIn(page) {
  const said = page.locator("main").getByText(/^(([\d,]+|The first [\d,]+ of [\d,]+) rows?|No row fits\..*|Nothing fits\.)$/).first();
  await said.waitFor();
  const text = await said.innerText();
  return /^(No|Nothing)/.test(text) ? 0 : number(/of ([\d,]+)/.exec(text)?.[1] ?? text);
}

/** The rows of a result as a table, by the heads of its columns. */
async function tableOf(page) {
  const form = page.getByRole("radiogroup", { name: "Form" });
  if ((await form.count()) > 0) await form.getByText("Table", { exact: true }).click();
  const table = page.getByRole("region", { name: "Rows", exact: true });
  if ((await table.count()) === 0) return [];
  return table.evaluate((of) => {
    const heads = [...of.querySelectorAll("th")].map((th) => th.innerText);
    return [...of.querySelectorAll("tbody tr")].map((tr) => Object.fromEntries([...tr.cells].map((td, i) => [heads[i], td.innerText])));
  });
}

const factOf = async (page, part, name) => (await page.getByRole("region", { name: part, exact: true }).locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("+ dd").innerText()).trim();

const list = (name, filter) => `lists/${name}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
const report = (slug, p = {}) => `insights?report=query:${slug}&p=${encodeURIComponent(JSON.stringify(p))}`;
const rows = (is) => async (page) => [["rows", await rowsIn(page), is]];

const states = ["US-TX", "US-NY"];

/** A list of agents that fit: so many rows. */
const agentsWho = (filter, fits) => (b) => ({ path: list("agents", filter), says: rows(b.agents.filter(fits).length) });
const certificationsThat = (filter, fits) => (b) => ({ path: list("certifications", filter), says: rows(b.certifications.filter((c) => fits(c, b)).length) });

/** What each page has to say, of a book and of somebody and something in it. */
const pages = {
  "all agents": agentsWho({}, () => true),
  "agents who are active": agentsWho({ isActive: true }, (a) => a.isActive),
  "agents of a pay status": (b, { status }) => agentsWho({ payStatus: [status] }, (a) => a.payStatus?.name === status)(b),
  "agents of a level": (b, { level }) => agentsWho({ level: [level] }, (a) => a.membership.level?.value === level)(b),
  "agents of a downline": (b, { who }) => agentsWho({ downlineOf: who }, (a) => b.chains.get(a.agentCode).includes(who))(b),
  "agents directly below": (b, { who }) => agentsWho({ uplineAgentCode: who }, (a) => b.above.get(a.agentCode) === who)(b),
  "agents at home in a state": (b, { state }) => agentsWho({ homeJurisdiction: state }, (a) => a.homeAddress?.jurisdiction?.code === state)(b),
  "agents who hold": (b, { state }) => {
    const holders = new Set(b.certifications.filter((c) => c.jurisdiction?.code === state).map((c) => c.agent.agentCode));
    return agentsWho({ holds: { jurisdiction: state } }, (a) => holders.has(a.agentCode))(b);
  },
  "agents who lack": (b, { type }) => {
    const holders = new Set(b.certifications.filter((c) => c.type.code === type).map((c) => c.agent.agentCode));
    return agentsWho({ lacks: { type } }, (a) => !holders.has(a.agentCode))(b);
  },
  "the rows of the agents": (b) => ({
    path: "lists/agents",
    says: async (page) => {
      const cells = await page.locator(".rows tbody tr").evaluateAll((all) => all.slice(0, 8).map((tr) => [...tr.cells].map((td) => td.innerText.trim())));
      return cells.flatMap((c) => {
        const code = c.find((text) => /^A\d+$/.test(text));
        const a = b.agents.find((one) => one.agentCode === code);
        const { level, directUplineCode: up } = a?.membership ?? {};
        return [[`${code} on its row`, c.slice(-5, -2).join("; "), [level?.name ?? "", up ?? "", b.agents.find((one) => one.agentCode === up)?.displayName ?? ""].join("; ")]];
      });
    },
  }),
  "all certifications": certificationsThat({}, () => true),
  "certifications of a state": (b, { state }) => certificationsThat({ jurisdiction: state }, (c) => c.jurisdiction?.code === state)(b),
  "certifications that are active": certificationsThat({ status: ["ACTIVE"] }, (c) => c.status === "ACTIVE"),
  "an agent": (b, { who }) => ({
    path: `agents/${who}`,
    says: async (page) => {
      const a = b.agents.find((one) => one.agentCode === who);
      const below = b.below(who);
      const sum = await page.getByText(/^(Nobody below|[\d,]+ below, [\d,]+ of them active)$/).innerText();
      const held = await page.getByRole("region", { name: "Certifications in force" }).getByRole("row").count();
      return [
        ["below", sum, below.length === 0 ? "Nobody below" : `${below.length} below, ${below.filter((one) => one.isActive).length} of them active`],
        ["the level", await factOf(page, "Identity", "Level"), a.membership.level?.name ?? "–"],
        ["the pay status", await factOf(page, "Identity", "Pay status"), a.payStatus?.name ?? "–"],
        ["the chain", (await page.getByRole("region", { name: "Upline chain" }).getByRole("link").allInnerTexts()).map((text) => text.split(" · ").at(-1)).join(), b.chains.get(who).join()],
        ["certifications", held, b.certifications.filter((c) => c.agent.agentCode === who).length],
      ];
    },
  }),
  "whether an agent can be paid": (b, { who, asked }) => ({
    path: `agents/${who}`,
    says: async (page) => {
      const { payee } = (await ask(page, "query($code: String!, $onDate: Date, $asKnownAt: DateTime) { agent(agentCode: $code, onDate: $onDate, asKnownAt: $asKnownAt) { payee { isPayable missing } } }", { code: who, ...asked })).agent;
      const verdict = await factOf(page, "Payee", "Payable");
      return [
        ["payable", verdict.split(":")[0], payee.isPayable ? "Yes" : "No"],
        ["how much is missing", verdict === "Yes" ? 0 : verdict.split(",").length, payee.missing.length],
      ];
    },
  }),
  "a card of the hierarchy": (b, { who }) => ({
    path: `hierarchy?root=${who}&agent=${who}&color=licences`,
    says: async (page) => {
      const about = (await page.getByRole("region", { name: /^About / }).getAttribute("aria-label")).replace("About ", "");
      const fact = (name) => factOf(page, `About ${about}`, name);
      return [
        ["direct", number(await fact("Direct")), b.direct(who).length],
        ["below", number(await fact("Below")), b.below(who).length],
        ["in force", number(await fact("In force")), b.certifications.filter((c) => c.agent.agentCode === who && c.status === "ACTIVE").length],
      ];
    },
  }),
  "two days compared": (b, { other }) => ({
    path: `hierarchy?compare=${other.onDate}`,
    says: async (page) => {
      const text = await page.getByRole("region", { name: "What differs" }).getByText(/joined, .* left, .* moved/).innerText();
      const [from, to] = other.onDate < b.onDate ? [other, b] : [b, other];
      const was = new Map(from.members.map((a) => [a.agentCode, a]));
      const is = new Map(to.members.map((a) => [a.agentCode, a]));
      const both = [...was.keys()].filter((code) => is.has(code));
      // Who came or left has another level, too, but no other upline.
      const differ = (among, of) => among.filter((code) => (of(is.get(code)) ?? null) !== (of(was.get(code)) ?? null)).length;
      const levels = differ([...new Set([...was.keys(), ...is.keys()])], (a) => a?.membership.level?.value);
      return [["what differs", text, `${grouped(is.size - both.length)} joined, ${grouped(was.size - both.length)} left, ${grouped(differ(both, (a) => a.membership.directUplineCode))} moved, ${grouped(levels)} have another level${is.size === was.size && both.length === is.size ? "" : ", whoever joined or left among them"}`]];
    },
  }),
  "who may sell": (b, { who, asked }) => ({
    path: `authorizations?agent=${who}&states=${encodeURIComponent(JSON.stringify(states))}`,
    says: async (page) => {
      const text = await page.getByRole("status").filter({ hasText: /answers?/ }).innerText();
      let told = 0;
      for (const state of states)
        for (const status of ["AUTHORIZED", "NOT_AUTHORIZED"]) {
          const of = await ask(page, "query($who: [String!], $status: SalesAuthorizationStatus, $state: [String!], $onDate: Date, $asKnownAt: DateTime) { salesAuthorizations(agentCodes: $who, status: $status, jurisdictions: $state, onDate: $onDate, asKnownAt: $asKnownAt, first: 10) { totalCount } }", { who: [who], status, state: [state], ...asked });
          told += of.salesAuthorizations.totalCount;
        }
      // Each No says what is missing.
      const bare = await page.getByRole("cell").filter({ hasText: /^No/ }).evaluateAll((all) => all.filter((cell) => !cell.innerText.includes("\n")).length);
      return [["answers", number(text), told], ["refusals without a reason", bare, 0]];
    },
  }),
  "the heads": (b) => ({
    path: report("headcount", { from: b.onDate, through: b.onDate }),
    says: async (page) => [["active", number((await tableOf(page)).at(-1)?.Active ?? "0"), b.agents.filter((a) => a.isActive).length]],
  }),
  "agents by pay status": (b) => ({
    path: report("pay-status-summary"),
    says: async (page) => {
      const counted = countBy(b.agents, (a) => a.payStatus?.name ?? "");
      return (await tableOf(page)).filter((row) => counted.has(row["Pay status"]) || number(row.Agents) > 0).map((row) => [row["Pay status"], number(row.Agents), counted.get(row["Pay status"]) ?? 0]);
    },
  }),
  "how many are below whom": (b) => ({
    path: report("span-of-control"),
    says: async (page) => (await tableOf(page)).slice(0, 10).flatMap((row) => [[`directly below ${row["Agent code"]}`, number(row["Direct reports"]), b.direct(row["Agent code"]).length], [`below ${row["Agent code"]}`, number(row.Downline), b.below(row["Agent code"]).length]]),
  }),
  "licences by state": (b, { state }) => ({
    path: report("license-coverage"),
    says: async (page) => {
      const active = new Set(b.agents.filter((a) => a.isActive).map((a) => a.agentCode));
      const held = b.certifications.filter((c) => c.status === "ACTIVE" && c.jurisdiction?.code === state && c.type.category === "LICENSE" && active.has(c.agent.agentCode));
      const told = (await tableOf(page)).filter((row) => row.Jurisdiction === state);
      return told.map((row) => [`${row.Type} in ${state}`, number(row["Active agents"]), new Set(held.filter((c) => c.type.name === row.Type).map((c) => c.agent.agentCode)).size]);
    },
  }),
  "who can be paid": (b) => ({ path: report("payee-readiness"), says: rows(b.agents.filter((a) => a.payStatus).length) }),
  applications: () => ({
    path: "onboarding",
    says: async (page) => {
      const { applications } = await ask(page, "{ applications(first: 100) { nodes { status } } }");
      const counted = countBy(applications.nodes, (a) => a.status);
      const tabs = (await page.getByRole("radiogroup", { name: "Status" }).locator("label").allInnerTexts()).filter((text) => /\d/.test(text));
      return [["applications", tabs.reduce((sum, text) => sum + number(text), 0), applications.nodes.length], ...tabs.map((text) => [text, number(text), counted.get(text.replace(/ \d+$/, "").toUpperCase()) ?? 0])];
    },
  }),
};

/** Somebody and something to ask about, of those who are there. */
function choiceOf(b) {
  const any = (all) => all[Math.floor(Math.random() * all.length)];
  const leaders = b.agents.filter((a) => b.direct(a.agentCode).length > 0);
  const { agentCode: who } = any(leaders.length > 0 ? leaders : b.agents);
  const held = b.certifications.filter((c) => c.jurisdiction);
  return {
    who,
    status: any(b.agents.filter((a) => a.payStatus))?.payStatus.name ?? "Active",
    level: any(b.agents.filter((a) => a.membership.level))?.membership.level.value ?? 10,
    state: any(held)?.jurisdiction.code ?? "US-TX",
    type: any(b.certifications)?.type.code ?? "LIFE",
  };
}

const grouped = (n) => n.toLocaleString("en-US");
const isLong = process.env.UPLINE_JOURNEY_CASES !== undefined;

/** Holds every page to the book of a day, as it is known now and as it was at some instant. A page that differs is asked again: somebody may have changed the agency meanwhile. */
const saysWhatIsSo = (dayOf) => async (browser, base) => {
  const { page, go, end } = await open(browser, base, "admin");
  const { viewer, agencyHistory: known } = await ask(page, "{ viewer { today } agencyHistory { firstDate lastDate } }");
  const between = (from, to) => plusDays(from, Math.floor(Math.random() * ((Date.parse(to) - Date.parse(from)) / 86_400_000)));
  const onDate = dayOf({ today: viewer.today, ...known }, between);
  const otherDay = between(known.firstDate, known.lastDate);
  let told = 0;
  const instants = [null, `${between(known.firstDate, viewer.today)}T12:00:00.000Z`];
  for (const asKnownAt of instants) {
    const asked = { onDate, asKnownAt };
    const books = async () => ({ b: await bookOf(page, onDate, asKnownAt), other: await bookOf(page, otherDay, asKnownAt) });
    let { b, other } = await books();
    if (b.members.length === 0) continue;
    const choice = choiceOf(b);
    const differing = async (name) => {
      const { path, says } = pages[name](b, { ...choice, asked, other });
      await go(`${path}${path.includes("?") ? "&" : "?"}day=${onDate}${asKnownAt ? `&known=${encodeURIComponent(asKnownAt)}` : ""}`);
      const said = await says(page);
      told += said.length;
      return said.filter(([, shown, is]) => shown !== is).map(([what, shown, is]) => `${name}, at ${page.url()}: ${what} is ${shown}, and should be ${is}`);
    };
    // In the suite a page is read at one of the two instants, whichever comes.
    for (const name of Object.keys(pages).filter(() => isLong || Math.random() < 0.5)) {
      let wrong = await differing(name);
      for (let again = 0; again < 2 && wrong.length > 0; again++) {
        ({ b, other } = await books());
        wrong = await differing(name);
      }
      check(wrong.length === 0, wrong.join("; "));
    }
  }
  await end();
  return `${told} numbers and verdicts`;
};

export const so = {
  "says what is so, today": saysWhatIsSo(({ today }) => today),
  "says what is so, on a past day": saysWhatIsSo(({ firstDate, today }, between) => between(plusDays(firstDate, 700), today)),
  "says what is so, on a day to come": saysWhatIsSo(({ today, lastDate }, between) => between(plusDays(today, 1), lastDate)),
};
