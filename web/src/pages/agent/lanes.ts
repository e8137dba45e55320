import type { AgentQuery, CertificationCoreFragment, CertificationStatus } from "../../gql";
import { stateOf, words } from "../../parts/words";


/** A stretch of days with one value. */
export interface Span {
  from: string;
  through: string | null;
  label: string;
  /** What the value is to the API. */
  value: string;
  tone: "good" | "plain" | "warn" | "bad";
}

/** What can be changed on a lane. */
export type Subject = { kind: "payStatus" } | { kind: "upline" } | { kind: "level" } | { kind: "certification"; id: string } | { kind: "w9" };

export interface Lane {
  id: string;
  title: string;
  subject: Subject;
  /** When what the lane is of was last changed: a change is made of that version. */
  known: string;
  spans: Span[];
  /** Its periods were replaced, and cannot be changed. */
  isSuperseded?: boolean;
  /** Is not the caller's to change. */
  isFixed?: boolean;
}

type Agent = NonNullable<AgentQuery["agent"]>;

export function toneOf(status: CertificationStatus | null): Span["tone"] {
  if (status === "ACTIVE") return "good";
  if (status === "PENDING" || status === "HELD") return "warn";
  return status === "EXPIRED" || status === "RETIRED" ? "plain" : "bad";
}

/** The lane of a certification: its id names a view of it, another at each instant. */
export const certificationLane = (c: CertificationCoreFragment) => `${certificationTitle(c)} ${c.identifier ?? ""}`;

export const certificationTitle = (c: CertificationCoreFragment) => [c.type.name, stateOf(c.jurisdiction?.code), c.providerCompany?.code, c.isResidentCertification ? "resident" : ""].filter(Boolean).join(" ");

interface Period {
  effectiveFrom: string;
  effectiveThrough: string | null;
}

const span = (p: Period, label: string, value: string, tone: Span["tone"]): Span => ({ from: p.effectiveFrom, through: p.effectiveThrough, label, value, tone });

function certificationLanes(answer: AgentQuery, agent: Agent): Lane[] {
  const lanes = new Map<string, Lane>();
  const add = (c: CertificationCoreFragment, p: Period & { status: CertificationStatus | null }) => {
    const id = certificationLane(c);
    const lane: Lane = lanes.get(id) ?? { id, title: certificationTitle(c), subject: { kind: "certification", id: c.id }, known: c.lastModified, spans: [] };
    lane.spans.push(span(p, words(p.status), p.status ?? "", toneOf(p.status)));
    lanes.set(id, lane);
  };
  // Of what is known now there are all certifications; of what was known, those in force on the day.
  if (answer.certificationPeriods) answer.certificationPeriods.nodes.forEach((p) => add(p.certification, p));
  else agent.certifications.nodes.forEach((c) => c.periods.nodes.forEach((p) => add(c, p)));
  return [...lanes.values()].sort((a, b) => a.title.localeCompare(b.title));
}

/** The lanes of an agent's timeline. */
export function lanesOf(answer: AgentQuery, agent: Agent): Lane[] {
  const known = agent.lastModified;
  return [
    { id: "payStatus", title: "Pay status", subject: { kind: "payStatus" }, known, spans: agent.payStatusPeriods.nodes.map((p) => span(p, p.status.name, p.status.name, p.status.isActive ? "good" : "bad")) },
    { id: "upline", title: "Upline", subject: { kind: "upline" }, known, spans: agent.uplinePeriods.nodes.map((p) => span(p, p.uplineAgentCode ?? "none", p.uplineAgentCode ?? "", "plain")) },
    { id: "level", title: "Level", subject: { kind: "level" }, known, spans: agent.levelPeriods.nodes.map((p) => span(p, p.level.name, String(p.level.value), "plain")) },
    ...certificationLanes(answer, agent),
    { id: "w9", title: "W9", subject: { kind: "w9" }, known, spans: agent.w9Periods.nodes.map((p) => span(p, words(p.w9.taxClassification), p.w9.taxClassification ?? "", "plain")) },
  ];
}
