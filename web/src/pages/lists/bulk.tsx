import { Warnings } from "../../parts/warnings";
import { Alert, Button, Group, List as Items, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useClient } from "urql";
import { useAction, useAnswer } from "../../api/answer";
import { useMayForAll, useViewer } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { MoversDocument, ReferenceDocument, ReorganiseDocument, type ReorganiseMutation } from "../../gql";
import { Choose, ChooseMany } from "../../parts/choose";
import { Dialog } from "../../parts/dialog";
import { count, formatDay } from "../../parts/format";
import { useMany } from "../../parts/many";
import { useReason } from "../../parts/reason";
import { Problems } from "../../parts/states";
import type { Choosing } from "./grid";

type Plan = ReorganiseMutation["reorgApply"];
type Action = "move" | "level" | "tag";

/** The most agents whose versions are known with one request. */
const mostMoves = 100;

/** What can be done with the agents that are chosen, all at once. */
export function Bulk({ chosen, children }: { chosen: Choosing; children: React.ReactNode }) {
  const [action, setAction] = useState<Action | null>(null);
  const [done, setDone] = useState("");
  const codes = [...chosen.codes];
  const finish = (what: string) => {
    setAction(null);
    setDone(what);
    chosen.set(new Set());
  };
  const button = { size: "compact-sm" as const, variant: "default" as const };
  return (
    <>
      {codes.length > 0 && (
        <Group gap="xs" mb={6} role="group" aria-label="Agents that are chosen">
          <Text size="sm" fw={600} role="status">
            {count(codes.length, "agent")} chosen
          </Text>
          <Button {...button} disabled={codes.length > mostMoves} onClick={() => setAction("move")}>
            Move
          </Button>
          <Button {...button} disabled={codes.length > mostMoves} onClick={() => setAction("level")}>
            Change level
          </Button>
          <Button {...button} onClick={() => setAction("tag")}>
            Tag
          </Button>
          {children}
          <Button {...button} variant="subtle" onClick={() => chosen.set(new Set())}>
            Clear
          </Button>
        </Group>
      )}
      {done && codes.length === 0 && (
        <Alert color="green" variant="outline" mb={6} py={6} role="status" withCloseButton closeButtonLabel="Close the message" onClose={() => setDone("")}>
          {done}
        </Alert>
      )}
      {action === "tag" && <TagDialog codes={codes} onClose={() => setAction(null)} onDone={finish} />}
      {(action === "move" || action === "level") && <ReorgDialog isMove={action === "move"} codes={codes} onClose={() => setAction(null)} onDone={finish} />}
    </>
  );
}

/** Whether the caller may change many agents at once. */
export const useMayBulk = () => useMayForAll("write:agents");

interface DialogProps {
  codes: string[];
  onClose: () => void;
  onDone: (done: string) => void;
}

