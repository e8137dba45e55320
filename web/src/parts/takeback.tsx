import { Alert, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useClient } from "urql";
import { useAction } from "../api/answer";
import { useViewer } from "../app/context";
import { OwnEntriesDocument, TakeBackDocument, type TakeBackMutation } from "../gql";
import { count } from "./format";
import { Problems } from "./states";

const listed = 12;

interface TakeBackProps {
  /** The mutation that made the change, such as reorgApply, and the instant that it was not made before. */
  operation: string;
  since: string;
  onDone: () => void;
}

/** Takes what one has just done back, once what that sets back is seen. */
export function TakeBack({ operation, since, onDone }: TakeBackProps) {
  const { username: by } = useViewer();
  const client = useClient();
  const { run, busy, problems, clear } = useAction(TakeBackDocument);
  const [found, setFound] = useState<{ sequences: number[]; plan: TakeBackMutation["change"][] } | null>(null);
  const [problem, setProblem] = useState("");
  const look = async () => {
    clear();
    const { data, error } = await client.query(OwnEntriesDocument, { by, from: since }, { requestPolicy: "network-only" }).toPromise();
    // An import has an entry for a thousand rows each: the last comes first.
    const sequences = (data?.auditLog.nodes ?? []).filter((e) => e.operation === operation).map((e) => e.sequence);
    setProblem(error?.message ?? (sequences.length === 0 ? "The audit trail does not have it." : ""));
    const plan = [];
    for (const sequence of sequences.slice(0, 1)) plan.push((await run({ input: { sequence, initiator: by }, dryRun: true }))?.change);
    setFound({ sequences, plan: plan.filter((p) => p !== undefined) });
  };
  const apply = async () => {
    for (const sequence of found!.sequences) if (!(await run({ input: { sequence, initiator: by }, dryRun: false }))?.change.applied) return;
    setFound(null);
    onDone();
  };
  const undone = (found?.plan ?? []).flatMap((p) => p.undone);
  const conflicts = (found?.plan ?? []).flatMap((p) => p.conflicts);
  return (
    <>
      <Button size="compact-sm" variant="light" loading={busy && !found} onClick={() => void look()}>
        Undo
      </Button>
      {found && (
        <Modal opened onClose={() => setFound(null)} title="Take it back" closeButtonProps={{ "aria-label": "Close" }}>
          <Stack gap="sm">
            {problem && <Alert color="red" variant="outline" role="alert">{problem}</Alert>}
            {conflicts.length > 0 && (
              <Alert color="yellow" variant="outline" role="alert" title="It was changed again since">
                {conflicts.map((c) => `${c.entityKey}, ${c.field}, by ${c.initiator}`).join("; ")}
              </Alert>
            )}
            {undone.length > 0 && (
              <>
                <Text size="sm">{count(undone.length, "field")} of {count(new Set(undone.map((u) => u.entityKey)).size, "record")} are set back{found.sequences.length > 1 ? `, and those of ${found.sequences.length - 1} more thousands of rows` : ""}:</Text>
                <List size="sm">
                  {undone.slice(0, listed).map((u) => (
                    <List.Item key={u.entityKey + u.field}>{`${u.entityKey}, ${u.field}`}</List.Item>
                  ))}
                  {undone.length > listed && <List.Item>and {undone.length - listed} more</List.Item>}
                </List>
              </>
            )}
            <Problems problems={problems} />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setFound(null)}>
                Cancel
              </Button>
              <Button loading={busy} disabled={undone.length === 0 || conflicts.length > 0} onClick={() => void apply()}>
                Take it back
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}
