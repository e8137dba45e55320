import { formatDay, formatInstant, formatNumber, startDay, words } from "./format";
import { AgentLink } from "./links";

/** How a value is written. */
export type Kind = "text" | "day" | "start" | "instant" | "flag" | "number" | "word" | "agent";

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
    case "word":
      return <>{words(String(value))}</>;
    case "agent":
      return <AgentLink code={String(value)} />;
    default:
      return <>{typeof value === "object" ? JSON.stringify(value) : String(value)}</>;
  }
}
