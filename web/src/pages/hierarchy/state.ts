import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

export type Color = "level" | "payStatus" | "licences" | "downline";
export const colors: { value: Color; label: string }[] = [
  { value: "level", label: "Level" },
  { value: "payStatus", label: "Pay status" },
  { value: "licences", label: "Certifications in force" },
  { value: "downline", label: "Size of the downline" },
];

/** How the hierarchy is laid out: cards beside or below each other, or areas as large as the downline. */
export type Form = "across" | "down" | "area";
export const forms: { value: Form; label: string }[] = [
  { value: "across", label: "Left to right" },
  { value: "down", label: "Top down" },
  { value: "area", label: "By size" },
];

/** Whom to show, besides those above them: who has all that is named here. */
export interface Only {
  level?: string;
  payStatus?: string;
  /** Code of the jurisdiction of the home address. */
  home?: string;
}

/** How much of an agent's downline is shown: its first reports, all of them, or everybody below. */
export type Depth = "some" | "direct" | "all";

export interface Move {
  agentCode: string;
  to: string;
}

/** A basket with some agents' moves below another: each agent has one move at most. */
export const withMoves = (old: Move[], agents: readonly string[], to: string): Move[] => [...old.filter((m) => !agents.includes(m.agentCode)), ...agents.map((agentCode) => ({ agentCode, to }))];

/** What of the hierarchy is in view. All of it stands in the URL. */
export interface View {
  root: string | null;
  agent: string | null;
  color: Color;
  form: Form;
  only: Only;
  compare: string | null;
  /** Null until somebody opened or closed something. */
  open: ReadonlyMap<string, Depth> | null;
  /** The scenario that is edited, and its moves as far as they are not saved. */
  scenario: string | null;
  moves: Move[];
}

const marks: Record<Depth, string> = { some: "", direct: "+", all: "*" };

function readOpen(written: unknown): View["open"] {
  if (!Array.isArray(written)) return null;
  const entries = written.map(String).map((text): [string, Depth] => {
    const mark = text.slice(-1);
    return mark === "+" ? [text.slice(0, -1), "direct"] : mark === "*" ? [text.slice(0, -1), "all"] : [text, "some"];
  });
  return new Map(entries);
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);

function readMoves(value: unknown): Move[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown) => {
    const [agentCode, to] = String(pair).split(">");
    return agentCode && to !== undefined ? [{ agentCode, to }] : [];
  });
}

function readOnly(value: unknown): Only {
  const { level, payStatus, home } = (value ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries({ level: typeof level === "number" ? String(level) : level, payStatus, home }).filter(([, v]) => text(v)));
}

/** What a change makes of what is in view by then: a hand may be faster than the page. */
export type Change = Partial<View> | ((old: View) => Partial<View>);

function viewOf(search: Record<string, unknown>): View {
  return {
    root: text(search.root),
    agent: text(search.agent),
    color: colors.find((c) => c.value === search.color)?.value ?? "level",
    form: forms.find((f) => f.value === search.form)?.value ?? "across",
    only: readOnly(search.only),
    compare: text(search.compare),
    open: readOpen(search.open),
    scenario: text(search.scenario),
    moves: readMoves(search.moves),
  };
}

function written({ open, moves, only, ...plain }: Partial<View>): Record<string, unknown> {
  const all: Record<string, unknown> = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, value ?? undefined]));
  if (open !== undefined) all.open = open ? [...open].map(([code, depth]) => code + marks[depth]) : undefined;
  if (only !== undefined) all.only = Object.keys(only).length ? only : undefined;
  if (moves !== undefined) all.moves = moves.length ? moves.map((m) => `${m.agentCode}>${m.to}`) : undefined;
  return all;
}

export function useView(): [View, (change: Change) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const view = useMemo(() => viewOf(search), [JSON.stringify([search.root, search.agent, search.color, search.form, search.only, search.compare, search.open, search.scenario, search.moves])]);
  const change = useCallback(
    (next: Change) => void navigate({ to: ".", search: ((old: Record<string, unknown>) => ({ ...old, ...written(typeof next === "function" ? next(viewOf(old)) : next) })) as never }),
    [navigate],
  );
  return [view, change];
}
