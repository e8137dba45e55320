import { type Client, gql } from "urql";
import { startDay } from "../../parts/format";
import type { Color, Depth, Form, Only } from "./state";

/** An agent in the hierarchy, on a day. */
export interface Card {
  code: string;
  name: string;
  parent: string | null;
  direct: number;
  downline: number;
  isActive: boolean;
  level: number | null;
  levelName: string | null;
  payStatus: string | null;
  licences: number | null;
  /** Code of the jurisdiction of the home address, where it is asked for. */
  home: string | null;
  /** When the agent came below its upline, and when it started, as days. */
  since: string | null;
  started: string;
  /** Was here on the day that is compared with, and is no more. */
  isGone?: boolean;
}

interface Node {
  agentCode: string;
  parentAgentCode: string | null;
  directCount: number;
  downlineCount: number;
  agent: {
    displayName: string;
    isActive: boolean;
    startDate: string;
    membership?: { uplineSince: string | null; level?: { value: number; name: string } | null };
    payStatus?: { name: string } | null;
    certifications?: { totalCount: number };
    homeAddress?: { jurisdiction: { code: string } | null } | null;
  };
}

interface Subtree {
  downlineTree: { nodes: Node[]; truncated: boolean };
}

export interface Wanted {
  root: string | null;
  /** The agent that the way leads to. */
  agent: string | null;
  open: ReadonlyMap<string, Depth> | null;
  color: Color;
  form: Form;
  only: Only;
  /** Another day, which is asked for beside this one. */
  compare: string | null;
  onDate: string;
  asKnownAt: string | null;
  /** How many are below, as far as it is known from another day. */
  counts: ReadonlyMap<string, { direct: number; downline: number }>;
  /** What was read of the same day before: only the rest is asked for. */
  had: Loaded | null;
}

export interface Loaded {
  cards: Map<string, Card>;
  roots: string[];
  /** Whoever is above the part that is shown, from the top down to its root. */
  above: Named[];
  /** From the root to the agent that was searched for. */
  way: string[];
  /** What is open: what was asked for, or at first the first root. */
  open: ReadonlyMap<string, Depth>;
  /** The agency's levels, lowest first. */
  levels: number[];
  /** Roots besides those that are shown. */
  moreRoots: number;
  /** The subtrees that were read, of those that are or were open. */
  read: ReadonlySet<string>;
  /** Opened subtrees that are still to be read, since a look asks three times at most. */
  leftOut: number;
  error: string | null;
}

/** The first reports of an agent that are shown when it is opened. */
export const someReports = 12;
const mostReports = 900;
// The server answers an operation of so many points, of so many fields; a view asks at most so often at a time.
const budget = 4_800;
const mostParts = 18;
const mostRequests = 3;

/** The fields of a card, and what they cost in points: those that every card has, and those that its colour, or the choice of whom to show, takes. A full card has its level and its pay status in any case. */
function cardOfWanted({ color, only }: Pick<Wanted, "color" | "only">, isFull: boolean): { fields: string; cost: number } {
  const parts: [needed: boolean, fields: string, cost: number][] = [
    [isFull || color === "payStatus" || only.payStatus !== undefined, "payStatus { name }", 1],
    [color === "licences", "certifications(first: 1, filter: { status: [ACTIVE] }) { totalCount }", 7],
    [only.home !== undefined, "homeAddress { jurisdiction { code } }", 2],
  ];
  const needed = parts.filter(([is]) => is);
  const hasLevel = isFull || color === "level" || only.level !== undefined;
  const level = hasLevel ? "level { value name }" : "";
  return {
    fields: `agentCode parentAgentCode directCount downlineCount agent { displayName isActive startDate membership { uplineSince ${level} } ${needed.map(([, fields]) => fields).join(" ")} }`,
    cost: 3 + (hasLevel ? 1 : 0) + needed.reduce((sum, [, , cost]) => sum + cost, 0),
  };
}