/** Moves agents below another, or gives them a level, from a day on: what that does is seen first. */
function ReorgDialog({ isMove, codes, onClose, onDone }: DialogProps & { isMove: boolean }) {
  const { username: initiator, today } = useViewer();
  const client = useClient();
  const reference = useAnswer(ReferenceDocument, {}, isMove);
  const [to, setTo] = useState("");
  const [level, setLevel] = useState<string | null>(null);
  const [from, setFrom] = useState(today);
  const [why, reason] = useReason();
  const [plan, setPlan] = useState<{ of: string; plan: Plan; known: string[] } | null>(null);
  const { run, busy, problems, clear } = useAction(ReorganiseDocument);
  const moves = codes.map((agentCode) => ({ agentCode, ...(isMove ? { newUplineAgentCode: to } : { newLevel: Number(level) }) }));
  const input = { effectiveFrom: from, initiator, moves, ...why };
  const of = JSON.stringify(moves) + from;
  const current = plan?.of === of ? plan : null;
  const preview = async () => {
    // The versions come first: what the preview then shows is of them, or it is refused.
    const { data } = await client.query(MoversDocument, { codes, first: codes.length }, { requestPolicy: "network-only" }).toPromise();
    const known = data?.agents.nodes.map((a) => a.lastModified) ?? [];
    const answer = await run({ known, input, dryRun: true });
    if (answer) setPlan({ of, plan: answer.reorgApply, known });
  };
  const apply = async () => {
    const answer = await run({ known: current!.known, input, dryRun: false });
    if (answer) onDone(`${count(codes.length, "agent")} ${codes.length === 1 ? "has" : "have"} ${isMove ? `${to} as upline` : "the level"} from ${formatDay(from)} on.`);
  };
  return (
    <Dialog onClose={onClose} size="lg" title={`${isMove ? "Move" : "Change the level of"} ${count(codes.length, "agent")}`}>
      <Stack gap="sm">
        {isMove ? (
          <AgentPicker label="Below" onPick={(code) => (clear(), setTo(code))} />
        ) : (
          <Choose label="Level" data={(reference.data?.agentLevels ?? []).map((l) => ({ value: String(l.value), label: l.name }))} value={level} onChange={(v) => (clear(), setLevel(v))} />
        )}
        <Group grow>
          <TextInput type="date" label="From" value={from} onChange={(e) => setFrom(e.currentTarget.value)} />
          {reason}
        </Group>
        <Problems problems={problems} />
        {current && <Effects plan={current.plan} isMove={isMove} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={!(isMove ? to : level) || !from} loading={busy && !current} onClick={() => void preview()}>
            Preview
          </Button>
          <Button disabled={!current} loading={busy} onClick={() => void apply()}>
            Apply
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Who is affected, by name, and how. */
function Effects({ plan, isMove }: { plan: Plan; isMove: boolean }) {
  const levels = (of: { value: unknown }[] | undefined) => (of ?? []).map((p) => String(p.value)).join(", ");
  return (
    <section aria-label="What it does">
      <Text size="sm">
        {isMove ? `${count(plan.affectedAgentCount, "agent")} get other uplines. The hierarchy below is ${plan.maxDepthBefore} deep before, ${plan.maxDepthAfter} after.` : `${count(plan.moves.length, "agent")} get the level.`}
      </Text>
      <Items size="sm" mah={220} style={{ overflowY: "auto" }} tabIndex={0} aria-label="Who is affected">
        {plan.moves.map((m) => (
          <Items.Item key={m.agent.agentCode}>
            {m.agent.displayName} ({m.agent.agentCode}){" "}
            {isMove ? `from ${m.fromUpline ? m.fromUpline.displayName : "the top"} to ${m.toUpline?.displayName ?? "the top"}${m.subtreeSize > 1 ? `, with ${m.subtreeSize - 1} below` : ""}` : `${levels(m.level?.before)} → ${levels(m.level?.after)}`}
          </Items.Item>
        ))}
      </Items>
      <Warnings all={plan.moves.map((m) => ({ agent: m.agent.displayName, changes: [m.upline, m.level] }))} />
    </section>
  );
}

/** Gives agents tags, or takes them away: each is a change of its own. */
function TagDialog({ codes, onClose, onDone }: DialogProps) {
  const { username: initiator } = useViewer();
  const { data } = useAnswer(ReferenceDocument, {});
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const many = useMany("agentTagsUpdate", "AgentTagsUpdateInput");
  const [why, reason] = useReason();
  const tags = [...add.map((tag) => ({ tag, operation: "ASSIGN" })), ...remove.map((tag) => ({ tag, operation: "UNASSIGN" }))];
  const apply = async () => {
    const all = codes.map((agentCode) => ({ of: agentCode, input: { agentCode, tags, initiator, ...why } }));
    if (await many.run(all, (applied) => `You changed the tags of ${count(applied, "agent")}.`)) onDone(`The tags of ${count(codes.length, "agent")} were changed.`);
  };
  const names = (data?.tags ?? []).map((t) => t.name);
  return (
    <Dialog onClose={onClose} title={`Tag ${count(codes.length, "agent")}`}>
      <Stack gap="sm">
        <ChooseMany label="Give" data={names.filter((n) => !remove.includes(n))} value={add} onChange={setAdd} />
        <ChooseMany label="Take away" data={names.filter((n) => !add.includes(n))} value={remove} onChange={setRemove} />
        {reason}
        {many.refused}
        <Group justify="flex-end">
          <Button disabled={tags.length === 0} loading={many.busy} onClick={() => void apply()}>
            Apply
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
