import { Button, Group, List, Paper, ScrollArea, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useMemo } from "react";
import { useAnswer } from "../../api/answer";
import { useDay } from "../../app/context";
import { CompareDocument, type CompareQuery } from "../../gql";
import { csv, download } from "../../parts/download";
import { formatDay, formatNumber } from "../../parts/format";
import { Failure, Loading } from "../../parts/states";
import type { Gone } from "./forest";
import type { Card } from "./load";
import type { Mark } from "./paint";

const left = { direct: 0, downline: 0, isActive: false, level: null, levelName: "has left", payStatus: null, licences: null, since: null, started: "", isGone: true };

type Diff = CompareQuery["hierarchyDiff"];

/** What differs between the day and another one, whichever comes first. */
export function useCompare(other: string | null, root: string | null) {
  const { onDate } = useDay();
  const [from, to] = other && other < onDate ? [other, onDate] : [onDate, other ?? onDate];
  const answer = useAnswer(CompareDocument, { from, to, root }, !other);
  const diff = answer.data?.hierarchyDiff;
  const marks = useMemo(() => {
    const all = new Map<string, Mark>();
    diff?.levelChanged.forEach((c) => all.set(c.agent.agentCode, "level"));
    diff?.moved.forEach((m) => all.set(m.agent.agentCode, "moved"));
    diff?.added.forEach((a) => all.set(a.agentCode, "joined"));
    diff?.removed.forEach((a) => all.set(a.agentCode, "left"));
    return all;
  }, [diff]);
  // Who has left since is shown where they were; who left before the day in view was not there.
  const gone = useMemo<Gone>(() => {
    const all = new Map<string, Card[]>();
    if (to !== onDate) return all;
    for (const a of diff?.removed ?? []) {
      const above = a.membership.directUplineCode;
      if (above) all.set(above, [...(all.get(above) ?? []), { ...left, code: a.agentCode, name: a.displayName, parent: above }]);
    }
    return all;
  }, [diff, to, onDate]);
  return { ...answer, diff, marks, gone, from, to };
}

interface CompareProps {
  compared: ReturnType<typeof useCompare>;
  onShow: (code: string) => void;
  onEnd: () => void;
}

/** Who joined, left and moved, and who changed level. */
export function Compare({ compared, onShow, onEnd }: CompareProps) {
  const { diff, error, loading, from, to } = compared;
  return (
    <Paper withBorder p="sm" component="section" aria-label="What differs">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2} size="h5">
          {formatDay(from)} – {formatDay(to)}
        </Title>
        <Button size="compact-xs" variant="default" onClick={onEnd}>
          End
        </Button>
      </Group>
      {error && <Failure error={error} />}
      {loading && <Loading what="what differs" />}
      {diff && <Differences diff={diff} onShow={onShow} name={`hierarchy-${from}-${to}`} />}
    </Paper>
  );
}

interface Line {
  code: string;
  name: string;
  what: string;
}

const who = (a: { agentCode: string } | null) => a?.agentCode ?? "nobody";

/** Each kind of difference: what it is called, those that are listed, and how many there are. */
function groupsOf(diff: Diff): [string, Line[], number][] {
  const { totals } = diff;
  const line = (a: { agentCode: string; displayName: string }, what = ""): Line => ({ code: a.agentCode, name: a.displayName, what });
  return [
    ["Joined", diff.added.map((a) => line(a)), totals.added],
    ["Left", diff.removed.map((a) => line(a)), totals.removed],
    ["Moved", diff.moved.map((m) => line(m.agent, `${who(m.fromUpline)} → ${who(m.toUpline)}, ${formatDay(m.effectiveFrom)}`)), totals.moved],
    ["Changed level", diff.levelChanged.map((c) => line(c.agent, `${c.fromLevel ?? "none"} → ${c.toLevel ?? "none"}`)), totals.levelChanged],
  ];
}

function Differences({ diff, onShow, name }: { diff: Diff; onShow: (code: string) => void; name: string }) {
  const groups = groupsOf(diff);
  const rows = groups.flatMap(([kind, lines]) => lines.map((l) => [kind, l.code, l.name, l.what]));
  return (
    <Stack gap="xs">
      <Group gap="xs" mt={6} justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">{groups.map(([kind, , total]) => `${formatNumber(total)} ${kind.toLowerCase()}`).join(", ")}</Text>
        <Button size="compact-xs" variant="default" style={{ flexShrink: 0 }} onClick={() => download(csv(["change", "agentCode", "displayName", "what"], rows), `${name}${diff.hasMore ? `-first-${rows.length}` : ""}.csv`)}>
          {diff.hasMore ? `CSV of the first ${formatNumber(rows.length)}` : "CSV"}
        </Button>
      </Group>
      {diff.hasMore && <Text size="xs" c="dimmed">The first 300 of each are listed. Compare a part of the hierarchy to see all of it.</Text>}
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0 }}>
        {groups
          .filter(([, lines]) => lines.length > 0)
          .map(([kind, lines, total]) => (
            <div key={kind}>
              <Text size="sm" fw={600}>
                {kind}
                {lines.length < total && `, the first ${formatNumber(lines.length)} of ${formatNumber(total)}`}
              </Text>
              <List size="sm" listStyleType="none">
                {lines.map((l) => (
                  <List.Item key={l.code}>
                    <UnstyledButton onClick={() => onShow(l.code)} fz="sm" mih={26}>
                      {l.name} · {l.code} {l.what && <Text span size="xs" c="dimmed">{l.what}</Text>}
                    </UnstyledButton>
                  </List.Item>
                ))}
              </List>
            </div>
          ))}
      </ScrollArea.Autosize>
    </Stack>
  );
}
