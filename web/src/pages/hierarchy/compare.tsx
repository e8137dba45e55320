import { Button, Group, List, Paper, ScrollArea, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useMemo } from "react";
import { useClient } from "urql";
import { useAnswer } from "../../api/answer";
import { useDay } from "../../app/context";
import { CompareDocument, CompareOnDocument, type CompareOnQuery, type CompareQuery } from "../../gql";
import { readAll, SaveCSV } from "../../parts/csv";
import { formatDay, formatNumber } from "../../parts/format";
import { Failure, Loading } from "../../parts/states";
import type { Gone } from "./forest";
import type { Card } from "./load";
import type { Mark } from "./paint";

const left = { direct: 0, downline: 0, isActive: false, level: null, levelName: "has left", payStatus: null, licences: null, home: null, since: null, started: "", isGone: true };

type Diff = CompareQuery["hierarchyDiff"];

/** What differs between the day and another one, whichever comes first. */
export function useCompare(other: string | null, root: string | null) {
  const { onDate, asKnownAt } = useDay();
  const [from, to] = other && other < onDate ? [other, onDate] : [onDate, other ?? onDate];
  const answer = useAnswer(CompareDocument, { from, to, root, asKnownAt }, !other);
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
  return { ...answer, diff, marks, gone, from, to, root, asKnownAt };
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
      {diff && <Differences compared={compared} diff={diff} onShow={onShow} />}
    </Paper>
  );
}

interface Line {
  code: string;
  name: string;
  what: string;
}

const who = (a: { agentCode: string } | null) => a?.agentCode ?? "nobody";

/** The kinds of differences, and what they are called. */
const kinds = { added: "Joined", removed: "Left", moved: "Moved", levelChanged: "Have another level" };
type Kind = keyof typeof kinds;

const line = (a: { agentCode: string; displayName: string }, what = ""): Line => ({ code: a.agentCode, name: a.displayName, what });

/** The differences of each kind, as far as they were asked for. */
const linesOf = (diff: CompareOnQuery["hierarchyDiff"]): Record<Kind, Line[]> => ({
  added: (diff.added ?? []).map((a) => line(a)),
  removed: (diff.removed ?? []).map((a) => line(a)),
  moved: (diff.moved ?? []).map((m) => line(m.agent, `${who(m.fromUpline)} → ${who(m.toUpline)}, ${formatDay(m.effectiveFrom)}`)),
  levelChanged: (diff.levelChanged ?? []).map((c) => line(c.agent, `${c.fromLevel ?? "none"} → ${c.toLevel ?? "none"}`)),
});

/** Reads on in the differences of a kind. */
function useReadOn({ from, to, root, asKnownAt }: CompareProps["compared"]) {
  const client = useClient();
  return async (kind: Kind, lines: Line[]) => {
    const wanted = { added: kind === "added", removed: kind === "removed", moved: kind === "moved", levelChanged: kind === "levelChanged" };
    const { data, error } = await client.query(CompareOnDocument, { from, to, root, asKnownAt, after: lines.at(-1)?.code ?? "", ...wanted }).toPromise();
    if (error) throw error;
    return data ? linesOf(data.hierarchyDiff)[kind] : [];
  };
}

function Differences({ compared, diff, onShow }: { compared: CompareProps["compared"]; diff: Diff; onShow: (code: string) => void }) {
  const readOn = useReadOn(compared);
  const lines = linesOf(diff);
  const groups = (Object.keys(kinds) as Kind[]).map((kind) => ({ kind, name: kinds[kind], rows: lines[kind], total: diff.totals[kind], readOn: (rows: Line[]) => readOn(kind, rows) }));
  const read = async () => {
    const rows: string[][] = [];
    for (const group of groups) rows.push(...(await readAll(group)).map((l) => [group.name, l.code, l.name, l.what]));
    return { rows, name: `hierarchy-${compared.from}-${compared.to}` };
  };
  return (
    <Stack gap="xs">
      <Group gap="xs" mt={6} justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">
          {groups.map(({ name, total }) => `${formatNumber(total)} ${name.toLowerCase()}`).join(", ")}
          {diff.totals.added + diff.totals.removed > 0 && ", whoever joined or left among them"}
        </Text>
        <SaveCSV header={["change", "agentCode", "displayName", "what"]} read={read} />
      </Group>
      {diff.hasMore && <Text size="xs" c="dimmed">The first 300 of each are listed. The file has all of them.</Text>}
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0 }}>
        {groups
          .filter(({ rows }) => rows.length > 0)
          .map(({ kind, name, rows, total }) => (
            <div key={kind}>
              <Text size="sm" fw={600}>
                {name}
                {rows.length < total && `, the first ${formatNumber(rows.length)} of ${formatNumber(total)}`}
              </Text>
              <List size="sm" listStyleType="none">
                {rows.map((l) => (
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
