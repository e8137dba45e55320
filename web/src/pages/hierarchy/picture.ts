import { csv, download } from "../../parts/download";
import { atRest, draw, type Look } from "./draw";
import { bounds, cardHeight, cardWidth, curveOf, type Placed, type Scene } from "./forest";
import { detail, stripe } from "./paint";

const margin = 20;
// Browsers refuse larger canvases.
const largest = 16_000;

/** The picture of a scene as PNG. */
export function asPNG(scene: Scene, look: Look, name: string) {
  const b = bounds(scene);
  const k = Math.min(2, largest / (b.width + 2 * margin), largest / (b.height + 2 * margin));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((b.width + 2 * margin) * k);
  canvas.height = Math.ceil((b.height + 2 * margin) * k);
  const g = canvas.getContext("2d")!;
  g.fillStyle = look.palette.card;
  g.fillRect(0, 0, canvas.width, canvas.height);
  draw(g, scene, look, { k, x: (margin - b.x) * k, y: (margin - b.y) * k, width: canvas.width, height: canvas.height }, atRest);
  canvas.toBlob((blob) => blob && download(blob, `${name}.png`));
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const short = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function svgCard(p: Placed, look: Look): string {
  const { palette } = look;
  const top = p.y - cardHeight / 2;
  if (!p.card) return `<text x="${p.x + 14}" y="${p.y + 4}" font-size="12" fill="${palette.way}">+ ${p.more} more</text>`;
  const mark = look.marks.get(p.key);
  return [
    `<rect x="${p.x}" y="${top}" width="${cardWidth}" height="${cardHeight}" rx="5" fill="${palette.card}" stroke="${mark ? palette.marks[mark] : palette.border}" stroke-width="${mark ? 3 : 1}"/>`,
    `<rect x="${p.x + 1}" y="${top + 1}" width="7" height="${cardHeight - 2}" fill="${stripe(p.card, look.color, look.levels, palette)}"/>`,
    `<text x="${p.x + 14}" y="${p.y - 5}" font-size="13" font-weight="600" fill="${palette.text}">${escaped(short(p.card.name, 24))}</text>`,
    `<text x="${p.x + 14}" y="${p.y + 14}" font-size="11" fill="${palette.faint}">${escaped(short(detail(p.card, look.color), 32))}</text>`,
  ].join("");
}

/** The picture of a scene as SVG. */
export function asSVG(scene: Scene, look: Look, name: string) {
  const b = bounds(scene);
  const edges = scene.edges.map(({ from, to }) => {
    const [x, y, ...rest] = curveOf(scene.form, from, to, "key" in to ? undefined : to);
    return `M${x},${y}C${rest.join(",")}`;
  });
  const boxes = scene.blocks.map((box) => `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="8" fill="none" stroke="${look.palette.edge}"/>`);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${b.x - margin} ${b.y - margin} ${b.width + 2 * margin} ${b.height + 2 * margin}" font-family="system-ui, sans-serif"><path d="${edges.join("")}" fill="none" stroke="${look.palette.edge}"/>${boxes.join("")}${scene.placed.map((p) => svgCard(p, look)).join("")}</svg>`;
  download(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
}

/** The agents of a scene as CSV. */
export function asCSV(scene: Scene, look: Look, name: string) {
  const header = ["agentCode", "displayName", "uplineAgentCode", "level", "payStatus", "isActive", "directCount", "downlineCount", "mark"];
  const rows = scene.placed.flatMap((p) => (p.card ? [[p.card.code, p.card.name, p.card.parent, p.card.levelName, p.card.payStatus, p.card.isActive, p.card.direct, p.card.downline, look.marks.get(p.key) ?? ""]] : []));
  download(csv(header, rows), `${name}.csv`);
}
