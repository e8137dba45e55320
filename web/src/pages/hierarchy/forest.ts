import { hierarchy, tree } from "d3-hierarchy";
import { type Card, type Loaded, someReports } from "./load";

export const cardWidth = 200;
export const cardHeight = 48;
const rowHeight = 58;
const columnWidth = 264;

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
}

export interface Scene {
  placed: Placed[];
  byKey: Map<string, Placed>;
  way: ReadonlySet<string>;
}

interface Item {
  key: string;
  card: Card | null;
  more: number;
  children: Item[];
  isOpen: boolean;
}

/** Those who were below an agent on the day that is compared with, and are no more. */
export type Gone = ReadonlyMap<string, Card[]>;

/** Who is shown below whom: an open agent's reports, and along the way the next one. */
function itemOf(code: string, below: Map<string, string[]>, l: Loaded, way: ReadonlySet<string>, under: boolean, gone: Gone): Item {
  const card = l.cards.get(code)!;
  const depth = under ? "all" : l.open.get(code);
  const known = below.get(code) ?? [];
  const shown = depth === "all" || depth === "direct" ? known : depth === "some" ? known.filter((c, i) => i < someReports || way.has(c)) : known.filter((c) => way.has(c));
  const children = shown.map((c) => itemOf(c, below, l, way, depth === "all", gone));
  const more = card.direct - shown.length;
  if (depth !== undefined) for (const g of gone.get(code) ?? []) children.push({ key: g.code, card: g, more: 0, children: [], isOpen: false });
  const isOpen = depth !== undefined && card.direct > 0 && (!under || known.length > 0);
  if (more > 0 && (shown.length > 0 || isOpen)) children.push({ key: `${code}…`, card: null, more, children: [], isOpen: false });
  return { key: code, card, more: 0, children, isOpen: isOpen || children.length > 0 };
}

/** Puts the cards in their places, from left to right. */
export function place(l: Loaded, gone: Gone): Scene {
  const below = new Map<string, string[]>();
  const put = (above: string, code: string) => {
    const known = below.get(above);
    if (known) known.push(code);
    else below.set(above, [code]);
  };
  for (const card of l.cards.values()) if (card.parent) put(card.parent, card.code);
  const way = new Set(l.way);
  const top: Item = { key: "", card: null, more: 0, isOpen: true, children: l.roots.filter((r) => l.cards.has(r)).map((r) => itemOf(r, below, l, way, false, gone)) };
  const laid = tree<Item>().nodeSize([rowHeight, columnWidth]).separation((a, b) => (a.parent === b.parent ? 1 : 1.12))(hierarchy(top));
  const placed = laid.descendants().flatMap((n): Placed[] => (n.data.key === "" ? [] : [{ key: n.data.key, x: n.y - columnWidth, y: n.x, card: n.data.card, parent: n.parent?.data.key || null, more: n.data.more, isOpen: n.data.isOpen }]));
  return { placed, byKey: new Map(placed.map((p) => [p.key, p])), way };
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
