import { ActionIcon, Alert, Button, Group, List, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { type CombinedError, useClient } from "urql";
import { useAction, useAnswer } from "../../api/answer";
import { useDay, useMayForAll, useViewer } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { EvaluateDocument, type EvaluateQuery, type KeptFragment, OneScenarioDocument, type ReorgMoveInput, ScenarioChangeDocument, ScenarioDifferenceDocument, ScenarioMakeDocument, ScenarioSaveDocument, ScenariosDocument } from "../../gql";
import { Choose } from "../../parts/choose";
import { Confirm } from "../../parts/confirm";
import { count, formatDay, formatDecimal } from "../../parts/format";
import type { Given } from "../../parts/reason";
import { Failure, Loading, Problems } from "../../parts/states";
import { Warnings } from "../../parts/warnings";
import { Reviewers, Reviews } from "./reviews";
import { type Move, withMoves } from "./state";

type Evaluated = NonNullable<EvaluateQuery["scenarioTrial"]>;
type Evaluation = Evaluated["evaluation"];

interface WhatIfProps {
  /** The scenario that is edited; null for one that is not saved yet. */
  scenario: string | null;
  moves: Move[];
  /** Who is about to be put into the basket. */
  moving: readonly string[];
  onMoves: (next: (old: Move[]) => Move[]) => void;
  onOpen: (scenario: string | null, moves: Move[]) => void;
  onEnd: () => void;
}

const isRelocated = (m: KeptFragment["moves"][number]) => m.isNewRoot || m.newUplineAgentCode !== null;

const movesOf = (kept: KeptFragment): Move[] => kept.moves.filter(isRelocated).map((m) => ({ agentCode: m.agentCode, to: m.newUplineAgentCode ?? "" }));

/** The moves that are saved: those in the basket, with the levels and pay statuses that they say, and those that move nobody. */
function written(moves: Move[], kept: KeptFragment | null): ReorgMoveInput[] {
  const said = new Map(kept?.moves.map((m) => [m.agentCode, { newLevel: m.newLevel ?? undefined, newPayStatus: m.newPayStatus ?? undefined }]));
  const others = kept?.moves.filter((m) => !isRelocated(m) && !moves.some((o) => o.agentCode === m.agentCode)) ?? [];
  return [...moves.map((m) => ({ agentCode: m.agentCode, newUplineAgentCode: m.to || null, ...said.get(m.agentCode) })), ...others.map((m) => ({ agentCode: m.agentCode, ...said.get(m.agentCode) }))];
}

/** A scenario: a basket of moves under a name. What they would do is shown, then all of them are applied, or none. */
export function WhatIf({ scenario, moves, moving, onMoves, onOpen, onEnd }: WhatIfProps) {
  const { username: initiator } = useViewer();
  const mayMove = useMayForAll("write:agents");
  const { onDate } = useDay();
  const client = useClient();
  const [name, setName] = useState("");
  const [from, setFrom] = useState(onDate);
  const [kept, setKept] = useState<KeptFragment | null>(null);
  const [reviewers, setReviewers] = useState<string[]>([]);
  const [reading, setReading] = useState(false);
  const [seen, setSeen] = useState<{ of: string; is: Evaluated } | null>(null);
  const [done, setDone] = useState("");
  const [theirs, setTheirs] = useState<KeptFragment | null>(null);
  const drafts = useAnswer(ScenariosDocument, {});
  // Saving changes nothing of the agency.
  const create = useAction(ScenarioSaveDocument, "live");
  const update = useAction(ScenarioChangeDocument, "live");
  const make = useAction(ScenarioMakeDocument);
  const read = async (id: string) => (await client.query(OneScenarioDocument, { id }, { requestPolicy: "network-only" }).toPromise()).data?.scenario ?? null;
  const take = (is: KeptFragment, withMoves: Move[]) => {
    setKept(is);
    setTheirs(null);
    setName(is.name);
    setFrom(is.effectiveFrom);
    setReviewers(is.reviews.map((r) => r.username));
    onOpen(is.id, withMoves);
  };
  useEffect(() => {
    if (!scenario || scenario === kept?.id) return;
    void read(scenario).then((is) => is && take(is, moves.length ? moves : movesOf(is)));
  }, [scenario]);
  const of = JSON.stringify([scenario, moves, from]);
  const shown = seen?.of === of ? seen.is : null;
  const current = shown?.evaluation;
  const change = (next: (old: Move[]) => Move[]) => {
    [create, update, make].forEach((a) => a.clear());
    setDone("");
    onMoves(next);
  };
  const input = { name: name.trim() || `What if, ${formatDay(from)}`, effectiveFrom: from, moves: written(moves, kept), reviewers };
  const isKept = kept !== null && kept.name === input.name && kept.effectiveFrom === from && JSON.stringify(kept.reviews.map((r) => r.username)) === JSON.stringify([...reviewers].sort()) && JSON.stringify(written(movesOf(kept), kept)) === JSON.stringify(input.moves);
  const save = async () => {
    if (isKept) return kept;
    const is = kept
      ? (await update.run({ input: { ...input, id: kept.id, lastModified: kept.lastModified } }))?.scenarioUpdate.scenario
      : (await create.run({ input }))?.scenarioCreate.scenario;
    if (is) take(is, moves);
    if (is && !kept) void client.query(ScenariosDocument, {}, { requestPolicy: "network-only" }).toPromise();
    if (!is && kept) setTheirs(await read(kept.id));
    return is;
  };
  const preview = async () => {
    make.clear();
    setReading(true);
    const { data, error } = await client.query(EvaluateDocument, { from, moves: input.moves }, { requestPolicy: "network-only" }).toPromise();
    setReading(false);
    setFailed(error ?? null);
    if (data?.scenarioTrial) setSeen({ of, is: data.scenarioTrial });
  };
  const [asked, setAsked] = useState(false);
  const [failed, setFailed] = useState<CombinedError | null>(null);
  const apply = async (why: Given) => {
    const is = current && (await save());
    if (!is) return;
    const answer = await make.run({ input: { id: is.id, versions: [is.lastModified, ...current.versions], initiator, ...why }, dryRun: false });
    if (!answer) return;
    setKept(null);
    setSeen(null);
    setDone(`${count(answer.scenarioApply.moves.length, "move")} ${answer.scenarioApply.moves.length === 1 ? "was" : "were"} applied, as of ${formatDay(from)}.`);
    onOpen(null, []);
  };
  const asks = asked && current && (
    <Confirm title={`Apply ${name || "the moves"}`} yes={`Move ${count(moves.length, "agent")}`} onClose={() => setAsked(false)} onYes={(why) => void apply(why)}>
      {count(current.affectedAgentCount, "agent")} {current.affectedAgentCount === 1 ? "gets" : "get"} other uplines from {formatDay(from)} on.
      <Warnings all={effectsOf(current)} />
    </Confirm>
  );
  const since = make.answer?.scenarioApply.changedSince;
  const busy = create.busy || update.busy || make.busy;
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
        {done && (
          <Alert color="green" variant="outline" role="status">
            {done}
          </Alert>
        )}
        <Choose size="xs" label="Scenario" placeholder="A new one" clearable data={drafts.data?.scenarios.nodes.map((s) => ({ value: s.id, label: `${s.name} (${s.createdBy}${s.reviews.some((r) => r.username === initiator && r.verdict === "ASKED") ? ", asks you" : ""})` })) ?? []} value={scenario} onChange={(id) => (setKept(null), onOpen(id, []))} />
        {moving.length > 0 && <AgentPicker size="xs" key={moving.join()} label={`Move ${moving.length === 1 ? moving[0] : `${moving.length} agents`} below`} onPick={(to) => change((old) => withMoves(old, moving, to))} />}
        {moves.length === 0 && moving.length === 0 && !done && <Text size="sm">{mayMove ? "Choose a card, several with Shift, and drag them onto their new upline; or open a scenario." : "Open a scenario."}</Text>}
        <Basket moves={moves} onMoves={change} />
        {moves.length > 0 && (
          <Group grow>
            <TextInput size="xs" label="Name" value={name} maxLength={100} onChange={(e) => setName(e.currentTarget.value)} />
            <TextInput type="date" size="xs" label="From" value={from} onChange={(e) => setFrom(e.currentTarget.value)} />
          </Group>
        )}
        {moves.length > 0 && mayMove && <Reviewers value={reviewers} onChange={setReviewers} />}
        {kept && <Reviews of={kept} isKept={isKept} onAnswer={setKept} />}
        {failed && <Failure error={failed} />}
        <Problems problems={[create, update, make].flatMap((a) => a.problems)} />
        {theirs && theirs.lastModified !== kept?.lastModified && (
          <Alert color="yellow" variant="outline" p="xs" role="status">
            {theirs.lastModifiedBy} has changed the scenario: {theirs.name}, {theirs.moves.length} moves.
            <Group gap="xs" mt={4}>
              <Button size="compact-xs" variant="default" onClick={() => (update.clear(), take(theirs, movesOf(theirs)))}>
                Take theirs
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => (update.clear(), take(theirs, moves))}>
                Keep my moves
              </Button>
            </Group>
          </Alert>
        )}
        {make.problems.length > 0 && since && since.length > 0 && (
          <Alert color="yellow" variant="outline" p="xs" role="status">
            Changed since the preview: {since.map((c) => `${c.agent.displayName}, by ${c.lastModifiedBy}`).join("; ")}.
          </Alert>
        )}
        {current && <Effects evaluation={current} moves={moves} />}
        {shown && <Consequences is={shown} from={from} moves={input.moves} key={of} others={drafts.data?.scenarios.nodes.filter((s) => s.id !== kept?.id) ?? []} />}
        {asks}
        {moves.length > 0 && (
          <Group justify="flex-end">
            {mayMove && (
              <Button size="xs" variant="default" onClick={() => void save()} loading={busy && !current}>
                Save
              </Button>
            )}
            <Button size="xs" variant={current ? "default" : "filled"} onClick={() => void preview()} loading={reading}>
              Preview
            </Button>
            {mayMove && current && current.conflicts.length === 0 && (
              <Button size="xs" onClick={() => setAsked(true)} loading={busy}>
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

/** What the moves do to histories. */
const effectsOf = (evaluation: Evaluation) => evaluation.moves.map((m) => ({ agent: m.agent.displayName, changes: [m.upline, m.levelChange, m.payStatus] }));

/** What the moves would do. */
function Effects({ evaluation, moves }: { evaluation: Evaluation; moves: Move[] }) {
  if (evaluation.conflicts.length > 0) {
    return (
      <Alert color="red" variant="outline" p="xs" role="alert">
        {evaluation.conflicts.map((c, i) => (
          <Text size="sm" key={i}>
            {moves[Number(c.field?.[1])]?.agentCode}: {c.message}
          </Text>
        ))}
      </Alert>
    );
  }
  return (
    <section aria-label="Preview">
      <Text size="sm" fw={600}>
        {count(evaluation.affectedAgentCount, "agent")} {evaluation.affectedAgentCount === 1 ? "is" : "are"} affected; the deepest level goes from {evaluation.maxDepthBefore} to {evaluation.maxDepthAfter}.{evaluation.premium && ` ${formatDecimal(evaluation.premium)} of annual premium rolls up elsewhere.`}
      </Text>
      <Table fz="xs" verticalSpacing={3}>
        <Table.Tbody>
          {evaluation.moves.map((m) => (
            <Table.Tr key={m.agent.agentCode}>
              <Table.Td>{m.agent.displayName}</Table.Td>
              <Table.Td>
                {m.fromUpline?.displayName ?? "nobody"} → {m.uplines.map((u) => u.displayName).join(" → ") || "nobody"}
              </Table.Td>
              <Table.Td>
                {m.followerCount} go along{m.levelNeeded != null && `; the upline would need level ${m.levelNeeded}`}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Warnings all={effectsOf(evaluation)} />
    </section>
  );
}

/** Who may sell more or less, the tree as it would be, and what differs from another scenario. */
function Consequences({ is, from, moves, others }: { is: Evaluated; from: string; moves: ReorgMoveInput[]; others: { id: string; name: string }[] }) {
  const [other, setOther] = useState<string | null>(null);
  const { data, error, loading } = useAnswer(ScenarioDifferenceDocument, { from, moves, other: other ?? "" }, !other);
  const difference = data?.scenarioTrial?.difference;
  if (!is.authorizations || !is.hierarchy) return null;
  return (
    <section aria-label="Consequences">
          <Text size="sm">
            {is.authorizations.gained} authorizations are gained, {is.authorizations.lost} lost.
          </Text>
          <List size="xs">
            {is.authorizations.rows.map((r) => (
              <List.Item key={`${r.agentCode} ${r.product} ${r.jurisdiction}`}>
                {r.agentCode} {r.status === "AUTHORIZED" ? "may sell" : "may no longer sell"} {r.product} in {r.jurisdiction}
              </List.Item>
            ))}
          </List>
          <Text size="sm" mt="xs">
            As it would be
          </Text>
          {is.hierarchy.map((n) => (
            <Text size="xs" key={n.agent.agentCode} pl={n.depth * 12}>
              {n.agent.displayName} ({n.downlineCount})
            </Text>
          ))}
          <Choose size="xs" mt="xs" label="Compare with" placeholder="Another scenario" clearable data={others.map((o) => ({ value: o.id, label: o.name }))} value={other} onChange={setOther} />
      {loading && <Loading what="what differs" />}
      {error && <Failure error={error} />}
      {difference && (
        <>
          <Text size="xs">
            {difference.totals.moved} have another upline, {difference.totals.levelChanged} another level.
          </Text>
          <List size="xs">
            {difference.moved.map((m) => (
              <List.Item key={m.agent.agentCode}>
                {m.agent.displayName}: {m.fromUpline?.displayName ?? "nobody"} → {m.toUpline?.displayName ?? "nobody"}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </section>
  );
}
