import { useEffect, useRef, useState } from "react";
import { useClient } from "urql";
import { useDay } from "../../app/context";
import { type Loaded, load } from "./load";
import type { View } from "./state";

/** The hierarchy in view. While another is read there is the old one, for its shapes only. */
export function useHierarchy(view: View): { loaded: Loaded | null; isCurrent: boolean } {
  const client = useClient();
  const { onDate, asKnownAt } = useDay();
  const counts = useRef(new Map<string, number>());
  const of = JSON.stringify([onDate, asKnownAt, view.root, view.agent, view.color === "licences", view.color, view.open ? [...view.open] : null]);
  const [state, setState] = useState<{ of: string; day: string; client: unknown; loaded: Loaded } | null>(null);
  const day = JSON.stringify([onDate, asKnownAt]);
  useEffect(() => {
    let gone = false;
    void load(client, { ...view, onDate, asKnownAt, counts: counts.current }).then((loaded) => {
      if (gone) return;
      loaded.cards.forEach((card) => counts.current.set(card.code, card.direct));
      setState({ of, day, client, loaded });
    });
    return () => {
      gone = true;
    };
  }, [client, of]);
  // Opening a subtree leaves what is there as it is; another day, or a change, does not.
  return { loaded: state?.loaded ?? null, isCurrent: state !== null && state.day === day && state.client === client };
}
