import { gql } from "urql";
import { useMemo } from "react";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useAnswer } from "../api/answer";
import { HistoryDocument } from "../gql";
import { addMonths, dayNumber, dayOf } from "../parts/format";
import { useMay, useViewer } from "./context";

const buckets = 19;

type Counts = Record<string, { totalCount: number }>;

// How many upline periods had begun by each of some days: one question, whatever the agency's size.
const marksDocument: TypedDocumentNode<Counts, Record<string, string>> = gql(
  `query HistoryMarks(${Array.from({ length: buckets + 1 }, (_, i) => `$d${i}: Date`).join(", ")}) {
${Array.from({ length: buckets + 1 }, (_, i) => `  m${i}: uplinePeriods(first: 1, filter: { through: $d${i} }) { totalCount }`).join("\n")}
}`,
);

export interface History {
  first: string;
  last: string;
  /** How many moves fell into each part of the range. */
  marks: number[];
}

/** The days that the agency knows something of: from its first period to its last one. */
export function useHistory(): History {
  const { today } = useViewer();
  const may = useMay("read:agents");
  const { data } = useAnswer(HistoryDocument, {}, !may);
  const range = useMemo(() => {
    const days = data ? Object.values(data).flatMap((c) => c.nodes.map((p) => p.effectiveFrom)) : [];
    const all = [addMonths(today, -12), addMonths(today, 1), ...days].sort();
    return { first: days.length ? [...days].sort()[0]! : all[0]!, last: all[all.length - 1]! };
  }, [data, today]);
  const ends = useMemo(() => {
    const from = dayNumber(range.first) - 1;
    const step = (dayNumber(range.last) - from) / buckets;
    return Object.fromEntries(Array.from({ length: buckets + 1 }, (_, i) => [`d${i}`, dayOf(Math.round(from + i * step))]));
  }, [range]);
  const counted = useAnswer(marksDocument, ends, !data);
  const marks = useMemo(() => {
    const c = counted.data;
    return c ? Array.from({ length: buckets }, (_, i) => c[`m${i + 1}`]!.totalCount - c[`m${i}`]!.totalCount) : [];
  }, [counted.data]);
  return { ...range, marks };
}
