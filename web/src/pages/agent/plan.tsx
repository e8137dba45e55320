import { Alert, Text } from "@mantine/core";
import type { ChangeFragment } from "../../gql";

import type { Lane, Span } from "./lanes";
import { rangeOf, Timeline } from "./timeline";
import { words } from "../../parts/words";

/** Before and after, exactly as the dry run answers. */
export function Plan({ plan, lane, from }: { plan: ChangeFragment; lane: Lane; from: string }) {
  const labels = new Map(lane.spans.map((s) => [s.value, s]));
  const spans = (periods: ChangeFragment["before"]): Span[] =>
    periods.map((p) => ({ from: p.effectiveFrom, through: p.effectiveThrough, value: p.value ?? "", label: labels.get(p.value ?? "")?.label ?? p.value ?? "none", tone: labels.get(p.value ?? "")?.tone ?? "plain" }));
  const lanes: Lane[] = [
    { id: "before", title: "Now", subject: lane.subject, known: lane.known, spans: spans(plan.before) },
    { id: "after", title: "Then", subject: lane.subject, known: lane.known, spans: spans(plan.after) },
  ];
  return (
    <section aria-label="Preview">
      <Text size="sm" fw={600} mb={4}>
        What would change: {plan.operations.map((o) => words(o.kind).toLowerCase()).join(", ") || "nothing"}
      </Text>
      <Timeline lanes={lanes} onDate={from} range={rangeOf(lanes, from)} />
      {plan.warnings.map((w) => (
        <Alert key={w.code} color="yellow" variant="outline" mt="xs" title={words(w.code)}>
          {w.message}
        </Alert>
      ))}
    </section>
  );
}
