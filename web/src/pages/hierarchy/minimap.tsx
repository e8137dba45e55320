import { type PointerEvent, type Ref, useEffect, useImperativeHandle, useMemo, useRef } from "react";
import type { Frame, Look } from "./draw";
import { bounds, cardHeight, cardWidth, type Scene } from "./forest";
import { stripe } from "./paint";

const width = 170;
const height = 110;

export interface MinimapHandle {
  /** Shows what of the chart is in sight. */
  show: (frame: Frame) => void;
}

interface MinimapProps {
  ref: Ref<MinimapHandle>;
  scene: Scene;
  look: Look;
  /** Brings a place of the chart into the middle. */
  onGo: (x: number, y: number) => void;
}

/** How the whole of a scene fits into the map. */
function fitted(scene: Scene) {
  const b = bounds(scene);
  const k = Math.min((width - 8) / b.width, (height - 8) / b.height);
  return { k, x: (width - b.width * k) / 2 - b.x * k, y: (height - b.height * k) / 2 - b.y * k, b };
}

/** The whole chart in small: a frame is around what is in sight, and follows the pointer. Keys have no need of it. */
export function Minimap({ ref, scene, look, onGo }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const sight = useRef<HTMLDivElement>(null);
  const last = useRef<Frame>(null);
  const fit = useMemo(() => fitted(scene), [scene]);
  const show = (frame: Frame) => {
    last.current = frame;
    const { k, x, y, b } = fit;
    const left = -frame.x / frame.k;
    const top = -frame.y / frame.k;
    const isWhole = left <= b.x && top <= b.y && left + frame.width / frame.k >= b.x + b.width && top + frame.height / frame.k >= b.y + b.height;
    canvas.current!.parentElement!.hidden = isWhole || frame.width < 500;
    Object.assign(sight.current!.style, { left: `${left * k + x}px`, top: `${top * k + y}px`, width: `${(frame.width / frame.k) * k}px`, height: `${(frame.height / frame.k) * k}px` });
  };
  useImperativeHandle(ref, () => ({ show }), [scene]);
  useEffect(() => {
    const g = canvas.current!.getContext("2d")!;
    const { k, x, y } = fit;
    g.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    g.clearRect(0, 0, width, height);
    for (const p of scene.placed) {
      const mark = look.marks.get(p.key);
      g.fillStyle = look.blank || !p.card ? look.palette.border : mark ? look.palette.marks[mark] : stripe(p.card, look.color, look.levels, look.palette);
      g.fillRect(p.x * k + x, (p.y - cardHeight / 2) * k + y, Math.max(1, cardWidth * k), Math.max(1, cardHeight * k));
    }
    if (last.current) show(last.current);
  }, [scene, look]);
  const go = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const edges = event.currentTarget.getBoundingClientRect();
    const { k, x, y } = fit;
    onGo((event.clientX - edges.left - x) / k, (event.clientY - edges.top - y) / k);
  };
  return (
    <div className="minimap" aria-hidden hidden onPointerDown={go} onPointerMove={go}>
      <canvas ref={canvas} width={width * devicePixelRatio} height={height * devicePixelRatio} />
      <div ref={sight} />
    </div>
  );
}
