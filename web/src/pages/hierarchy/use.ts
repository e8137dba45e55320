import { useEffect, useRef, useState } from "react";
import { useClient } from "urql";
import { useDay } from "../../app/context";
import { type Card, type Loaded, load } from "./load";
import type { Mark } from "./paint";
import type { View } from "./state";

/** What happened to those in view between the day before and the day. */
export interface Passage {
  from: string;
  to: string;
  marks: ReadonlyMap<string, Mark>;
  /** Those who were in view, below somebody who still is, and are not there on this day. */
  gone: ReadonlySet<string>;
}

interface State {
  onDate: string;
  asKnownAt: string | null;
  client: unknown;
  /** What the cards are of besides: others are read from the beginning. */
  kind: string;
  loaded: Loaded;
  passage: Passage | null;
}

/** Who came below another upline from one day to a later one: joined, when they started meanwhile. */
function between(cards: ReadonlyMap<string, Card>, from: string): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const card of cards.values()) if (card.since && card.since > from) marks.set(card.code, card.started > from ? "joined" : "moved");
  return marks;
}

function passage(old: State, loaded: Loaded, to: string): Passage {
  const from = old.onDate;
  const forward = to > from;
  const marks = forward ? between(loaded.cards, from) : between(old.loaded.cards, to);
  const gone = [...old.loaded.cards.values()].filter((c) => !loaded.cards.has(c.code) && (c.parent === null || loaded.cards.has(c.parent)));
  return { from, to, marks: new Map([...marks].filter(([code]) => loaded.cards.has(code))), gone: new Set(gone.map((c) => c.code)) };
}

interface InView {
  loaded: Loaded | null;
  passage: Passage | null;
  isCurrent: boolean;
  /** Reads what is open and was left out. */
  readOn: () => void;
}

/** The hierarchy in view. While that of another day is read there is the old one, for its shapes only. */
export function useHierarchy(view: View): InView {
  const client = useClient();
  const { onDate, asKnownAt } = useDay();
  const counts = useRef(new Map<string, { direct: number; downline: number }>());
  const last = useRef<State>(null);
  // By size the whole is shown, whatever is open.
  const isWhole = view.form === "area";
  const open: View["open"] = !isWhole ? view.open : view.root ? new Map([[view.root, "all"]]) : null;
  // What is asked for of each agent: others than these are read from the beginning.
  const kind = JSON.stringify([view.root, view.color, asKnownAt, isWhole, Object.keys(view.only)]);
  const of = JSON.stringify([onDate, kind, view.agent, view.compare !== null, open ? [...open] : null]);
  const [state, setState] = useState<State | null>(null);
  const [readOn, setReadOn] = useState(0);
  useEffect(() => {
    let gone = false;
    const old = last.current;
    const had = old && old.client === client && old.onDate === onDate && old.kind === kind && !old.loaded.error ? old.loaded : null;
    void load(client, { ...view, open, onDate, asKnownAt, counts: counts.current, had }).then((loaded) => {
      if (gone) return;
      loaded.cards.forEach((card) => counts.current.set(card.code, { direct: card.direct, downline: card.downline }));
      last.current = { onDate, asKnownAt, client, kind, loaded, passage: old && old.onDate !== onDate ? passage(old, loaded, onDate) : had ? old!.passage : null };
      setState(last.current);
    });
    return () => {
      gone = true;
    };
  }, [client, of, readOn]);
  // Opening a subtree leaves what is there as it is; another day, or a change, does not.
  const isCurrent = state !== null && state.onDate === onDate && state.asKnownAt === asKnownAt && state.client === client;
  return { loaded: state?.loaded ?? null, passage: isCurrent ? state.passage : null, isCurrent, readOn: () => setReadOn(readOn + 1) };
}
