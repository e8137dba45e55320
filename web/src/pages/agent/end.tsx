import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useDay, useViewer } from "../../app/context";
import type { AgentQuery } from "../../gql";
import { Choose } from "../../parts/choose";
import { Dialog } from "../../parts/dialog";
import { count, formatDay } from "../../parts/format";
import { useMany } from "../../parts/many";
import { useReason } from "../../parts/reason";
import { words } from "../../parts/words";
import { certificationTitle } from "./lanes";

type Certification = NonNullable<AgentQuery["agent"]>["certifications"]["nodes"][number];

/** How a certification ends. */
const ends = ["TERMINATED", "EXPIRED", "RETIRED"];

/** The certifications that have not ended. */
export const lasting = (all: Certification[]) => all.filter((c) => c.status && ![...ends, "REJECTED"].includes(c.status));

/** Ends certifications of somebody who left, all from one day on. */
export function EndCertifications({ of, all, onClose }: { of: string; all: Certification[]; onClose: () => void }) {
  const { username: initiator } = useViewer();
  const { onDate } = useDay();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(all.map((c) => c.id)));
  const [status, setStatus] = useState<string | null>(ends[0]!);
  const [from, setFrom] = useState(onDate);
  const [why, reason] = useReason();
  const many = useMany("certificationPeriodApply", "CertificationPeriodApplyInput");
  const these = all.filter((c) => chosen.has(c.id));
  const end = async () => {
    const inputs = these.map((c) => ({ of: certificationTitle(c), known: c.lastModified, input: { certificationId: c.id, status, effectiveFrom: from, initiator, ...why } }));
    if (await many.run(inputs, (applied) => `You ended ${count(applied, "certification")} of ${of}.`)) onClose();
  };
  return (
    <Dialog onClose={onClose} title={`End certifications of ${of}`}>
      <Stack gap="sm">
        <Checkbox.Group label="Which" value={[...chosen]} onChange={(ids) => setChosen(new Set(ids))}>
          <Stack gap="xs" mt={6} mah={220} style={{ overflowY: "auto" }}>
            {all.map((c) => (
              <Checkbox key={c.id} value={c.id} size="sm" label={`${certificationTitle(c)}, ${c.effectiveThrough ? `to ${formatDay(c.effectiveThrough)}` : "open"}`} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group grow>
          <Choose label="As" data={ends.map((value) => ({ value, label: words(value) }))} value={status} onChange={setStatus} />
          <TextInput type="date" label="From" required value={from} onChange={(e) => setFrom(e.currentTarget.value)} data-autofocus />
        </Group>
        {reason}
        <Text size="sm">What follows that day in their histories is replaced. A message afterwards takes it back.</Text>
        {many.refused}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={these.length === 0 || !status || !from} loading={many.busy} onClick={() => void end()}>
            {`End ${count(these.length, "certification")}`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
