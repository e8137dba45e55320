import { Button, Checkbox, Group, SimpleGrid, Stack } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../../api/answer";
import { ConfigurationUpdateDocument, type OnboardingContentQuery } from "../../gql";
import { Choose } from "../../parts/choose";
import { Facts, Part } from "../../parts/facts";
import { formatInstant } from "../../parts/format";
import { Problems } from "../../parts/states";
import { labelOf } from "../../parts/words";

type Current = OnboardingContentQuery["appConfiguration"];
type Flag = { [K in keyof Current]: Current[K] extends boolean ? K : never }[keyof Current];

const flagsOf = (c: Current) => Object.fromEntries(Object.entries(c).filter(([, value]) => typeof value === "boolean")) as Record<Flag, boolean>;

/** What an application must have, and what a new agent begins with. */
export function Configuration({ content, may }: { content: OnboardingContentQuery; may: boolean }) {
  const c = content.appConfiguration;
  const [flags, setFlags] = useState(flagsOf(c));
  const [payStatus, setPayStatus] = useState(c.defaultPayStatus);
  const [level, setLevel] = useState(c.defaultAgentLevel);
  const { run, busy, problems } = useAction(ConfigurationUpdateDocument);
  const typed = { ...flags, defaultPayStatus: payStatus, defaultAgentLevel: level };
  const save = () => void run({ known: c.publishedAt ? [c.publishedAt] : [], input: Object.fromEntries(Object.entries(typed).filter(([name, value]) => value !== c[name as keyof typeof typed])) });
  return (
    <Part title="Configuration">
      <Stack gap="sm">
        <Facts facts={[["Version", c.version], ["Published", formatInstant(c.publishedAt)], ["Products", c.products.map((p) => `${p.name} (${p.price} ${p.currency})`).join(", ")]]} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={6} role="group" aria-label="An application must have">
          {Object.entries(flags).map(([flag, on]) => (
            <Checkbox key={flag} size="xs" label={labelOf(flag)} checked={on} disabled={!may} onChange={(e) => setFlags({ ...flags, [flag]: e.currentTarget.checked })} />
          ))}
        </SimpleGrid>
        {may ? (
          <>
            <Group grow>
              <Choose size="xs" label="Pay status of a new agent" data={(content.payStatuses ?? []).map((s) => s.name)} value={payStatus} onChange={setPayStatus} clearable />
              <Choose size="xs" label="Level of a new agent" data={(content.agentLevels ?? []).map((l) => ({ value: String(l.value), label: l.name }))} value={level === null ? null : String(level)} onChange={(v) => setLevel(v === null ? null : Number(v))} clearable />
            </Group>
            <Problems problems={problems} />
            <Group justify="flex-end">
              <Button size="xs" loading={busy} onClick={save}>
                Publish the configuration
              </Button>
            </Group>
          </>
        ) : (
          <Facts facts={[["Pay status of a new agent", c.defaultPayStatus], ["Level of a new agent", c.defaultAgentLevel]]} />
        )}
      </Stack>
    </Part>
  );
}
