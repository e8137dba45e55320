import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useViewer } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { type ChangeFragment, ReferenceDocument } from "../../gql";

import { Choose } from "../../parts/choose";
import { Dialog } from "../../parts/dialog";
import { Problems } from "../../parts/states";
import { labelOf, words } from "../../parts/words";
import { requestFor, type Wanted } from "./apply";
import type { Lane, Span, Subject } from "./lanes";
import { Plan } from "./plan";

const statuses = ["ACTIVE", "PENDING", "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION", "EXPIRED", "REJECTED", "TERMINATED", "RETIRED"];

interface ChangeProps {
  agentCode: string;
  lane: Lane & { subject: Exclude<Subject, { kind: "w9" }> };
  span: Span;
  onClose: () => void;
}

/** Asks for another period on a lane, and shows what would become of the others before it is applied. */
export function ChangePeriod({ agentCode, lane, span, onClose }: ChangeProps) {
  const { username, today } = useViewer();
  const [wanted, setWanted] = useState<Wanted>({ value: span.value, from: span.from, through: span.through, reason: "" });
  const [previewed, setPreviewed] = useState<{ of: Wanted; plan: ChangeFragment } | null>(null);
  const plan = previewed?.of === wanted ? previewed.plan : null;
  const request = useMemo(() => requestFor(lane.subject, lane.known, agentCode, username), [lane, agentCode, username]);
  const { run, busy, problems } = useAction(request.mutation);
  const change = (next: Partial<Wanted>) => setWanted((old) => ({ ...old, ...next }));
  const preview = async () => {
    const plan = (await run(request.variables(wanted, true)))?.change.changes;
    setPreviewed(plan ? { of: wanted, plan } : null);
  };
  const apply = async () => (await run(request.variables(wanted, false))) && onClose();
  return (
    <Dialog onClose={onClose} size="xl" title={`Change ${lane.title}`}>
      <Stack>
        <Group grow align="start">
          <ValueField subject={lane.subject} value={wanted.value} set={(value) => change({ value })} />
          <TextInput type="date" label="From" value={wanted.from} onChange={(e) => change({ from: e.currentTarget.value })} required />
          <TextInput type="date" label="Through" description="Open when empty" inputWrapperOrder={["label", "input", "description"]} value={wanted.through ?? ""} onChange={(e) => change({ through: e.currentTarget.value || null })} />
        </Group>
        <Group>
          <Button size="compact-xs" variant="default" onClick={() => change({ from: today, through: null })}>
            From today
          </Button>
        </Group>
        <TextInput label={labelOf("reason")} value={wanted.reason} onChange={(e) => change({ reason: e.currentTarget.value })} />
        <Problems problems={problems} />
        {plan && <Plan plan={plan} lane={lane} from={wanted.from} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {plan ? (
            <Button onClick={() => void apply()} loading={busy}>
              Apply
            </Button>
          ) : (
            <Button onClick={() => void preview()} loading={busy} disabled={!wanted.from}>
              Preview
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

function ValueField({ subject, value, set }: { subject: Subject; value: string; set: (value: string) => void }) {
  const { data } = useAnswer(ReferenceDocument, {});
  if (subject.kind === "upline") return <AgentPicker label="Upline" initial={value} onPick={set} />;
  const choices =
    subject.kind === "payStatus"
      ? (data?.payStatuses ?? []).map((s) => s.name)
      : subject.kind === "level"
        ? (data?.agentLevels ?? []).map((l) => ({ value: String(l.value), label: l.name }))
        : statuses.map((s) => ({ value: s, label: words(s) }));
  return <Choose label="Value" data={choices} value={value} onChange={(v) => v && set(v)} />;
}
