import { Button, Fieldset, Group, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../../api/answer";
import { useViewer } from "../../app/context";
import { type AgentQuery, type ChangeFragment, W9ApplyDocument, type W9TaxClassification } from "../../gql";
import { Choose } from "../../parts/choose";
import { Dialog } from "../../parts/dialog";
import { Kept } from "../../parts/form/fields";
import { emptied } from "../../parts/form/shape";

import { Problems } from "../../parts/states";
import { labelOf, words } from "../../parts/words";
import type { Lane, Span } from "./lanes";
import { Plan } from "./plan";

const classifications: W9TaxClassification[] = ["INDIVIDUAL", "SOLE_PROPRIETOR", "C_CORPORATION", "S_CORPORATION", "PARTNERSHIP", "TRUST_ESTATE", "LLC_C", "LLC_S", "LLC_P", "OTHER"];

type Periods = NonNullable<AgentQuery["agent"]>["w9Periods"]["nodes"];

interface ChangeW9Props {
  agentCode: string;
  lane: Lane;
  span: Span;
  periods: Periods;
  onClose: () => void;
}

/** What is sensitive: nothing is typed in what stays. */
const sensitive = ["taxpayerIdentifier", "accountNumber", "signature"] as const;

/** Gives a W9 for a range of days: a whole one. What is masked stays, unless it is typed anew or removed. */
export function ChangeW9({ agentCode, lane, span, periods, onClose }: ChangeW9Props) {
  const { username: initiator, today } = useViewer();
  const old = periods.find((p) => p.effectiveFrom === span.from)?.w9;
  const [text, setText] = useState({
    name: old?.name ?? "",
    businessName: old?.businessName ?? "",
    streetAddress: old?.address?.streetAddress ?? "",
    city: old?.address?.city ?? "",
    state: old?.address?.state ?? "",
    zipCode: old?.address?.zipCode ?? "",
    exemptPayee: old?.exemptPayee ?? "",
    taxpayerIdentifier: "",
    accountNumber: "",
    signature: "",
    signatureDate: old?.signatureDate ?? "",
    from: span.from,
    through: span.through ?? "",
  });
  const [taxClassification, setClassification] = useState<W9TaxClassification>(old?.taxClassification ?? "INDIVIDUAL");
  const [previewed, setPreviewed] = useState<{ of: string; plan: ChangeFragment } | null>(null);
  const of = JSON.stringify([text, taxClassification]);
  const plan = previewed?.of === of ? previewed.plan : null;
  const { run, busy, problems } = useAction(W9ApplyDocument);
  const field = (name: keyof typeof text, label: string) => ({
    size: "xs" as const,
    label,
    value: text[name],
    onChange: (e: React.ChangeEvent<HTMLInputElement>) => setText({ ...text, [name]: e.currentTarget.value }),
  });
  const kept = (key: (typeof sensitive)[number]) => <Kept typing={field(key, labelOf(key))} mask={old?.[key]} isEmptied={text[key] === emptied} set={(value) => setText({ ...text, [key]: String(value) })} />;
  const send = (dryRun: boolean) => {
    const { from, through, streetAddress, city, state, zipCode, name, ...others } = text;
    const stays = Object.fromEntries(sensitive.map((key) => [key, others[key] === "" ? (old?.[key] ?? "") : others[key] === emptied ? "" : others[key]]));
    const given = Object.fromEntries(Object.entries({ ...others, ...stays }).filter(([, value]) => value !== ""));
    const w9 = { name, taxClassification, ...given, address: { streetAddress, city, state, zipCode } };
    return run({ known: lane.known, input: { agentCode, w9, effectiveFrom: from, effectiveThrough: through || null, initiator }, dryRun });
  };
  const preview = async () => {
    const plan = (await send(true))?.change.changes;
    setPreviewed(plan ? { of, plan } : null);
  };
  const apply = async () => (await send(false)) && onClose();
  return (
    <Dialog onClose={onClose} size="xl" title="Change W9">
      <Stack gap="sm">
        <Fieldset legend="Who is paid" p="xs">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
            <TextInput {...field("name", "Name")} required />
            <TextInput {...field("businessName", "Business name")} />
            <Choose size="xs" label="Classification" data={classifications.map((c) => ({ value: c, label: words(c) }))} value={taxClassification} onChange={(v) => v && setClassification(v as W9TaxClassification)} />
            <TextInput {...field("exemptPayee", "Exempt payee code")} />
            {kept("taxpayerIdentifier")}
            {kept("accountNumber")}
          </SimpleGrid>
        </Fieldset>
        <Fieldset legend="Address" p="xs">
          <TextInput {...field("streetAddress", "Street")} mb="xs" />
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
            <TextInput {...field("city", "City")} />
            <TextInput {...field("state", "State")} />
            <TextInput {...field("zipCode", "ZIP code")} />
          </SimpleGrid>
        </Fieldset>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          {kept("signature")}
          <TextInput {...field("signatureDate", "Signed on")} type="date" />
        </SimpleGrid>
        <Group align="end" gap="xs">
          <TextInput {...field("from", "From")} type="date" required />
          <TextInput {...field("through", "Through, open when empty")} type="date" />
          <Button size="xs" variant="default" onClick={() => setText({ ...text, from: today, through: "" })}>
            From today
          </Button>
        </Group>
        <Problems problems={problems} />
        {plan && <Plan plan={plan} lane={lane} from={text.from} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => void (plan ? apply() : preview())} loading={busy} disabled={!text.from}>
            {plan ? "Apply" : "Preview"}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
