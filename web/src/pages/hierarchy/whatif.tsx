import { ActionIcon, Alert, Button, Group, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useClient } from "urql";
import { useAction } from "../../api/answer";
import { useDay, useViewer } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { MoversDocument, ReorganiseDocument, type ReorganiseMutation } from "../../gql";
import { formatDay } from "../../parts/format";
import { Problems } from "../../parts/states";
import type { Move } from "./state";

type Plan = ReorganiseMutation["reorgApply"];

interface WhatIfProps {
  moves: Move[];
  /** Who is about to be put into the basket. */
  moving: string | null;
  onMoves: (next: (old: Move[]) => Move[]) => void;
  onEnd: () => void;
}

/** A basket of moves: what they would do is shown, then all of them are applied, or none. */
export function WhatIf({ moves, moving, onMoves, onEnd }: WhatIfProps) {
  const { username: initiator } = useViewer();
  const { onDate } = useDay();
  const [from, setFrom] = useState(onDate);
  const client = useClient();
  const [plan, setPlan] = useState<{ of: string; plan: Plan; known: string[] } | null>(null);
  const [done, setDone] = useState("");
  const { run, busy, problems, clear } = useAction(ReorganiseDocument);
  const of = JSON.stringify([moves, from]);
  const current = plan?.of === of ? plan : null;
  const input = { effectiveFrom: from, initiator, moves: moves.map((m) => ({ agentCode: m.agentCode, newUplineAgentCode: m.to || null })) };
  const change = (next: (old: Move[]) => Move[]) => {
    clear();
    setDone("");
    onMoves(next);
  };
  const preview = async () => {
    // The versions come first: what the preview then shows is of them, or it is refused.
    const codes = moves.map((m) => m.agentCode);
    const { data } = await client.query(MoversDocument, { codes, first: codes.length }, { requestPolicy: "network-only" }).toPromise();
    const known = data?.agents.nodes.map((a) => a.lastModified) ?? [];
    const answer = await run({ known, input, dryRun: true });
    if (answer) setPlan({ of, plan: answer.reorgApply, known });
  };
  const apply = async () => {
    const answer = current && (await run({ known: current.known, input, dryRun: false }));
    if (!answer) return;
    onMoves(() => []);
    setPlan(null);
    setDone(`${answer.reorgApply.moves.length} moves were applied, as of ${formatDay(from)}.`);
  };
  return (
    <Paper withBorder p="sm" component="section" aria-label="What if">
      <Group justify="space-between">
        <Title order={2} size="h5">
          What if
        </Title>
        <Button size="compact-xs" variant="default" onClick={onEnd}>
          Close
        </Button>
      </Group>
      <Stack gap="xs" mt="xs">
        {done && <Alert color="green" variant="outline" role="status">{done}</Alert>}
        {moving && <AgentPicker size="xs" key={moving} label={`Move ${moving} below`} onPick={(to) => change((old) => [...old.filter((m) => m.agentCode !== moving), { agentCode: moving, to }])} />}
        {moves.length === 0 && !moving && !done && <Text size="sm">Choose a card, then “Move, as a trial”.</Text>}
        <Basket moves={moves} onMoves={change} />
        {moves.length > 0 && <TextInput type="date" size="xs" label="From" value={from} onChange={(e) => setFrom(e.currentTarget.value)} />}
        <Problems problems={problems} />
        {current && <Effects plan={current.plan} />}
        {moves.length > 0 && (
          <Group justify="flex-end">
            <Button size="xs" variant={current ? "default" : "filled"} onClick={() => void preview()} loading={busy && !current}>
              Preview
            </Button>
            {current && (
              <Button size="xs" onClick={() => void apply()} loading={busy}>
                Apply all
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function Basket({ moves, onMoves }: { moves: Move[]; onMoves: (next: (old: Move[]) => Move[]) => void }) {
  return moves.map((m) => (
    <Group key={m.agentCode} gap="xs" wrap="nowrap">
      <Text size="sm">
        {m.agentCode} → {m.to || "nobody"}
      </Text>
      <ActionIcon size="xs" variant="subtle" color="red" aria-label={`Leave out ${m.agentCode}`} onClick={() => onMoves((old) => old.filter((o) => o.agentCode !== m.agentCode))}>
        <IconX size={13} />
      </ActionIcon>
    </Group>
  ));
}

/** What the moves would do, as the dry run answers. */
function Effects({ plan }: { plan: Plan }) {
  const warnings = plan.moves.flatMap((m) => [...(m.upline?.warnings ?? []), ...(m.level?.warnings ?? [])].map((w) => ({ ...w, agent: m.agent.agentCode })));
  return (
    <section aria-label="Preview">
      <Text size="sm" fw={600}>
        {plan.affectedAgentCount} agents are affected; the deepest level goes from {plan.maxDepthBefore} to {plan.maxDepthAfter}.
      </Text>
      <Table fz="xs" verticalSpacing={3}>
        <Table.Tbody>
          {plan.moves.map((m) => (
            <Table.Tr key={m.agent.agentCode}>
              <Table.Td>{m.agent.displayName}</Table.Td>
              <Table.Td>
                {m.fromUpline?.displayName ?? "nobody"} → {m.toUpline?.displayName ?? "nobody"}
              </Table.Td>
              <Table.Td>{m.subtreeSize} go along</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {warnings.map((w, i) => (
        <Alert key={i} color="yellow" variant="outline" p="xs" mt={4}>
          {w.agent}: {w.message}
        </Alert>
      ))}
    </section>
  );
}
