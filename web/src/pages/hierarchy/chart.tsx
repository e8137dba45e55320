import { VisuallyHidden } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { select } from "d3-selection";
import { type D3ZoomEvent, zoom, zoomIdentity, type ZoomBehavior } from "d3-zoom";
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useImperativeHandle, useRef, useState, type Ref } from "react";
import { atRest, draw, type Frame, type Ghosts, type Look, noGhosts, type Spot, type SpotOf } from "./draw";
import { bounds, cardHeight, cardWidth, type Placed, type Scene } from "./forest";
import { Minimap, type MinimapHandle } from "./minimap";
import { detail } from "./paint";

// Milliseconds that cards take to their new places, and until those that leave are gone.
const moveWithin = 450;
const leaveWithin = 700;
// What the legend takes at the lower end.
const legendHeight = 34;

export interface ChartHandle {
  fit: () => void;
  show: (key: string) => void;
  zoomBy: (factor: number) => void;
}

interface ChartProps {
  ref: Ref<ChartHandle>;
  scene: Scene;
  look: Look;
  /** One card, or with Shift, Ctrl or ⌘ one more, or one less. */
  onSelect: (key: string, isMore?: boolean) => void;
  /** A click on what opens, or Enter. */
  onToggle: (p: Placed) => void;
  /** Chosen cards were dragged onto another; undefined where nobody may be moved. */
  onDrop: ((to: string) => void) | undefined;
}

/** Where each card is on its way from its old place to its new one. */
function moving(from: Map<string, Spot>, started: number): SpotOf {
  return (key, p) => {
    const t = Math.min(1, (performance.now() - started) / moveWithin);
    const eased = 1 - (1 - t) ** 3;
    const old = from.get(key) ?? (p.parent ? from.get(p.parent) : undefined);
    if (!old || t >= 1) return { x: p.x, y: p.y, alpha: from.has(key) || t >= 1 ? 1 : eased };
    return { x: old.x + (p.x - old.x) * eased, y: old.y + (p.y - old.y) * eased, alpha: from.has(key) ? 1 : eased };
  };
}

/** Cards that are in view no more: they fade where they were, or go to whoever is above. */
function leaving(old: Scene, scene: Scene, spotOf: SpotOf, started: number): Ghosts {
  const placed = old.placed.filter((p) => p.card && !scene.byKey.has(p.key));
  const from = new Map(placed.map((p) => [p.key, spotOf(p.key, p)]));
  const fade: SpotOf = (key) => {
    const t = Math.min(1, (performance.now() - started) / leaveWithin);
    return { ...from.get(key)!, alpha: 1 - t * t };
  };
  return { placed, spotOf: fade };
}

