import { useEffect, useState } from "react";
import { useAnswer } from "../api/answer";
import { HistoryDocument, type HistoryQuery } from "../gql";
import { addMonths, dayNumber } from "../parts/format";
import type { History } from "./context";

const parts = 48;

/** A year back and a month ahead are there even where there is no history. */
export function historyOf(known: HistoryQuery["agencyHistory"] | undefined, today: string): History {
  const next = addMonths(today, 1);
  const first = known?.firstDate ?? addMonths(today, -12);
  const last = known?.lastDate && known.lastDate > next ? known.lastDate : next;
  const marks = known ? Array.from({ length: parts }, () => 0) : [];
  const from = dayNumber(first);
  for (const { key, count } of known?.uplineChanges ?? []) {
    const at = Math.floor((parts * (dayNumber(`${key}-15`) - from)) / (dayNumber(last) - from));
    marks[Math.max(0, Math.min(parts - 1, at))]! += count;
  }
  return { first, last, marks };
}

/** Reads the history once, beside the page: nothing waits for it. */
export function useHistory(may: boolean) {
  const [known, setKnown] = useState<HistoryQuery["agencyHistory"]>();
  const { data } = useAnswer(HistoryDocument, {}, !may || known !== undefined);
  useEffect(() => data && setKnown(data.agencyHistory), [data]);
  return known;
}
