import { Button, Popover, Stack, Text } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useState } from "react";
import { useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { ReferenceDocument } from "../../gql";
import type { Only } from "./state";
import { Choose } from "../../parts/choose";

interface ShowOnlyProps {
  only: Only;
  /** Is told what becomes of the choice by then: a hand may be faster than the page. */
  onChange: (next: (old: Only) => Only) => void;
}

/** Chooses whom to show, by level, pay status and state. */
export function ShowOnly({ only, onChange }: ShowOnlyProps) {
  const [open, setOpen] = useState(false);
  const { data } = useAnswer(ReferenceDocument, {}, !open || !useMay("read:agents"));
  const inForce = Object.keys(only).length;
  const fields: { name: keyof Only; label: string; choices: { value: string; label: string }[] }[] = [
    { name: "level", label: "Level", choices: (data?.agentLevels ?? []).map((l) => ({ value: String(l.value), label: l.name })) },
    { name: "payStatus", label: "Pay status", choices: (data?.payStatuses ?? []).map((s) => ({ value: s.name, label: s.name })) },
    { name: "home", label: "Home state", choices: (data?.jurisdictions ?? []).map((j) => ({ value: j.code, label: j.name })) },
  ];
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" withArrow shadow="md" width={260}>
      <Popover.Target>
        <Button size="xs" variant={inForce ? "light" : "default"} leftSection={<IconFilter size={15} />} onClick={() => setOpen(!open)}>
          {inForce ? `Show only (${inForce})` : "Show only"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="group" aria-label="Whom to show">
        <Stack gap="xs">
          {fields.map(({ name, label, choices }) => {
            const is = only[name];
            return <Choose key={name} size="xs" label={label} placeholder="Any" data={choices.length > 0 ? choices : is ? [is] : []} value={is ?? null} onChange={(next) => onChange(({ [name]: _, ...others }) => (next ? { ...others, [name]: next } : others))} nothingFoundMessage={data ? "None" : "A moment…"} clearable isWithin />;
          })}
          <Text size="xs" c="dimmed">
            Whoever is above them is shown faintly. Open more to find more.
          </Text>
          {inForce > 0 && (
            <Button size="compact-xs" variant="default" onClick={() => onChange(() => ({}))}>
              Show everybody
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