/** What to move a picture by, so that a card that was searched for is in sight with the way to it: on its left, or above it. */
function spotFor({ form }: Scene, p: Placed, k: number, { width, height }: { width: number; height: number }) {
  if (form === "down") return { x: width / 2 - (p.x + cardWidth / 2) * k, y: height * 0.7 - p.y * k };
  return { x: Math.max(10, width * 0.85 - cardWidth) - p.x * k, y: height / 2 - p.y * k };
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The org chart: drawn on a canvas, moved by pointer, touch and keys. */
export function Chart({ ref, scene, look, onSelect, onToggle, onDrop }: ChartProps) {
  const box = useElementSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const zooming = useRef<ZoomBehavior<HTMLCanvasElement, unknown>>(null);
  const isDraggable = useRef<(event: MouseEvent) => boolean>(() => false);
  const map = useRef<MinimapHandle>(null);
  const state = useRef({ scene, look, frame: { k: 1, x: 0, y: 0, width: 0, height: 0 } as Frame, spotOf: atRest, ghosts: noGhosts, until: 0, drawn: 0, pending: 0 });

  const paint = useCallback(() => {
    const s = state.current;
    s.pending = 0;
    const g = canvas.current?.getContext("2d");
    if (!g || !canvas.current) return;
    const ratio = devicePixelRatio;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, s.frame.width, s.frame.height);
    draw(g, s.scene, s.look, s.frame, s.spotOf, s.ghosts);
    map.current?.show(s.frame);
    s.drawn++;
    canvas.current.dataset.drawn = String(s.drawn);
    canvas.current.dataset.cards = String(s.scene.placed.length);
    canvas.current.dataset.leaving = String(s.ghosts.placed.length);
    if (performance.now() < s.until) return again();
    if (s.ghosts.placed.length > 0) again();
    s.spotOf = atRest;
    s.ghosts = noGhosts;
  }, []);
  const again = useCallback(() => {
    const s = state.current;
    if (!s.pending) s.pending = requestAnimationFrame(paint);
  }, [paint]);

  // A new scene: cards go from where they are to where they belong.
  useEffect(() => {
    const s = state.current;
    const now = performance.now();
    if (s.scene !== scene && s.scene.placed.length > 0 && !calm()) {
      const from = new Map(s.scene.placed.map((p) => [p.key, s.spotOf(p.key, p)]));
      s.ghosts = leaving(s.scene, scene, s.spotOf, now);
      s.spotOf = moving(from, now);
      s.until = now + (s.ghosts.placed.length > 0 ? leaveWithin : moveWithin);
    }
    s.scene = scene;
    again();
  }, [scene, again]);
  useEffect(() => {
    state.current.look = look;
    again();
  }, [look, again]);

  const to = useCallback((frame: { k: number; x: number; y: number }) => {
    if (canvas.current && zooming.current) select(canvas.current).call(zooming.current.transform, zoomIdentity.translate(frame.x, frame.y).scale(frame.k));
  }, []);

  useEffect(() => {
    const element = canvas.current!;
    const behavior = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.02, 2.5])
      .clickDistance(4)
      // Whoever drags a chosen card moves it, not the picture.
      .filter((event: MouseEvent) => (!event.ctrlKey || event.type === "wheel") && !event.button && !isDraggable.current(event))
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        Object.assign(state.current.frame, { k: event.transform.k, x: event.transform.x, y: event.transform.y });
        again();
      });
    zooming.current = behavior;
    select(element).call(behavior).on("dblclick.zoom", null);
    return () => void select(element).on(".zoom", null);
  }, [again]);

  // The first size: the beginning of the tree is in sight.
  const begun = useRef(false);
  useEffect(() => {
    const s = state.current;
    Object.assign(s.frame, { width: box.width, height: box.height });
    if (canvas.current) {
      canvas.current.width = box.width * devicePixelRatio;
      canvas.current.height = box.height * devicePixelRatio;
    }
    if (!begun.current && box.width > 0 && scene.placed.length > 0) {
      begun.current = true;
      const b = bounds(scene);
      const free = box.height - legendHeight;
      const k = Math.max(0.55, Math.min(1, free / (b.height + 40), box.width / (b.width + 40)));
      const first = scene.placed[0]!;
      const chosen = look.selected ? scene.byKey.get(look.selected) : undefined;
      const isDown = scene.form === "down";
      if (chosen) to({ k: 0.8, ...spotFor(scene, chosen, 0.8, box) });
      else if (isDown) to({ k, x: b.width * k < box.width ? (box.width - b.width * k) / 2 - b.x * k : box.width / 2 - (first.x + cardWidth / 2) * k, y: 20 - b.y * k });
      else to({ k, x: 20 - b.x * k, y: b.height * k < free ? (free - b.height * k) / 2 - b.y * k : Math.min(20 - b.y * k, free / 2 - first.y * k) });
    }
    again();
  }, [box.width, box.height, scene, look.selected, again, to]);

  useImperativeHandle(
    ref,
    () => ({
      fit: () => {
        const b = bounds(state.current.scene);
        const { width, height } = state.current.frame;
        const k = Math.min(1, (width - 30) / b.width, (height - 30) / b.height);
        to({ k, x: (width - b.width * k) / 2 - b.x * k, y: (height - b.height * k) / 2 - b.y * k });
      },
      show: (key) => {
        const p = state.current.scene.byKey.get(key);
        if (!p) return;
        const scale = Math.max(state.current.frame.k, 0.8);
        to({ k: scale, ...spotFor(state.current.scene, p, scale, state.current.frame) });
      },
      zoomBy: (factor) => canvas.current && zooming.current && select(canvas.current).call(zooming.current.scaleBy, factor),
    }),
    [to],
  );

  const go = (x: number, y: number) => {
    const { width, height, k } = state.current.frame;
    to({ k, x: width / 2 - x * k, y: height / 2 - y * k });
  };

  const at = (event: { clientX: number; clientY: number }) => {
    const { frame } = state.current;
    const edges = canvas.current!.getBoundingClientRect();
    const x = (event.clientX - edges.left - frame.x) / frame.k;
    const y = (event.clientY - edges.top - frame.y) / frame.k;
    const hit = scene.placed.find((p) => x >= p.x && x <= p.x + cardWidth && Math.abs(y - p.y) <= cardHeight / 2);
    return hit && { hit, onSign: x > hit.x + cardWidth - 30 };
  };
  const click = (event: React.MouseEvent) => {
    const found = at(event);
    if (!found) return;
    const isMore = event.shiftKey || event.ctrlKey || event.metaKey;
    if (found.hit.card) onSelect(found.hit.key, isMore);
    if (isMore) return;
    if (!found.hit.card || (found.onSign && found.hit.card.direct > 0)) onToggle(found.hit);
  };

  const drag = useDrag(look, onDrop, at, (carried) => {
    state.current.look = carried ? { ...look, marks: new Map([...look.marks, ...(carried.to ? [[carried.to, "basket"] as const] : [])]) } : look;
    again();
  });
  isDraggable.current = drag.isDraggable;
  const selected = look.selected ? scene.byKey.get(look.selected) : undefined;
  const keys = useKeys(scene, selected, onSelect, onToggle);
  const said = selected?.card && !look.blank ? `${selected.card.name}, ${detail(selected.card, look.color)}${selected.card.direct ? (selected.isOpen ? ", open" : ", closed") : ""}` : "";
  return (
    <div className="chart" ref={box.ref} tabIndex={0} role="application" aria-label="Hierarchy. Arrow keys move from card to card, Enter opens and closes, Space chooses several." aria-busy={look.blank} onKeyDown={keys}>
      <canvas ref={canvas} onClick={(event) => !drag.isOver() && click(event)} aria-hidden {...drag.handlers} />
      <Minimap ref={map} scene={scene} look={look} onGo={go} />
      {drag.carried && (
        <div className="carried" style={{ left: drag.carried.x, top: drag.carried.y }}>
          {look.chosen.size === 1 ? "1 agent" : `${look.chosen.size} agents`}
          {drag.carried.to && ` → ${scene.byKey.get(drag.carried.to)?.card?.name}`}
        </div>
      )}
      <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
    </div>
  );
}

