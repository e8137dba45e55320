import { cardHeight, cardWidth, curveOf, type Placed, type Scene } from "./forest";
import { detail, type Mark, type Palette, stripe } from "./paint";
import type { Color } from "./state";

export interface Look {
  palette: Palette;
  color: Color;
  levels: number[];
  marks: ReadonlyMap<string, Mark>;
  selected: string | null;
  /** The cards that are chosen, to be moved together. */
  chosen: ReadonlySet<string>;
  /** Cards without what they say: their day has gone, and the answer of the next is not there. */
  blank: boolean;
}

/** Cards that go: where they were, until they are gone. */
export interface Ghosts {
  placed: Placed[];
  spotOf: SpotOf;
}
export const noGhosts: Ghosts = { placed: [], spotOf: (_, p) => ({ x: p.x, y: p.y, alpha: 0 }) };

/** Where a card is while it moves: its place, and how much of it is seen. */
export interface Spot {
  x: number;
  y: number;
  alpha: number;
}

export interface Frame {
  k: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export type SpotOf = (key: string, p: Placed) => Spot;
export const atRest: SpotOf = (_, p) => ({ x: p.x, y: p.y, alpha: 1 });

const textFrom = 0.42; // below this scale letters are no letters any more

/** Draws what of a scene is inside the frame. */
export function draw(g: CanvasRenderingContext2D, scene: Scene, look: Look, frame: Frame, spotOf: SpotOf, ghosts = noGhosts) {
  g.save();
  g.translate(frame.x, frame.y);
  g.scale(frame.k, frame.k);
  const left = -frame.x / frame.k - cardWidth;
  const top = -frame.y / frame.k - cardHeight;
  const right = left + frame.width / frame.k + 2 * cardWidth;
  const bottom = top + frame.height / frame.k + 2 * cardHeight;
  drawEdges(g, scene, look, spotOf, { left, top, right, bottom }, frame.k);
  const far: [Placed, Spot][] = [];
  const each = (p: Placed, spot: Spot, isGhost: boolean) => {
    if (spot.x < left || spot.x > right || spot.y < top || spot.y > bottom) return;
    g.globalAlpha = spot.alpha * (p.isFaint ? 0.4 : p.card?.isGone ? 0.55 : 1);
    const isPlain = frame.k <= textFrom && g.globalAlpha === 1 && !look.marks.has(p.key) && !look.chosen.has(p.key) && !scene.way.has(p.key);
    if (!p.card) return frame.k > textFrom && drawMore(g, p, spot, look);
    if (isPlain && !isGhost) far.push([p, spot]);
    else drawCard(g, p, spot, look, frame.k, scene.way.has(p.key));
  };
  for (const p of ghosts.placed) each(p, ghosts.spotOf(p.key, p), true);
  for (const p of scene.placed) each(p, spotOf(p.key, p), false);
  g.globalAlpha = 1;
  drawFar(g, far, look);
  g.restore();
}

/** Lines of one kind are drawn at once: thousands of strokes would take their time. */
function drawEdges(g: CanvasRenderingContext2D, scene: Scene, look: Look, spotOf: SpotOf, seen: { left: number; top: number; right: number; bottom: number }, k: number) {
  const plain = new Path2D();
  const way = new Path2D();
  for (const { from: above, to, onWay } of scene.edges) {
    const a = spotOf(above.key, above);
    const block = "key" in to ? undefined : to;
    const b = block ?? spotOf((to as Placed).key, to as Placed);
    const y = block ? block.y + block.height / 2 : b.y;
    if (Math.max(a.y, y) < seen.top || Math.min(a.y, y) > seen.bottom || Math.max(a.x, b.x) < seen.left || Math.min(a.x, b.x) > seen.right) continue;
    const path = onWay ? way : plain;
    const [x0, y0, x1, y1, x2, y2, x3, y3] = curveOf(scene.form, a, b, block);
    path.moveTo(x0, y0);
    if (k > 0.2) path.bezierCurveTo(x1, y1, x2, y2, x3, y3);
    else path.lineTo(x3, y3);
  }
  for (const block of scene.blocks) plain.roundRect(block.x, block.y, block.width, block.height, 8);
  g.lineWidth = 1.2;
  g.strokeStyle = look.palette.edge;
  g.stroke(plain);
  g.lineWidth = 3;
  g.strokeStyle = look.palette.way;
  g.stroke(way);
}

/** Cards seen from afar: all of a colour at once. */
function drawFar(g: CanvasRenderingContext2D, cards: [Placed, Spot][], look: Look) {
  const all = new Path2D();
  const stripes = new Map<string, Path2D>();
  for (const [p, spot] of cards) {
    const top = spot.y - cardHeight / 2;
    all.rect(spot.x, top, cardWidth, cardHeight);
    if (look.blank) continue;
    const color = stripe(p.card!, look.color, look.levels, look.palette);
    const path = stripes.get(color) ?? new Path2D();
    path.rect(spot.x + 1, top + 1, farWidth(p), cardHeight - 2);
    stripes.set(color, path);
  }
  g.fillStyle = look.palette.card;
  g.fill(all);
  g.lineWidth = 1;
  g.strokeStyle = look.palette.border;
  g.stroke(all);
  for (const [color, path] of stripes) {
    g.fillStyle = color;
    g.fill(path);
  }
}

/** Seen from afar a card is its colour; the more are below, the wider. */
const farWidth = (p: Placed) => 30 + (cardWidth - 30) * Math.min(1, Math.log10(p.card!.downline + 1) / 3);

function drawCard(g: CanvasRenderingContext2D, p: Placed, spot: Spot, look: Look, k: number, onWay: boolean) {
  const { palette } = look;
  const card = p.card!;
  const top = spot.y - cardHeight / 2;
  const mark = look.marks.get(p.key);
  const selected = look.chosen.has(p.key);
  g.fillStyle = palette.card;
  g.beginPath();
  if (k > 0.3) g.roundRect(spot.x, top, cardWidth, cardHeight, 5);
  else g.rect(spot.x, top, cardWidth, cardHeight);
  g.fill();
  g.lineWidth = selected || mark ? 3 : onWay ? 2 : 1;
  g.strokeStyle = mark ? palette.marks[mark] : selected ? palette.focus : onWay ? palette.way : palette.border;
  g.stroke();
  if (selected && mark) {
    g.strokeStyle = palette.focus;
    g.strokeRect(spot.x - 3, top - 3, cardWidth + 6, cardHeight + 6);
  }
  if (look.blank) return;
  g.fillStyle = stripe(card, look.color, look.levels, palette);
  const width = k > textFrom ? 7 : farWidth(p);
  g.fillRect(spot.x + 1, top + 1, width, cardHeight - 2);
  if (k > textFrom) drawText(g, p, spot, look);
}

function drawText(g: CanvasRenderingContext2D, p: Placed, spot: Spot, look: Look) {
  const card = p.card!;
  const room = cardWidth - 20 - (card.direct > 0 ? 22 : 0);
  g.textBaseline = "middle";
  g.fillStyle = look.palette.text;
  g.font = "600 13px system-ui, sans-serif";
  g.fillText(fitted(g, card.name, room), spot.x + 14, spot.y - 9);
  g.fillStyle = look.palette.faint;
  g.font = "11px system-ui, sans-serif";
  g.fillText(fitted(g, detail(card, look.color), room), spot.x + 14, spot.y + 10);
  if (card.direct > 0) {
    g.font = "600 15px system-ui, sans-serif";
    g.fillText(p.isOpen ? "−" : "+", spot.x + cardWidth - 18, spot.y);
  }
}

function drawMore(g: CanvasRenderingContext2D, p: Placed, spot: Spot, look: Look) {
  g.fillStyle = look.palette.way;
  g.font = "600 12px system-ui, sans-serif";
  g.textBaseline = "middle";
  g.fillText(`+ ${p.more} more`, spot.x + 14, spot.y);
}

const widths = new Map<string, string>();

/** A text cut to its room. What was measured is kept: a frame has many texts. */
export function fitted(g: CanvasRenderingContext2D, text: string, room: number): string {
  const key = `${g.font}|${room}|${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  let cut = text;
  while (cut.length > 1 && g.measureText(cut === text ? cut : `${cut}…`).width > room) cut = cut.slice(0, -1);
  const fit = cut === text ? text : `${cut.trimEnd()}…`;
  if (widths.size > 20_000) widths.clear();
  widths.set(key, fit);
  return fit;
}
