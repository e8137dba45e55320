import { Alert, Anchor, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useClient } from "urql";
import { useAction } from "../api/answer";
import { useViewer } from "../app/context";
import { ChangeUndoDocument, EntriesOfDocument } from "../gql";
import { count } from "./format";
import { useReason } from "./reason";
import { fieldOf, OldAndNew, Sentence } from "./sentence";
import { Loading, Problems } from "./states";

/** What the trail notes besides: that it was applied is no change to take back. */
const besides = "Scenario";

/** How many of the fields that are set back are listed. */
const listed = 100;

/** Finds what the trail has of a request among its last 5,000 entries, the last first; none until it is known, and isKnown then. */
function useEntries(traceId: string | null, tries = 0): { sequences: number[]; isKnown: boolean; problem: string } {
  const client = useClient();
  const [found, setFound] = useState({ sequences: [] as number[], isKnown: false, problem: "" });
  useEffect(() => {
    if (!traceId || found.sequences.length > 0) return;
    let isGone = false;
    void client
      .query(EntriesOfDocument, { traceId }, { requestPolicy: "network-only" })
      .toPromise()
      .then(({ data, error }) => !isGone && setFound({ sequences: (data?.auditLog.nodes ?? []).filter((e) => e.entityType !== besides).map((e) => e.sequence), isKnown: data !== undefined, problem: error?.message ?? "" }));
    return () => void (isGone = true);
  }, [client, traceId, tries, found.sequences.length]);
  return found;
}

/** Says what came of a request whose answer was lost. */
export function WhatCame({ traceId }: { traceId: string }) {
  const [tries, setTries] = useState(0);
  const { sequences, isKnown, problem } = useEntries(traceId, tries);
  if (problem)
    return (
      <Group gap="xs" mt={4}>
        <Text size="sm">The audit trail cannot be asked either.</Text>
        <Button size="compact-xs" variant="default" onClick={() => setTries(tries + 1)}>
          Ask it again
        </Button>
      </Group>
    );
  const said = !isKnown ? "The audit trail is asked…" : sequences.length === 0 ? "The audit trail does not have it among its last 5,000 entries: so far it was not made." : `The audit trail has it, as entry ${sequences[0]}: it was made.`;
  return (
    <Text size="sm" mt={4}>
      {said}
    </Text>
  );
}

/** Leads to the changes of what a change is about. */
function FeedLink({ of }: { of: { entityType: string; entityKey: string } }) {
  const { tenant } = useViewer();
  return (
    <Anchor component={Link} to={`/${tenant}/administration`} search={{ tab: "audit", type: of.entityType, of: of.entityKey } as never} size="sm">
      All its changes
    </Anchor>
  );
}

interface UndoProps {
  /** The change: its number, or the request that made it. */
  of: { sequence: number } | { traceId: string };
  onClose: () => void;
}

/** Takes a change back, once what that does is seen. */
export function Undo({ of, onClose }: UndoProps) {
  const { username: initiator } = useViewer();
  const entry = useEntries("traceId" in of ? of.traceId : null);
  // A request can make several writes, such as one that took several back.
  const sequences = "sequence" in of ? [of.sequence] : entry.sequences;
  const [sequence] = sequences;
  const isUnknown = !("sequence" in of) && entry.isKnown && sequence === undefined;
  const [why, reason] = useReason("xs");
  const { run, busy, problems, answer } = useAction(ChangeUndoDocument);
  const plan = answer?.change;
  // What others changed of the same since, and is taken back with it.
  const [later, setLater] = useState<number[]>([]);
  const given = { sequence: sequence!, also: [...sequences.slice(1), ...later], initiator };
  const isFound = sequence !== undefined;
  useEffect(() => {
    if (isFound && !plan) void run({ input: given, dryRun: true });
  }, [isFound, initiator, run, plan]);
  const takeBackToo = (conflicts: { sequence: number }[]) => {
    const all = [...new Set([...later, ...conflicts.map((c) => c.sequence)])];
    setLater(all);
    void run({ input: { ...given, also: [...sequences.slice(1), ...all] }, dryRun: true });
  };
  const records = new Set(plan?.undone.map((u) => `${u.entityType} ${u.entityKey}`)).size;
  const apply = async () => {
    if (await run({ input: { ...given, ...why }, dryRun: false })) onClose();
  };
  const isPossible = plan && problems.length === 0 && plan.conflicts.length === 0 && plan.undone.length > 0;
  return (
    <Modal opened onClose={onClose} title="Take it back" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="sm">
        {entry.problem && <Text size="sm" role="alert">{entry.problem}</Text>}
        {isUnknown && <Text size="sm">The audit trail has no such change among its last 5,000. Find it in the changes below the record.</Text>}
        {!isUnknown && !plan && problems.length === 0 && !entry.problem && <Loading what="what it would set back" />}
        {plan && plan.conflicts.length > 0 && (
          <Alert color="yellow" variant="outline" title="Changed again since, so it cannot be taken back" role="alert">
            {plan.conflicts.map((c) => (
              <Sentence key={`${c.sequence}${c.entityKey}${c.field}`} changes={[c]} action={<FeedLink of={c} />} />
            ))}
            <Button size="compact-sm" variant="default" mt="xs" loading={busy} onClick={() => takeBackToo(plan.conflicts)}>
              Take these back, too
            </Button>
          </Alert>
        )}
        {isPossible && (
          <>
            <Text size="sm">This is set back:</Text>
            {records > 1 && (
              <Text size="sm">
                {count(plan.undone.length, "field")} of {count(records, "record")}, all at once or nothing.
              </Text>
            )}
            <List size="sm">
              {plan.undone.slice(0, listed).map((u) => (
                <List.Item key={u.entityKey + u.field}>
                  {u.field ? (
                    <>
                      {u.entityKey}, {fieldOf(u.field)}: <OldAndNew values={u.values} />
                    </>
                  ) : (
                    `${u.entityKey} is ${u.values[0]?.new ? "made again" : "deleted"}`
                  )}
                </List.Item>
              ))}
            </List>
            {plan.undone.length > listed && <Text size="sm">and {plan.undone.length - listed} more fields.</Text>}
            {reason}
          </>
        )}
        <Problems problems={plan?.conflicts.length ? [] : problems} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={busy} disabled={!isPossible} onClick={() => void apply()}>
            Take it back
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