interface Carried {
  x: number;
  y: number;
  /** The card that is under the pointer, if the chosen ones can be put below it. */
  to: string | null;
}

type Hit = { hit: Placed } | undefined;

/** Chosen cards follow the pointer, and are dropped on another. Escape lets go of them. */
function useDrag(look: Look, onDrop: ChartProps["onDrop"], at: (event: { clientX: number; clientY: number }) => Hit, onCarry: (carried: Carried | null) => void) {
  const from = useRef<{ x: number; y: number; isMoving: boolean }>(null);
  const wasDragged = useRef(false);
  const [carried, setCarried] = useState<Carried | null>(null);
  const set = (next: Carried | null) => {
    setCarried(next);
    onCarry(next);
  };
  const letGo = () => {
    from.current = null;
    set(null);
  };
  useEffect(() => {
    if (!carried) return;
    const onKey = (event: globalThis.KeyboardEvent) => event.key === "Escape" && letGo();
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [carried === null]);
  const isDraggable = (event: MouseEvent) => {
    const card = onDrop && !look.blank && event.type !== "wheel" ? at(event)?.hit.card : undefined;
    return card != null && look.chosen.has(card.code);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      wasDragged.current = false;
      if (event.button !== 0 || !isDraggable(event.nativeEvent)) return;
      from.current = { x: event.clientX, y: event.clientY, isMoving: false };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const start = from.current;
      if (!start) return;
      start.isMoving ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) > 6;
      if (!start.isMoving) return;
      wasDragged.current = true;
      const edges = event.currentTarget.getBoundingClientRect();
      const card = at(event)?.hit.card;
      set({ x: event.clientX - edges.left, y: event.clientY - edges.top, to: card && !look.chosen.has(card.code) ? card.code : null });
    },
    onPointerUp: () => {
      if (carried?.to) onDrop?.(carried.to);
      letGo();
    },
    onPointerCancel: letGo,
  };
  return { carried, handlers, isDraggable, isOver: () => wasDragged.current };
}

/** Arrow keys go to whoever is above, below and beside. */
function useKeys(scene: Scene, selected: Placed | undefined, onSelect: ChartProps["onSelect"], onToggle: ChartProps["onToggle"]) {
  return (event: KeyboardEvent) => {
    const cards = scene.placed.filter((p) => p.card);
    const from = selected ?? cards[0];
    if (!from) return;
    const isDown = scene.form === "down";
    const [depth, side] = isDown ? (["y", "x"] as const) : (["x", "y"] as const);
    const beside = cards.filter((p) => p[depth] === from[depth]).sort((a, b) => a[side] - b[side]);
    const here = beside.indexOf(from);
    const inChain = (by: number) => {
      const chain = cards.filter((p) => from.inBlock && p.inBlock && p.parent === from.parent && p[side] === from[side]).sort((a, b) => a[depth] - b[depth]);
      return chain[chain.indexOf(from) + by];
    };
    const above = inChain(-1) ?? (from.parent ? scene.byKey.get(from.parent) : undefined);
    const below = inChain(1) ?? cards.find((p) => p.parent === from.key);
    const targets: Record<string, Placed | undefined> = isDown
      ? { ArrowLeft: beside[here - 1], ArrowRight: beside[here + 1], ArrowUp: above, ArrowDown: below }
      : { ArrowUp: beside[here - 1], ArrowDown: beside[here + 1], ArrowLeft: above, ArrowRight: below };
    if (event.key === " " && selected) onSelect(from.key, true);
    else if (event.key === "Enter" && from.card!.direct > 0) onToggle(from);
    else if (event.key in targets) onSelect((selected ? targets[event.key] : from)?.key ?? from.key);
    else return;
    event.preventDefault();
  };
}
