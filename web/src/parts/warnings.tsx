import { Alert, List, Text } from "@mantine/core";
import type { ConsequencesFragment } from "../gql";
import { count, formatDay } from "./format";
import { plain } from "./words";

/** What a move does to the histories of one agent. */
export interface OfAgent {
  agent: string;
  changes: (ConsequencesFragment | null | undefined)[];
}

/** So many removed periods are named; of more, how many there are. */
const named = 5;

/** What is lost: periods that a change removes, each by its agent and its first day. */
export const lostOf = (all: OfAgent[]) => all.flatMap(({ agent, changes }) => changes.flatMap((c) => (c?.operations ?? []).flatMap((o) => (o.kind === "REMOVED" && o.existing ? [`The period of ${agent} from ${formatDay(o.existing.effectiveFrom)} is removed.`] : []))));

/** What matters of a preview stands first: what is removed of histories. The rest is one line, which opens. */
export function Warnings({ all }: { all: OfAgent[] }) {
  const lost = lostOf(all);
  const others = [...new Set(all.flatMap(({ agent, changes }) => changes.flatMap((c) => (c?.warnings ?? []).filter((w) => w.code !== "FUTURE_PERIODS_REMOVED").map((w) => `${agent}: ${plain(w.message)}`))))];
  if (lost.length + others.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" p="xs" mt={4} role="note" aria-label="Before you apply">
      {lost.slice(0, named).map((text, i) => (
        <Text size="sm" key={i} fw={600}>
          {text}
        </Text>
      ))}
      {lost.length > named && <Text size="sm" fw={600}>{count(lost.length - named, "more period")} {lost.length - named === 1 ? "is" : "are"} removed.</Text>}
      {others.length > 0 && (
        <details className="folded">
          <summary>{count(others.length, lost.length > 0 ? "more warning" : "warning")}</summary>
          <List size="xs">
            {others.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </details>
      )}
    </Alert>
  );
}