const partKey = (code: string, depth: Depth) => `${code} ${depth}`;

/** Whether what is open somewhere was read: whoever read more has the less, too. */
const isRead = (read: ReadonlySet<string>, code: string, depth: Depth) => read.has(partKey(code, depth)) || read.has(partKey(code, "all")) || (depth === "some" && read.has(partKey(code, "direct")));

interface Part {
  code: string;
  of: Depth;
  key: string;
  depth: number;
  nodes: number;
  card: string;
  cost: number;
}

function part(code: string, depth: Depth, w: Wanted): Part {
  const { fields: card, cost: each } = cardOfWanted(w, depth !== "all");
  const known = w.counts.get(code);
  const room = Math.floor((budget - 25) / each);
  const isAll = depth === "all";
  const nodes = depth === "some" ? someReports + 1 : Math.min(isAll ? 2000 : mostReports, room, Math.ceil(((isAll ? known?.downline : known?.direct) ?? (isAll ? 2000 : 100)) * 1.1) + 5);
  return { code, of: depth, depth: isAll ? 12 : 1, key: partKey(code, depth), nodes, card, cost: 25 + nodes * each };
}

/** Shares parts among requests, each within the limits of an operation. */
function share(parts: Part[], first: number, most: number): { requests: Part[][]; leftOut: number } {
  const requests: Part[][] = first > 0 ? [[]] : [];
  let cost = first;
  let leftOut = 0;
  for (const p of parts) {
    const last = requests[requests.length - 1];
    if (last && cost + p.cost <= budget && last.length < mostParts) {
      last.push(p);
      cost += p.cost;
    } else if (requests.length < most) {
      requests.push([p]);
      cost = p.cost;
    } else leftOut++;
  }
  return { requests, leftOut };
}

/** What the roots take: alone where something is open, with their first reports otherwise. */
const rootsCost = (w: Wanted) => mostRoots * (25 + (w.open ? 1 : someReports + 1) * cardOfWanted(w, true).cost) + 100;
const mostRoots = 20;
const dated = "onDate: $onDate, asKnownAt: $asKnownAt";

function documentOf(parts: Part[], withRoots: boolean, w: Wanted): string {
  const subtree = `downlineTree(maxDepth: 1, maxNodes: ${w.open ? 1 : someReports + 1}) { truncated nodes { ${part("", "some", w).card} } }`;
  const roots = w.root ? `agent(agentCode: $root, ${dated}) { agentCode displayName uplineChain { agent { agentCode displayName } } ${subtree} }` : `team(${dated}) { roots(first: ${mostRoots}) { totalCount nodes { ${subtree} } } }`;
  const declared = ["$onDate: Date", "$asKnownAt: DateTime", ...(withRoots && w.root ? ["$root: String!"] : []), ...parts.map((_, i) => `$c${i}: String!`)];
  const fields = parts.map((p, i) => `  p${i}: agent(agentCode: $c${i}, ${dated}) { downlineTree(maxDepth: ${p.depth}, maxNodes: ${p.nodes}) { truncated nodes { ${p.card} } } }`);
  return `query Hierarchy(${declared.join(", ")}) {\n${withRoots ? `  agentLevels { value }\n  roots: ${roots}\n` : ""}${fields.join("\n")}\n}`;
}

interface Named {
  agentCode: string;
  displayName: string;
}

type RootsAnswer = (Subtree & Named & { uplineChain: { agent: Named }[] }) | { roots: { totalCount: number; nodes: Subtree[] } } | null;

/** The parts are p0, p1 and so on. */
type HierarchyAnswer = { roots?: RootsAnswer; agentLevels?: { value: number }[] } & { [part: `p${number}`]: Subtree | null };

