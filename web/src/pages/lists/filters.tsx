import { Button, Group, MultiSelect, Popover, Select, Stack, TextInput } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useState } from "react";
import { AgentPicker } from "../../app/find";
import { useAnswer } from "../../api/answer";
import { ReferenceDocument, type ReferenceQuery } from "../../gql";
import type { Choices, Filter, List } from "./spec";

type Value = unknown;
interface Option {
  value: string;
  label: string;
}

function options(choices: Choices | undefined, reference: ReferenceQuery | undefined): Option[] {
  if (!choices || (typeof choices === "string" && !reference)) return [];
  if (typeof choices !== "string") return choices.map((c) => ({ value: c, label: c }));
  const r = reference!;
  const coded = (all: { code: string; name: string }[]) => all.map((c) => ({ value: c.code, label: `${c.name} (${c.code})` }));
  const named = (all: { name: string }[]) => all.map((c) => ({ value: c.name, label: c.name }));
  switch (choices) {
    case "payStatuses":
      return named(r.payStatuses);
    case "levels":
      return r.agentLevels.map((l) => ({ value: String(l.value), label: l.name }));
    case "jurisdictions":
      return coded(r.jurisdictions);
    case "types":
      return coded(r.certificationTypes);
    case "companies":
      return coded(r.providerCompanies);
    case "tags":
      return named(r.tags);
  }
}

interface FieldProps {
  filter: Filter;
  value: Value;
  set: (value: Value) => void;
  choices: Option[];
}

function Field({ filter, value, set, choices }: FieldProps) {
  const text = value === undefined ? "" : String(value);
  const common = { label: filter.label, size: "xs" as const };
  switch (filter.kind) {
    case "many":
      return <MultiSelect {...common} data={choices} value={(value as string[] | undefined) ?? []} onChange={(v) => set(v.length ? v : undefined)} searchable comboboxProps={{ withinPortal: false }} />;
    case "one":
    case "number":
      return <Select {...common} data={choices} value={text || null} onChange={(v) => set(v === null ? undefined : filter.kind === "number" ? Number(v) : v)} searchable clearable comboboxProps={{ withinPortal: false }} />;
    case "flag":
      return <Select {...common} data={[{ value: "true", label: "Yes" }, { value: "false", label: "No" }]} value={text || null} onChange={(v) => set(v === null ? undefined : v === "true")} clearable comboboxProps={{ withinPortal: false }} />;
    case "agent":
      return <AgentPicker size="xs" label={filter.label} initial={text} onPick={(code) => set(code || undefined)} />;
    default:
      return <TextField type={filter.kind === "day" ? "date" : "text"} label={filter.label} value={text} set={set} />;
  }
}

/** A text counts when the field is left, or with Enter. */
function TextField({ label, type, value, set }: { label: string; type: string; value: string; set: (value: Value) => void }) {
  const [text, setText] = useState(value);
  const done = () => set(text.trim() || undefined);
  return <TextInput label={label} type={type} size="xs" value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={done} onKeyDown={(e) => e.key === "Enter" && done()} />;
}

/** The conditions of a list, one for one those of the API. */
export function Filters({ list, filter, onChange }: { list: List; filter: Record<string, unknown>; onChange: (next: (old: Record<string, unknown>) => Record<string, unknown>) => void }) {
  const [open, setOpen] = useState(false);
  const { data } = useAnswer(ReferenceDocument, {}, !open);
  const count = Object.keys(filter).length;
  const set = (name: string, value: Value) => onChange(({ [name]: _, ...others }) => (value === undefined ? others : { ...others, [name]: value }));
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" withArrow shadow="md">
      <Popover.Target>
        <Button size="xs" variant={count ? "filled" : "default"} leftSection={<IconFilter size={15} />} onClick={() => setOpen(!open)}>
          {count ? `${count} ${count === 1 ? "condition" : "conditions"}` : "Filter"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown w={320} mah="70vh" style={{ overflowY: "auto" }}>
        <Stack gap="xs">
          {list.filters.map((f) => (
            <Field key={`${f.name} ${String(filter[f.name] ?? "")}`} filter={f} value={filter[f.name]} set={(v) => set(f.name, v)} choices={options(f.choices, data)} />
          ))}
          <Group justify="space-between">
            <Button size="xs" variant="default" onClick={() => onChange(() => ({}))} disabled={count === 0}>
              Clear
            </Button>
            <Button size="xs" onClick={() => setOpen(false)}>
              Done
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
