import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useMemo, useState } from "react";
import { gql } from "urql";
import { useAnswer } from "../api/answer";
import { dayNumber, dayOf } from "../parts/format";
import { useMay, useViewer } from "./context";

const buckets = 19;
const each = (write: (i: number) => string, between: string) => Array.from({ length: buckets + 1 }, (_, i) => write(i)).join(between);

type Counts = Record<string, { totalCount: number }>;

// How many upline periods had begun by each of some days: one question, whatever the agency's size.
const marksDocument: TypedDocumentNode<Counts, Record<string, string>> = gql(
  `query HistoryMarks(${each((i) => `$d${i}: Date`, ", ")}) {
${each((i) => `  m${i}: uplinePeriods(first: 1, filter: { through: $d${i} }) { totalCount }`, "\n")}
}`,
);

/** How many moves fell into each part of the agency's history: read once, when the page is opened. */
export function useMarks(): number[] {
  const { first, last } = useViewer();
  const ends = useMemo(() => {
    const from = dayNumber(first) - 1;
    const step = (dayNumber(last) - from) / buckets;
    return Object.fromEntries(Array.from({ length: buckets + 1 }, (_, i) => [`d${i}`, dayOf(Math.round(from + i * step))]));
  }, [first, last]);
  const [marks, setMarks] = useState<number[]>();
  const { data } = useAnswer(marksDocument, ends, !useMay("read:agents") || marks !== undefined);
  useEffect(() => {
    if (data) setMarks(Array.from({ length: buckets }, (_, i) => data[`m${i + 1}`]!.totalCount - data[`m${i}`]!.totalCount));
  }, [data]);
  return marks ?? [];
}