function cardOf(n: Node): Card {
  const a = n.agent;
  return {
    code: n.agentCode,
    name: a.displayName,
    parent: n.parentAgentCode,
    direct: n.directCount,
    downline: n.downlineCount,
    isActive: a.isActive,
    level: a.membership?.level?.value ?? null,
    levelName: a.membership?.level?.name ?? null,
    payStatus: a.payStatus?.name ?? null,
    licences: a.certifications?.totalCount ?? null,
    home: a.homeAddress?.jurisdiction?.code ?? null,
    since: a.membership?.uplineSince ?? null,
    started: startDay(a.startDate),
  };
}

/** Adds the nodes of an answer. The root of a subtree does not say who is above it. */
function add(cards: Map<string, Card>, subtree: Subtree | null | undefined) {
  for (const node of subtree?.downlineTree.nodes ?? []) {
    const known = cards.get(node.agentCode);
    const card = cardOf(node);
    cards.set(card.code, known ? { ...card, parent: card.parent ?? known.parent, licences: card.licences ?? known.licences, level: card.level ?? known.level, levelName: card.levelName ?? known.levelName, payStatus: card.payStatus ?? known.payStatus } : card);
  }
}

const wayDocument = (card: string) => `query WayToAgent($agent: String!, $onDate: Date, $asKnownAt: DateTime) {
  agent(agentCode: $agent, ${dated}) {
    downlineTree(maxDepth: 1, maxNodes: 1) { truncated nodes { ${card} } }
    uplineChain { agent { agentCode downlineTree(maxDepth: 1, maxNodes: 1) { truncated nodes { ${card} } } } }
  }
}`;

interface WayAnswer {
  agent: (Subtree & { uplineChain: { agent: Subtree & { agentCode: string } }[] }) | null;
}

async function readWay(client: Client, w: Wanted): Promise<{ way: string[]; subtrees: Subtree[]; error: string | null }> {
  if (!w.agent) return { way: [], subtrees: [], error: null };
  const { data, error } = await client.query<WayAnswer>(gql(wayDocument(cardOfWanted(w, true).fields)), { agent: w.agent, onDate: w.onDate, asKnownAt: w.asKnownAt }).toPromise();
  if (!data?.agent) return { way: [], subtrees: [], error: error?.message ?? `There is no agent ${w.agent}.` };
  const above = data.agent.uplineChain.map((link) => link.agent).reverse();
  return { way: [...above.map((a) => a.agentCode), w.agent], subtrees: [...above, data.agent], error: null };
}

/** Who is above whom along a way: its cards were read one by one. */
function join(cards: Map<string, Card>, way: string[]) {
  way.forEach((code, i) => {
    const card = cards.get(code);
    const above = way[i - 1];
    if (card && above) cards.set(code, { ...card, parent: above });
  });
}

