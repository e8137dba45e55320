import { hierarchy, tree } from "d3-hierarchy";
import { type Card, type Loaded, someReports } from "./load";
import type { Form, Only } from "./state";

export const cardWidth = 200;
export const cardHeight = 48;
const rowHeight = 58;
const columnWidth = 264;
/** The same where uplines are above: of a column, and of a row. */
const slotWidth = 216;
const levelHeight = 104;
/** Reports without open ones below them stand in a block, when they are so many: side by side they take more room than below each other. */
const blockFrom = { across: 24, down: 5 };
const blockMargin = 8;

/** A card with its place, or the sign that there are more reports than are shown. */
export interface Placed {
  key: string;
  x: number;
  y: number;
  card: Card | null;
  parent: string | null;
  /** Of the sign: how many there are besides. */
  more: number;
  isOpen: boolean;
  /** Stands in the block of its upline: one line leads to all of them. */
  inBlock: boolean;
  /** Is shown for somebody below only, who is one of those to show. */
  isFaint: boolean;
}

/** Where the block of an upline is. */
export interface Block {
  parent: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Scene {
  form: Exclude<Form, "area">;
  placed: Placed[];
  blocks: Block[];
  /** One line to each card that stands alone or on the way, and one to each block. */
  edges: Edge[];
  byKey: Map<string, Placed>;
  way: ReadonlySet<string>;
}

interface Item {
  key: string;
  /** Whoever it is shown below; none of a root. */
  above: string | null;
  card: Card | null;
  more: number;
  children: Item[];
  isOpen: boolean;
  inBlock?: boolean;
  isFaint?: boolean;
}

/** Those who were below an agent on the day that is compared with, and are no more. */
export type Gone = ReadonlyMap<string, Card[]>;

/** What decides who is shown. */
interface Sight {
  l: Loaded;
  below: Map<string, string[]>;
  way: ReadonlySet<string>;
  gone: Gone;
  form: Scene["form"];
  fits: (card: Card) => boolean;
}

/** Who is shown below whom: an open agent's reports, and along the way the next one. Whoever does not fit is shown for somebody below only. */
function itemOf(code: string, above: string | null, sight: Sight, under: boolean): Item | null {
  const { l, below, way, gone } = sight;
  const card = l.cards.get(code)!;
  const depth = under ? "all" : l.open.get(code);
  const known = below.get(code) ?? [];
  const shown = depth === "all" || depth === "direct" ? known : depth === "some" ? known.filter((c, i) => i < someReports || way.has(c)) : known.filter((c) => way.has(c));
  const children = shown.flatMap((c) => itemOf(c, code, sight, depth === "all") ?? []);
  const isFaint = !sight.fits(card);
  if (isFaint && children.length === 0 && !way.has(code)) return null;
  const more = card.direct - shown.length;
  if (depth !== undefined) for (const g of gone.get(code) ?? []) children.push({ key: g.code, above: code, card: g, more: 0, children: [], isOpen: false });
  const isOpen = depth !== undefined && card.direct > 0 && (!under || known.length > 0);
  if (more > 0 && (shown.length > 0 || isOpen)) children.push({ key: `${code}…`, above: code, card: null, more, children: [], isOpen: false });
  return { key: code, above, card, more: 0, children: inBlocks(children, sight.form), isOpen: isOpen || children.length > 0, isFaint };
}

/** Whether an agent is one of those to show. */
export const fitting = (only: Only) => (card: Card) =>
  (only.level === undefined || String(card.level) === only.level) && (only.payStatus === undefined || card.payStatus === only.payStatus) && (only.home === undefined || card.home === only.home);

/**
 * Puts many reports side by side, as a column of hundreds would leave the rest of the
 * picture empty. In the layout each row of the block is a chain, where uplines are above each
 * column: so it keeps its room.
 */
function inBlocks(children: Item[], form: Scene["form"]): Item[] {
  const isLeaf = (c: Item) => c.children.length === 0 && !c.isOpen;
  const leaves = children.filter(isLeaf);
  if (leaves.length < blockFrom[form]) return children;
  // So many chains make the block nearly twice as wide as it is high.
  const chains = form === "across" ? Math.ceil(leaves.length / Math.ceil(Math.sqrt(leaves.length * 0.36))) : Math.ceil(Math.sqrt(leaves.length));
  leaves.forEach((leaf, i) => {
    leaf.inBlock = true;
    const next = leaves[i + chains];
    if (next) leaf.children = [next];
  });
  return [...children.filter((c) => !isLeaf(c) && !c.inBlock), ...leaves.slice(0, chains)];
}

/** The boxes around the blocks. */
function blocksOf(placed: Placed[]): Block[] {
  const boxes = new Map<string, { left: number; top: number; right: number; bottom: number }>();
  for (const p of placed) {
    if (!p.inBlock || !p.parent) continue;
    const b = boxes.get(p.parent) ?? { left: p.x, top: p.y, right: p.x, bottom: p.y };
    boxes.set(p.parent, { left: Math.min(b.left, p.x), top: Math.min(b.top, p.y), right: Math.max(b.right, p.x), bottom: Math.max(b.bottom, p.y) });
  }
  return [...boxes].map(([parent, b]) => ({ parent, x: b.left - blockMargin, y: b.top - cardHeight / 2 - blockMargin, width: b.right - b.left + cardWidth + 2 * blockMargin, height: b.bottom - b.top + cardHeight + 2 * blockMargin }));
}

/** A line from a card to one below it, or to a block of them. */
export interface Edge {
  from: Placed;
  to: Placed | Block;
  onWay: boolean;
}

function edgesOf(placed: Placed[], blocks: Block[], byKey: ReadonlyMap<string, Placed>, way: ReadonlySet<string>): Edge[] {
  const cards = placed.flatMap((to): Edge[] => {
    const from = to.parent ? byKey.get(to.parent) : undefined;
    const onWay = from !== undefined && way.has(to.key) && way.has(from.key);
    return from && (!to.inBlock || onWay) ? [{ from, to, onWay }] : [];
  });
  return cards.concat(blocks.map((to) => ({ from: byKey.get(to.parent)!, to, onWay: false })));
}

/** Puts the cards in their places, from left to right or from the top down. */
export function place(l: Loaded, gone: Gone, form: Scene["form"], only: Only): Scene {
  const below = new Map<string, string[]>();
  const put = (above: string, code: string) => {
    const known = below.get(above);
    if (known) known.push(code);
    else below.set(above, [code]);
  };
  for (const card of l.cards.values()) if (card.parent) put(card.parent, card.code);
  const way = new Set(l.way);
  const sight: Sight = { l, below, way, gone, form, fits: fitting(only) };
  const top: Item = { key: "", above: null, card: null, more: 0, isOpen: true, children: l.roots.filter((r) => l.cards.has(r)).flatMap((r) => itemOf(r, null, sight, false) ?? []) };
  const isDown = form === "down";
  const laid = tree<Item>().nodeSize(isDown ? [slotWidth, levelHeight] : [rowHeight, columnWidth]).separation((a, b) => (a.data.above === b.data.above ? 1 : 1.12))(hierarchy(top));
  const placed = laid.descendants().flatMap(({ data: { children: _, ...item }, x, y }): Placed[] => {
    const [left, middle] = isDown ? [x, y - levelHeight] : [y - columnWidth, x];
    return item.key === "" ? [] : [{ ...item, x: left, y: middle, parent: item.above, inBlock: item.inBlock ?? false, isFaint: item.isFaint ?? false }];
  });
  const blocks = blocksOf(placed);
  const byKey = new Map(placed.map((p) => [p.key, p]));
  return { form, placed, blocks, edges: edgesOf(placed, blocks, byKey, way), byKey, way };
}

/** A curve from a card to what is below it, as x and y of its beginning, of the two points that bend it, and of its end. */
export type Curve = [number, number, number, number, number, number, number, number];

export function curveOf(form: Scene["form"], a: { x: number; y: number }, b: { x: number; y: number }, block?: Block): Curve {
  if (form === "across") {
    const from = a.x + cardWidth;
    const to = block ? block.y + block.height / 2 : b.y;
    const middle = (from + b.x) / 2;
    return [from, a.y, middle, a.y, middle, to, b.x, to];
  }
  const from = a.y + cardHeight / 2;
  const to = block ? block.y : b.y - cardHeight / 2;
  const middle = (from + to) / 2;
  const x = a.x + cardWidth / 2;
  const toX = b.x + (block ? block.width : cardWidth) / 2;
  return [x, from, x, middle, toX, middle, toX, to];
}

/** The box around all cards. */
export function bounds(scene: Scene) {
  const xs = scene.placed.map((p) => p.x);
  const ys = scene.placed.map((p) => p.y);
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (scene.placed.length === 0) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: least(xs), y: least(ys) - cardHeight / 2, width: most(xs) - least(xs) + cardWidth, height: most(ys) - least(ys) + cardHeight };
}
