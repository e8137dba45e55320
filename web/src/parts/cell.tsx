import { formatDay, formatDecimal, formatInstant, formatNumber, startDay } from "./format";
import { AgentLink } from "./links";
import { Status, type Tone } from "./status";
import { shownOf, words } from "./words";

/** What a status means, by its name: those of certifications, and what agencies usually call pay statuses. */
function toneOf(status: string): Tone {
  if (/^(active|in good standing)$/i.test(status)) return "good";
  if (/terminat|reject|expired|revoked/i.test(status)) return "bad";
  if (/suspen|hold|held|probation/i.test(status)) return "warn";
  return /pending|leave/i.test(status) ? "info" : "plain";
}

/** How a value is written. */
export type Kind = "text" | "day" | "start" | "instant" | "flag" | "number" | "decimal" | "percent" | "word" | "status" | "agent";

/** A value as people read it. */
export function Cell({ value, kind }: { value: unknown; kind?: Kind | undefined }) {
  if (value === null || value === undefined) return <span />;
  switch (kind) {
    case "day":
      return <>{formatDay(String(value))}</>;
    case "start":
      return <>{formatDay(startDay(String(value)))}</>;
    case "instant":
      return <>{formatInstant(String(value))}</>;
    case "flag":
      return <>{value ? "Yes" : "No"}</>;
    case "number":
      return <>{typeof value === "number" ? formatNumber(value) : String(value)}</>;
    case "decimal":
      return <>{formatDecimal(String(value))}</>;
    case "percent":
      return <>{formatDecimal(String(value))} %</>;
    case "word":
      return <>{words(String(value))}</>;
    case "status":
      return <Status tone={toneOf(String(value))}>{shownOf(String(value))}</Status>;
    case "agent":
      return <AgentLink code={String(value)} />;
    default:
      return <>{typeof value === "object" ? JSON.stringify(value) : shownOf(String(value))}</>;
  }
}
