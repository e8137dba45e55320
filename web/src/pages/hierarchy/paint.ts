import { formatNumber } from "../../parts/format";
import type { Card } from "./load";
import type { Color } from "./state";

export interface Palette {
  text: string;
  faint: string;
  card: string;
  border: string;
  edge: string;
  way: string;
  focus: string;
  ramp: string[];
  good: string;
  bad: string;
  marks: Record<Mark, string>;
}

/** What happened to an agent between two days, or would happen. */
export type Mark = "joined" | "left" | "moved" | "level" | "basket";

export const palettes: Record<"light" | "dark", Palette> = {
  light: {
    text: "#1b1e21",
    faint: "#50575e",
    card: "#ffffff",
    border: "#ced4da",
    edge: "#b7bec5",
    way: "#364fc7",
    focus: "#d9480f",
    ramp: ["#e7f5ff", "#c5e1fa", "#9fcbf2", "#74b1e8", "#4a94d8", "#2e78c0", "#1e5f9f", "#15497e", "#0e355e"],
    good: "#40916c",
    bad: "#c0392b",
    marks: { joined: "#2b8a3e", left: "#c92a2a", moved: "#e67700", level: "#1971c2", basket: "#9c36b5" },
  },
  dark: {
    text: "#e9ecef",
    faint: "#adb5bd",
    card: "#25282c",
    border: "#495057",
    edge: "#5c636a",
    way: "#91a7ff",
    focus: "#ff922b",
    ramp: ["#12324d", "#174568", "#1d5985", "#266fa3", "#3486c0", "#4a9cd6", "#6bb2e6", "#93c9f1", "#c0e0f9"],
    good: "#69db7c",
    bad: "#ff8787",
    marks: { joined: "#69db7c", left: "#ff8787", moved: "#ffa94d", level: "#74c0fc", basket: "#da77f2" },
  },
};

const step = (palette: Palette, share: number) => palette.ramp[Math.max(0, Math.min(palette.ramp.length - 1, Math.round(share * (palette.ramp.length - 1))))]!;

/** The colour of a card's stripe. */
export function stripe(card: Card, color: Color, levels: number[], palette: Palette): string {
  switch (color) {
    case "level":
      return card.level === null ? palette.border : step(palette, levels.length < 2 ? 1 : levels.indexOf(card.level) / (levels.length - 1));
    case "payStatus":
      return card.isActive ? palette.good : palette.bad;
    case "licences":
      return card.licences === null ? palette.border : card.licences === 0 ? palette.bad : step(palette, Math.min(1, card.licences / 10));
    case "downline":
      return step(palette, Math.log10(card.downline + 1) / 4);
  }
}

/** The second line of a card. */
export function detail(card: Card, color: Color): string {
  const first = color === "licences" && card.licences !== null ? `${card.licences} in force` : (card.levelName ?? card.payStatus ?? card.code);
  const below = card.downline > 0 ? `${formatNumber(card.downline)} below · ` : "";
  return `${card.isActive ? "" : `${card.payStatus ?? "not active"} · `}${below}${first}`;
}
