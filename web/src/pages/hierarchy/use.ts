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
  /** Those who were in view and have not joined yet, or have left. */
  gone: number;
}

interface State {
  onDate: string;
  asKnownAt: string | null;
  client: unknown;
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
  const gone = forward ? [] : [...marks].filter(([code, mark]) => mark === "joined" && !loaded.cards.has(code));
  return { from, to, marks: new Map([...marks].filter(([code]) => loaded.cards.has(code))), gone: gone.length };
}

/** The hierarchy in view. While that of another day is read there is the old one, for its shapes only. */
export function useHierarchy(view: View): { loaded: Loaded | null; passage: Passage | null; isCurrent: boolean } {
  const client = useClient();
  const { onDate, asKnownAt } = useDay();
  const counts = useRef(new Map<string, number>());
  const of = JSON.stringify([onDate, asKnownAt, view.root, view.agent, view.color, view.compare !== null, view.open ? [...view.open] : null]);
  const [state, setState] = useState<State | null>(null);
  useEffect(() => {
    let gone = false;
    void load(client, { ...view, onDate, asKnownAt, counts: counts.current }).then((loaded) => {
      if (gone) return;
      loaded.cards.forEach((card) => counts.current.set(card.code, card.direct));
      setState((old) => ({ onDate, asKnownAt, client, loaded, passage: old && old.onDate !== onDate ? passage(old, loaded, onDate) : null }));
    });
    return () => {
      gone = true;
    };
  }, [client, of]);
  // Opening a subtree leaves what is there as it is; another day, or a change, does not.
  const isCurrent = state !== null && state.onDate === onDate && state.asKnownAt === asKnownAt && state.client === client;
  return { loaded: state?.loaded ?? null, passage: isCurrent ? state.passage : null, isCurrent };
}
