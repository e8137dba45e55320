import { useEffect, useState } from "react";
import { type Client, type CombinedError, gql, useClient } from "urql";
import { type CertificationCoreFragment, SupersededTimesDocument } from "../../gql";
import { certificationLane, type Lane, type Span } from "./lanes";
import { words } from "../../parts/words";

const mostInstants = 8;

const periods = `
  payStatusPeriods(last: 40) { nodes { effectiveFrom effectiveThrough status { name } } }
  uplinePeriods(last: 40) { nodes { effectiveFrom effectiveThrough uplineAgentCode } }
  levelPeriods(last: 40) { nodes { effectiveFrom effectiveThrough level { value name } } }
  w9Periods(last: 40) { nodes { effectiveFrom effectiveThrough w9 { taxClassification } } }`;

const certifications = `
  certifications(first: 25) { nodes {
    identifier type { name } jurisdiction { code } providerCompany { code } isResidentCertification
    periods(last: 8) { nodes { status effectiveFrom effectiveThrough } }
  } }`;

interface Period {
  effectiveFrom: string;
  effectiveThrough: string | null;
}
/** An answer has the periods, or the certifications. */
interface Known {
  payStatusPeriods?: { nodes: (Period & { status: { name: string } })[] };
  uplinePeriods?: { nodes: (Period & { uplineAgentCode: string | null })[] };
  levelPeriods?: { nodes: (Period & { level: { value: number; name: string } })[] };
  w9Periods?: { nodes: (Period & { w9: { taxClassification: string | null } })[] };
  certifications?: { nodes: (CertificationCoreFragment & { periods: { nodes: (Period & { status: string | null })[] } })[] };
}

const span = (p: Period, value: string, label = value): Span => ({ from: p.effectiveFrom, through: p.effectiveThrough, value, label, tone: "plain" });

/** What was known once, by the lane that it was on. */
const spansOf = (k: Known): Record<string, Span[] | undefined> => ({
  payStatus: k.payStatusPeriods?.nodes.map((p) => span(p, p.status.name)),
  upline: k.uplinePeriods?.nodes.map((p) => span(p, p.uplineAgentCode ?? "", p.uplineAgentCode ?? "none")),
  level: k.levelPeriods?.nodes.map((p) => span(p, String(p.level.value), p.level.name)),
  w9: k.w9Periods?.nodes.map((p) => span(p, p.w9.taxClassification ?? "", words(p.w9.taxClassification))),
  ...Object.fromEntries((k.certifications?.nodes ?? []).map((c) => [certificationLane(c), c.periods.nodes.map((p) => span(p, p.status ?? "", words(p.status)))])),
});

const keyOf = (s: Span) => `${s.from} ${s.through} ${s.value}`;

/** What was known of the agent at each of some instants. */
function documentOf(instants: string[], fields: string) {
  const declared = instants.map((_, i) => `$t${i}: DateTime`).join(", ");
  return gql(`query Superseded($code: String!, ${declared}) {\n${instants.map((_, i) => `t${i}: agent(agentCode: $code, asKnownAt: $t${i}) {${fields} }`).join("\n")}\n}`);
}

interface Once {
  known: Record<string, Span[] | undefined>[];
  error?: CombinedError;
}

/** Asks three times at most: when something changed, and what of both kinds was known before. */
async function readOnce(client: Client, code: string): Promise<Once> {
  const { data, error } = await client.query(SupersededTimesDocument, { code }).toPromise();
  const instants = [...new Set((data?.agent?.auditLog.nodes ?? []).filter((e) => e.kind === "WRITE").map((e) => new Date(Date.parse(e.at) - 1).toISOString()))].slice(0, mostInstants);
  if (error || instants.length === 0) return { known: [], error };
  const variables = { code, ...Object.fromEntries(instants.map((t, i) => [`t${i}`, t])) };
  const answers = await Promise.all([periods, certifications].map((fields) => client.query<Record<string, Known | null>>(documentOf(instants, fields), variables).toPromise()));
  const known = answers.flatMap((a) => Object.values(a.data ?? {})).flatMap((k) => (k && typeof k === "object" ? [spansOf(k)] : []));
  return { known, error: answers.find((a) => a.error)?.error };
}

/**
 * The periods that were replaced, as lanes below those that replaced them: what was known
 * just before each of the last changes of the agent, and is known no more.
 */
export function useSuperseded(code: string, wanted: boolean, lanes: Lane[]): { lanes: Lane[]; loading: boolean; error?: CombinedError } {
  const client = useClient();
  const [once, setOnce] = useState<Once>();
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    void readOnce(client, code).then((found) => !gone && setOnce(found));
    return () => {
      gone = true;
    };
  }, [client, code, wanted]);
  if (!wanted) return { lanes, loading: false };
  const besides = (lane: Lane): Lane[] => {
    const now = new Set(lane.spans.map(keyOf));
    const replaced = new Map((once?.known ?? []).flatMap((k) => k[lane.id] ?? []).filter((s) => !now.has(keyOf(s))).map((s) => [keyOf(s), s]));
    return [...replaced.values()].map((s, i) => ({ id: `${lane.id} once ${i}`, title: `${lane.title}, once`, subject: lane.subject, known: lane.known, spans: [s], isSuperseded: true }));
  };
  return { lanes: lanes.flatMap((lane) => [lane, ...besides(lane)]), loading: once === undefined, error: once?.error };
}
