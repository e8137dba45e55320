import { useEffect, useState } from "react";
import { gql, useClient } from "urql";
import { SupersededTimesDocument } from "../../gql";
import { words } from "../../parts/format";
import type { Lane, Span } from "./lanes";

const mostInstants = 8;

const periods = `
  payStatusPeriods(first: 40) { nodes { effectiveFrom effectiveThrough status { name } } }
  uplinePeriods(first: 40) { nodes { effectiveFrom effectiveThrough uplineAgentCode } }
  levelPeriods(first: 40) { nodes { effectiveFrom effectiveThrough level { value name } } }
  w9Periods(first: 40) { nodes { effectiveFrom effectiveThrough w9 { taxClassification } } }`;

interface Period {
  effectiveFrom: string;
  effectiveThrough: string | null;
}
interface Known {
  payStatusPeriods: { nodes: (Period & { status: { name: string } })[] };
  uplinePeriods: { nodes: (Period & { uplineAgentCode: string | null })[] };
  levelPeriods: { nodes: (Period & { level: { value: number; name: string } })[] };
  w9Periods: { nodes: (Period & { w9: { taxClassification: string | null } })[] };
}

const span = (p: Period, value: string, label = value): Span => ({ from: p.effectiveFrom, through: p.effectiveThrough, value, label, tone: "plain" });

/** What was known once, by the lane that it was on. */
const spansOf = (k: Known): Record<string, Span[]> => ({
  payStatus: k.payStatusPeriods.nodes.map((p) => span(p, p.status.name)),
  upline: k.uplinePeriods.nodes.map((p) => span(p, p.uplineAgentCode ?? "", p.uplineAgentCode ?? "none")),
  level: k.levelPeriods.nodes.map((p) => span(p, String(p.level.value), p.level.name)),
  w9: k.w9Periods.nodes.map((p) => span(p, p.w9.taxClassification ?? "", words(p.w9.taxClassification))),
});

const keyOf = (s: Span) => `${s.from} ${s.through} ${s.value}`;

/**
 * The periods that were replaced, as lanes below those that replaced them: what was known
 * just before each of the last changes of the agent, and is known no more.
 */
export function useSuperseded(code: string, wanted: boolean, lanes: Lane[]): { lanes: Lane[]; loading: boolean } {
  const client = useClient();
  const [once, setOnce] = useState<Record<string, Span[]>[]>();
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    const read = async () => {
      const { data } = await client.query(SupersededTimesDocument, { code }).toPromise();
      const instants = [...new Set((data?.agent?.auditLog.nodes ?? []).filter((e) => e.kind === "WRITE").map((e) => new Date(Date.parse(e.at) - 1).toISOString()))].slice(0, mostInstants);
      if (instants.length === 0) return [];
      const document = gql(`query Superseded($code: String!, ${instants.map((_, i) => `$t${i}: DateTime`).join(", ")}) {\n${instants.map((_, i) => `t${i}: agent(agentCode: $code, asKnownAt: $t${i}) {${periods} }`).join("\n")}\n}`);
      const known = await client.query<Record<string, Known | null>>(document, { code, ...Object.fromEntries(instants.map((t, i) => [`t${i}`, t])) }).toPromise();
      return Object.values(known.data ?? {}).flatMap((k) => (k && typeof k === "object" ? [spansOf(k)] : []));
    };
    void read().then((found) => !gone && setOnce(found));
    return () => {
      gone = true;
    };
  }, [client, code, wanted]);
  if (!wanted) return { lanes, loading: false };
  const besides = (lane: Lane): Lane[] => {
    const now = new Set(lane.spans.map(keyOf));
    const replaced = new Map((once ?? []).flatMap((k) => k[lane.id] ?? []).filter((s) => !now.has(keyOf(s))).map((s) => [keyOf(s), s]));
    return replaced.size === 0 ? [] : [...replaced.values()].map((s, i) => ({ id: `${lane.id} once ${i}`, title: `${lane.title}, once`, subject: lane.subject, spans: [s], isSuperseded: true }));
  };
  return { lanes: lanes.flatMap((lane) => [lane, ...besides(lane)]), loading: once === undefined };
}