/** Reads what of the hierarchy is in view and was not read yet, in three requests at most. */
export async function load(client: Client, w: Wanted): Promise<Loaded> {
  const { had } = w;
  const cards = new Map(had?.cards);
  const fixed = { onDate: w.onDate, asKnownAt: w.asKnownAt };
  const wayIsRead = had !== null && (had.way.at(-1) ?? null) === w.agent;
  const parts = [...(w.open ?? [])].filter(([code, depth]) => !had || !isRead(had.read, code, depth)).map(([code, depth]) => part(code, depth, w));
  const most = mostRequests - (w.agent && !wayIsRead ? 1 : 0) - (w.compare ? 1 : 0);
  const { requests, leftOut } = share(parts, had ? 0 : rootsCost(w), most);
  const ask = (own: Part[], withRoots: boolean) =>
    client
      .query<HierarchyAnswer>(gql(documentOf(own, withRoots, w)), { ...fixed, ...(withRoots && w.root ? { root: w.root } : {}), ...Object.fromEntries(own.map((p, i) => [`c${i}`, p.code])) })
      .toPromise();
  const [found, ...answers] = await Promise.all([wayIsRead ? { way: had.way, subtrees: [], error: null } : readWay(client, w), ...requests.map((own, i) => ask(own, i === 0 && !had))]);
  found.subtrees.forEach((s) => add(cards, s));
  const top = had ? had : topOf(answers[0]?.data, cards);
  answers.forEach(({ data }, i) => requests[i]!.forEach((_, j) => add(cards, data?.[`p${j}`])));
  // What turned out to be larger than it was taken for is asked for once more, as far as there is room; and by size, everybody below the roots.
  const isWhole = w.form === "area" && !w.open && !had;
  const short = [...largerThanAsked(requests, answers, cards, w), ...(isWhole ? wholes(top.roots, cards, w) : [])];
  const rest = share(short, 0, most - requests.length);
  const more = await Promise.all(rest.requests.map((own) => ask(own, false)));
  more.forEach(({ data }, i) => rest.requests[i]!.forEach((_, j) => add(cards, data?.[`p${j}`])));
  const unread = new Set(short.filter((p) => !rest.requests.flat().includes(p)).map((p) => p.key));
  join(cards, found.way);
  const error = [...answers, ...more].find((a) => a.error)?.error?.message ?? found.error;
  const open = w.open ?? had?.open ?? (isWhole ? new Map(top.roots.map((code) => [code, "all" as const])) : opening(cards, w.agent ? [] : top.roots));
  const read = new Set([...(had?.read ?? [...open].map(([code]) => partKey(code, "some")).filter(() => !w.open)), ...requests.flat().map((p) => p.key).filter((key) => !unread.has(key))]);
  return { cards, roots: top.roots, levels: top.levels, moreRoots: top.moreRoots, above: top.above, way: found.way, open, read, leftOut: leftOut + unread.size, error };
}

const withCounts = (w: Wanted, cards: ReadonlyMap<string, Card>): Wanted => ({ ...w, counts: new Map([...w.counts, ...[...cards.values()].map((c) => [c.code, c] as const)]) });

/** Everybody below the roots, the largest first. */
function wholes(roots: string[], cards: ReadonlyMap<string, Card>, w: Wanted): Part[] {
  const below = (code: string) => cards.get(code)?.downline ?? 0;
  const known = withCounts(w, cards);
  return roots.filter(below).sort((a, b) => below(b) - below(a)).map((code) => part(code, "all", known));
}

/** The parts whose size was not known, and is by now: those of which there is more. */
function largerThanAsked(requests: Part[][], answers: { data?: HierarchyAnswer | undefined }[], cards: ReadonlyMap<string, Card>, w: Wanted): Part[] {
  const known = withCounts(w, cards);
  return requests.flatMap((own, i) =>
    own.flatMap((p, j) => {
      const larger = part(p.code, p.of, known);
      return answers[i]?.data?.[`p${j}`]?.downlineTree.truncated && larger.nodes > p.nodes ? [larger] : [];
    }),
  );
}

/** Adds the roots of an answer, which says who they are. */
function topOf(data: HierarchyAnswer | undefined, cards: Map<string, Card>): Pick<Loaded, "roots" | "levels" | "moreRoots" | "above"> {
  const top = data?.roots;
  const subtrees = top ? ("roots" in top ? top.roots.nodes : [top]) : [];
  subtrees.forEach((s) => add(cards, s));
  const roots = subtrees.flatMap((s) => s.downlineTree.nodes[0]?.agentCode ?? []);
  const above = top && "uplineChain" in top ? [...top.uplineChain.map((link) => link.agent).reverse(), top] : [];
  return { roots, above, levels: data?.agentLevels?.map((l) => l.value) ?? [], moreRoots: top && "roots" in top ? top.roots.totalCount - roots.length : 0 };
}

/** At first the root with most people below is open, unless there is a way to show. */
function opening(cards: ReadonlyMap<string, Card>, roots: string[]): Loaded["open"] {
  const below = (code: string) => cards.get(code)?.downline ?? 0;
  const [largest] = [...roots].sort((a, b) => below(b) - below(a));
  return largest ? new Map([[largest, "some"]]) : new Map();
}
