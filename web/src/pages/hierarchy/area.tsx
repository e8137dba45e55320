import { VisuallyHidden } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type HierarchyRectangularNode, hierarchy, partition } from "d3-hierarchy";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from "react";
import { formatNumber } from "../../parts/format";
import { fitted, type Look } from "./draw";
import { fitting } from "./forest";
import type { Card, Loaded } from "./load";
import { detail, stripe } from "./paint";
import type { Only } from "./state";

interface Item {
  /** Null for the top of all, which is not drawn. */
  card: Card | null;
  children: Item[];
}
type Area = HierarchyRectangularNode<Item>;

/** An area is never narrower, in pixels: more levels than fit go beyond the edge, which scrolls. */
const leastWidth = 88;
/** Areas that are less high, in pixels, are the colour of whoever is above. */
const leastHeight = 0.7;

/** Whoever was read, below whom it is. An area is as high as its downline, read or not. */
function areasOf(l: Loaded, width: number, height: number): { areas: Area[]; width: number } {
  const items = new Map([...l.cards.values()].map((card) => [card.code, { card, children: [] as Item[] }]));
  const roots = new Set(l.roots);
  for (const item of items.values()) if (item.card.parent && !roots.has(item.card.code)) items.get(item.card.parent)?.children.push(item);
  const top: Item = { card: null, children: l.roots.flatMap((code) => items.get(code) ?? []) };
  const whole = ({ card, children }: Item): number => (card ? card.downline + 1 : children.reduce((sum, c) => sum + whole(c), 0));
  const tree = hierarchy(top)
    .sum((item) => whole(item) - item.children.reduce((sum, c) => sum + whole(c), 0))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  // The top of all is not drawn, and nor is what would be too small.
  const laid = partition<Item>().size([height, tree.height + 1])(tree);
  const areas = laid.descendants().filter((a) => a.data.card && a.x1 - a.x0 >= leastHeight);
  const columns = areas.reduce((most, a) => Math.max(most, a.depth), 1);
  const column = Math.max(leastWidth, width / columns);
  for (const a of areas) [a.y0, a.y1] = [(a.depth - 1) * column, a.depth * column];
  return { areas, width: columns * column };
}

interface AreaChartProps {
  loaded: Loaded;
  look: Look;
  only: Only;
  onSelect: (code: string) => void;
  /** Shows an agent and those below only. */
  onPart: (code: string) => void;
}

/** The whole hierarchy by size: each agent is an area as high as its downline, beside that of its upline. */
export function AreaChart({ loaded, look, only, onSelect, onPart }: AreaChartProps) {
  const box = useElementSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { areas, width } = useMemo(() => areasOf(loaded, box.width, Math.max(200, box.height - 34)), [loaded, box.width, box.height]);
  const byCode = useMemo(() => new Map(areas.map((a) => [a.data.card!.code, a])), [areas]);
  const selected = look.selected ? byCode.get(look.selected) : undefined;
  useEffect(() => {
    const element = canvas.current;
    const g = element?.getContext("2d");
    if (!element || !g || box.width === 0) return;
    element.width = width * devicePixelRatio;
    element.height = box.height * devicePixelRatio;
    g.scale(devicePixelRatio, devicePixelRatio);
    const fits = fitting(only);
    for (const a of areas) drawArea(g, a, look, !fits(a.data.card!));
    if (selected) {
      g.strokeStyle = look.palette.focus;
      g.lineWidth = 3;
      g.strokeRect(selected.y0 + 1, selected.x0 + 1, selected.y1 - selected.y0 - 2, Math.max(2, selected.x1 - selected.x0 - 2));
    }
    element.dataset.areas = String(areas.length);
  }, [areas, look, only, width, box.width, box.height, selected]);
  const at = useCallback(
    (event: React.MouseEvent) => {
      const edges = canvas.current!.getBoundingClientRect();
      const [x, y] = [event.clientX - edges.left, event.clientY - edges.top];
      return areas.find((a) => x >= a.y0 && x < a.y1 && y >= a.x0 && y < a.x1)?.data.card?.code;
    },
    [areas],
  );
  const keys = (event: KeyboardEvent) => {
    const from = selected ?? areas[0];
    if (!from) return;
    const beside = from.parent?.children?.filter((a) => byCode.has(a.data.card!.code)) ?? [];
    const here = beside.indexOf(from);
    const targets: Record<string, Area | undefined | null> = { ArrowUp: beside[here - 1], ArrowDown: beside[here + 1], ArrowLeft: from.parent?.data.card ? from.parent : null, ArrowRight: from.children?.find((a) => byCode.has(a.data.card!.code)) };
    if (event.key === "Enter" && selected) onPart(selected.data.card!.code);
    else if (event.key in targets) onSelect(((selected ? targets[event.key] : from) ?? from).data.card!.code);
    else return;
    event.preventDefault();
  };
  const said = selected?.data.card && !look.blank ? `${selected.data.card.name}, ${detail(selected.data.card, look.color)}` : "";
  return (
    <div className="chart areas" ref={box.ref} tabIndex={0} role="application" aria-label="Hierarchy by size. Arrow keys move from agent to agent, Enter shows the part below one." aria-busy={look.blank} onKeyDown={keys}>
      <canvas
        ref={canvas}
        style={{ width, height: box.height }}
        aria-hidden
        onClick={(event) => {
          const code = at(event);
          if (code) onSelect(code);
        }}
        onDoubleClick={(event) => {
          const code = at(event);
          if (code) onPart(code);
        }}
      />
      <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
    </div>
  );
}

function drawArea(g: CanvasRenderingContext2D, a: Area, look: Look, isFaint: boolean) {
  const card = a.data.card!;
  const [x, y, width, height] = [a.y0, a.x0, a.y1 - a.y0, a.x1 - a.x0];
  const gap = height > 3 ? 1 : 0;
  const mark = look.marks.get(card.code);
  g.globalAlpha = isFaint ? 0.18 : 1;
  const fill = look.blank ? look.palette.border : stripe(card, look.color, look.levels, look.palette);
  g.fillStyle = fill;
  g.fillRect(x, y, width - 1, height - gap);
  if (mark) {
    g.strokeStyle = look.palette.marks[mark];
    g.lineWidth = 3;
    g.strokeRect(x + 1, y + 1, width - 3, Math.max(1, height - 2));
  }
  g.globalAlpha = 1;
  if (look.blank || height < 16) return;
  const room = width - 14;
  const lines = height > 34 && card.downline > 0 ? 2 : 1;
  const middle = y + height / 2 - (lines - 1) * 8;
  g.textBaseline = "middle";
  g.fillStyle = isFaint ? look.palette.faint : inkOn(fill);
  g.font = "600 12px system-ui, sans-serif";
  g.fillText(fitted(g, card.name, room), x + 7, middle);
  if (lines === 1) return;
  g.font = "11px system-ui, sans-serif";
  g.fillText(fitted(g, `${formatNumber(card.downline)} below`, room), x + 7, middle + 16);
}

/** Black or white, whichever can be read on a colour such as #4a94d8. */
function inkOn(color: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000000" : "#ffffff";
}
