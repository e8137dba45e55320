import { Button, Checkbox, Fieldset, Group, PasswordInput, type PasswordInputProps, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { AgentPicker } from "../../app/find";
import { type InputField, inputs } from "../../inputs";
import { Choose, ChooseMany } from "../choose";
import { inZone } from "../format";
import { ScopesField } from "../scopes";
import { eventOf, labelIn, labelOf, plain, words } from "../words";
import { sourceOf, useChoices } from "./choices";
import { applies, sectionsOf } from "./layout";
import { emptied, type Fixed, fieldsOf, itemsOf, join, kindOf, type Value, type Values, valuesOf } from "./shape";

/** A form as it is filled in. */
export interface Filling {
  values: Values;
  set: (changed: Values) => void;
  remove: (path: string, index: number) => void;
  /** What is wrong, by the paths of the fields. */
  faults: Record<string, string>;
  /** What is shown of sensitive values that are stored, by the paths of the fields. */
  masks: Record<string, string>;
}

const isPicker = (type: string, name: string) => /(^agentCode|UplineAgentCode|^directUpline|recruiterAgentCode)$/.test(name) && type !== "AgentRegisterInput";

/** The first sentence that the schema has of a field, where it tells more than its name. */
function saysOf(f: InputField, label: string) {
  const first = plain(f.says.split(/(?<=\.)\s/)[0]!.trim());
  const told = first.toLowerCase().match(/\w+/g) ?? [];
  return f.of || told.length < 3 || told.every((word) => label.toLowerCase().includes(word)) ? undefined : first;
}

interface FieldsProps {
  type: string;
  path?: string;
  fixed?: Fixed;
  form: Filling;
}

/** The fields of an input, in sections and lines; those that are objects are folded while empty. */
export function Fields({ type, path = "", fixed, form }: FieldsProps) {
  const fields = fieldsOf(type, fixed);
  const reason = fields.find((f) => f.name === "reason");
  const one = (f: InputField) => {
    const at = join(path, f.name);
    if (!f.of) return <Field key={f.name} type={type} field={f} at={at} form={form} />;
    return f.isList ? <Items key={f.name} field={f} at={at} form={form} /> : <OneObject key={f.name} field={f} at={at} form={form} />;
  };
  return (
    <Stack gap="xs">
      {sectionsOf(type, fields).map(({ title, lines }, i) => {
        const content = lines
          .map((line) => line.filter((f) => applies(type, f, form.values, path)))
          .filter((line) => line.length > 0)
          .map((line) => (
            <SimpleGrid key={line[0]!.name} cols={{ base: 1, xs: line.length }} spacing="xs" style={{ alignItems: "start" }}>
              {line.map(one)}
            </SimpleGrid>
          ));
        if (!title) return content;
        return (
          <Fieldset key={i} legend={title} p="xs">
            <Stack gap="xs">{content}</Stack>
          </Fieldset>
        );
      })}
      {reason && <Field type={type} field={reason} at={join(path, "reason")} form={form} />}
    </Stack>
  );
}

interface FieldProps {
  field: InputField;
  at: string;
  form: Filling;
}

const isBelow = (at: string) => (key: string) => key.startsWith(`${at}.`);

function OneObject({ field: f, at, form }: FieldProps) {
  const [isOpen, setOpen] = useState(() => Object.keys(form.values).filter(isBelow(at)).some((key) => !["", "false"].includes(String(form.values[key]))));
  const content = <Fields type={f.of!} path={at} form={form} />;
  if (f.isRequired) return content;
  return (
    <details className="folded" open={isOpen || Object.keys(form.faults).some(isBelow(at))} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{labelOf(f.name)}</summary>
      {content}
    </details>
  );
}

function Items({ field: f, at, form }: FieldProps) {
  const count = itemsOf(form.values, at);
  const add = () => form.set(valuesOf(f.of!, null, true, {}, join(at, count)));
  if (f.isRequired && count === 1) return <Fields type={f.of!} path={join(at, 0)} form={form} />;
  return (
    <Stack gap="xs">
      {Array.from({ length: count }, (_, i) => (
        <Fieldset key={i} legend={`${labelOf(f.name)} ${i + 1}`} p="xs">
          <Fields type={f.of!} path={join(at, i)} form={form} />
          <Button size="compact-xs" variant="subtle" mt="xs" onClick={() => form.remove(at, i)}>
            Remove
          </Button>
        </Fieldset>
      ))}
      <Group>
        <Button size="compact-xs" variant="default" onClick={add}>
          Add to {labelOf(f.name).toLowerCase()}
        </Button>
      </Group>
    </Stack>
  );
}

/** Help stands below what it helps with. */
const below: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

/** A field in the control that fits what the schema says of it. */
function Field({ type, field: f, at, form }: FieldProps & { type: string }) {
  const choices = useChoices(type, f) ?? f.choices?.map((c) => ({ value: c, label: words(c) })) ?? null;
  const value: Value = form.values[at] ?? "";
  const text = String(value);
  const [hasLines] = useState(text.includes("\n"));
  const set = (next: Value) => form.set({ [at]: next });
  const label = kindOf(f) === "datetime-local" ? inZone(labelIn(type, f.name)) : labelIn(type, f.name);
  const shared = { size: "xs" as const, label, inputWrapperOrder: below, description: f.name === "reason" ? undefined : saysOf(f, label), error: form.faults[at], withAsterisk: f.isRequired };
  const list = Array.isArray(value) ? value : text ? [text] : [];
  const typing = { ...shared, value: text, onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => set(e.currentTarget.value) };
  if (isPicker(type, f.name)) return <AgentPicker key={at} label={label} size="xs" initial={text} onPick={set} error={form.faults[at]} />;
  if (f.type === "Boolean") return <Checkbox size="xs" mt={28} label={label} description={shared.description} error={shared.error} checked={value === "true"} onChange={(e) => set(String(e.currentTarget.checked))} />;
  if (sourceOf(type, f) === "scopes") return <ScopesField {...shared} data={[...new Set([...(choices ?? []).map((c) => c.value), ...list])]} value={list} onChange={set} />;
  if (f.isList && choices) return <ChooseMany {...shared} data={[...choices, ...list.filter((v) => !choices.some((c) => c.value === v)).map((value) => ({ value, label: eventOf(value) }))]} value={list} onChange={set} />;
  if (f.isList) return <TagsInput {...shared} value={list} onChange={set} />;
  if (choices) return <Choose {...shared} data={choices} value={text || null} onChange={(v) => set(v ?? "")} clearable={!f.isRequired} />;
  if (f.isSensitive) return <Kept typing={typing} mask={f.isRequired ? null : form.masks[at]} isEmptied={text === emptied} set={set} />;
  if (hasLines) return <Textarea {...typing} autosize maxRows={8} />;
  if (f.type === "JSON") return <Textarea {...typing} autosize minRows={4} maxRows={14} />;
  return <TextInput {...typing} type={kindOf(f)} inputMode={f.type === "Decimal" ? "decimal" : undefined} />;
}

interface KeptProps {
  typing: PasswordInputProps & { label: string };
  /** What is shown of the value; none where nothing is stored. */
  mask?: string | null;
  isEmptied: boolean;
  set: (next: Value) => void;
}

/** A sensitive value: one that is stored stays as it is until another is typed, or it is removed. */
export function Kept({ typing, mask, isEmptied, set }: KeptProps) {
  return (
    <div>
      <PasswordInput {...typing} value={isEmptied ? "" : typing.value} disabled={isEmptied} placeholder={isEmptied ? "Is removed" : mask ? `${mask} stays` : undefined} autoComplete="off" visibilityToggleButtonProps={{ "aria-label": `Show: ${typing.label}` }} />
      {mask && <Checkbox size="xs" mt={4} label="Remove it" aria-label={`Remove: ${typing.label}`} checked={isEmptied} onChange={(e) => set(e.currentTarget.checked ? emptied : "")} />}
    </div>
  );
}

export const hasField = (type: string, name: string) => inputs[type]!.some((f) => f.name === name);
