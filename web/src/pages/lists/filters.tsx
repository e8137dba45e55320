import { Button, Group, Pill, Popover, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilter, IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { AgentPicker } from "../../app/find";
import { useAnswer } from "../../api/answer";
import { ReferenceDocument, type ReferenceQuery } from "../../gql";
import { Choose, ChooseMany } from "../../parts/choose";
import { formatDay } from "../../parts/format";
import { words } from "../../parts/words";
import { conditionAt, withCondition } from "./query";
import type { Choices, Filter, List } from "./spec";

type Value = unknown;
interface Option {
  value: string;
  label: string;
}

function options(choices: Choices | undefined, reference: ReferenceQuery | undefined): Option[] {
  if (!choices || (typeof choices === "string" && !reference)) return [];
  if (typeof choices !== "string") return choices.map((c) => ({ value: c, label: words(c) }));
  const r = reference!;
  const coded = (all: { code: string; name: string }[]) => all.map((c) => ({ value: c.code, label: c.name }));
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

const spans = [30, 60, 90, 180, 365].map((days) => ({ value: String(days), label: `${days} days` }));

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
      return <ChooseMany {...common} data={choices} value={(value as string[] | undefined) ?? []} onChange={(v) => set(v.length ? v : undefined)} isWithin />;
    case "numbers":
      return <ChooseMany {...common} data={choices} value={((value as number[] | undefined) ?? []).map(String)} onChange={(v) => set(v.length ? v.map(Number) : undefined)} isWithin />;
    case "days":
      return <Choose {...common} data={spans} value={text || null} onChange={(v) => set(v === null ? undefined : Number(v))} clearable isWithin />;
    case "one":
    case "number":
      return <Choose {...common} data={choices} value={text || null} onChange={(v) => set(v === null ? undefined : filter.kind === "number" ? Number(v) : v)} clearable isWithin />;
    case "flag":
      return <Choose {...common} data={[{ value: "true", label: "Yes" }, { value: "false", label: "No" }]} value={text || null} onChange={(v) => set(v === null ? undefined : v === "true")} clearable isWithin />;
    case "agent":
      return <AgentPicker key={text} size="xs" label={filter.label} initial={text} onPick={(code) => set(code || undefined)} />;
    default:
      return <TextField key={text} type={filter.kind === "day" ? "date" : "text"} label={filter.label} value={text} set={set} />;
  }
}

/** A text counts when the field is left, or with Enter. */
function TextField({ label, type, value, set }: { label: string; type: string; value: string; set: (value: Value) => void }) {
  const [text, setText] = useState(value);
  const done = () => set(text.trim() || undefined);
  return <TextInput label={label} type={type} size="xs" value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={done} onKeyDown={(e) => e.key === "Enter" && done()} />;
}

type Conditions = Record<string, unknown>;

interface FiltersProps {
  list: List;
  filter: Conditions;
  onChange: (next: (old: Conditions) => Conditions) => void;
}

/** The box above a list that says what is looked for. */
export function SearchBox({ list, filter, onChange }: FiltersProps) {
  const is = conditionAt(filter, list.search.name) as string | undefined;
  const set = (value: string) => onChange((old) => withCondition(old, list.search.name, value.trim() || undefined));
  if (list.search.kind === "agent") return <AgentPicker size="xs" label={list.search.label} key={is ?? ""} initial={is ?? ""} placeholder="An agent" onPick={set} />;
  return <SearchText label={list.search.label} is={is ?? ""} set={set} />;
}

/** What is typed counts when the hand rests, or at once with Enter. What the URL says later stands, unless somebody types. */
function SearchText({ label, is, set }: { label: string; is: string; set: (value: string) => void }) {
  const [text, setText] = useState(is);
  const sent = useRef(is);
  const send = (value: string) => {
    sent.current = value.trim();
    set(value);
  };
  const later = useDebouncedCallback(send, 250);
  useEffect(() => {
    if (is !== sent.current) {
      sent.current = is;
      setText(is);
    }
  }, [is]);
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder="Name, code, NPN, e-mail…"
      leftSection={<IconSearch size={15} />}
      value={text}
      onChange={(e) => {
        setText(e.currentTarget.value);
        later(e.currentTarget.value);
      }}
      onBlur={() => later.flush()}
      onKeyDown={(e) => e.key === "Enter" && !e.nativeEvent.isComposing && send(e.currentTarget.value)}
    />
  );
}

/** The conditions in force, each with a way to be rid of it. */
export function Chips({ list, filter, onChange }: FiltersProps) {
  const inForce = list.filters.filter((f) => conditionAt(filter, f.name) !== undefined);
  const { data } = useAnswer(ReferenceDocument, {}, !inForce.some((f) => typeof f.choices === "string"));
  if (inForce.length === 0) return null;
  const told = (f: Filter): string => {
    const is = conditionAt(filter, f.name);
    if (f.kind === "day") return formatDay(String(is));
    if (f.kind === "days") return `${String(is)} days`;
    if (f.kind === "flag") return is ? "yes" : "no";
    const all = options(f.choices, data);
    return (Array.isArray(is) ? is : [is]).map((v) => all.find((o) => o.value === String(v))?.label ?? String(v)).join(" or ");
  };
  return (
    <Group gap={6} role="group" aria-label="Conditions in force">
      {inForce.map((f) => (
        <Pill key={f.name} withRemoveButton removeButtonProps={{ "aria-label": `Without ${f.label}`, "aria-hidden": false, tabIndex: 0 }} onRemove={() => onChange((old) => withCondition(old, f.name, undefined))}>
          {f.label}: {told(f)}
        </Pill>
      ))}
      <Button size="compact-xs" variant="subtle" onClick={() => onChange(() => ({}))}>
        Clear all
      </Button>
    </Group>
  );
}

/** The conditions of a list, one for one those of the API. */
export function Filters({ list, filter, onChange }: FiltersProps) {
  const [open, setOpen] = useState(false);
  const { data } = useAnswer(ReferenceDocument, {}, !open);
  const count = list.filters.filter((f) => conditionAt(filter, f.name) !== undefined).length;
  const set = (name: string, value: Value) => onChange((old) => withCondition(old, name, value));
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
            <Field key={f.name} filter={f} value={conditionAt(filter, f.name)} set={(v) => set(f.name, v)} choices={options(f.choices, data)} />
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
