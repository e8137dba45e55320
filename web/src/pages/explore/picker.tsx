import { Alert, Button, Checkbox, Input, Paper, ScrollArea, Stack, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useMemo, useState } from "react";
import { useSchema } from "../../api/schema";
import { Choose } from "../../parts/choose";
import { Loading } from "../../parts/states";
import { type Connection, connectionsOf, type Field, fieldsOf } from "./connections";
import { type Asked, choose, read, tick } from "./fields";
import type { QueryProps } from "./query";

const deepest = 4;

/** Picks what the query asks for, without GraphQL: one list, and the fields of its rows. */
export default function Picker(props: QueryProps) {
  const schema = useSchema();
  const all = useMemo(() => schema && connectionsOf(schema), [schema]);
  return (
    <Paper withBorder p="xs" role="group" aria-label="Fields">
      {all ? <Choices all={all} {...props} /> : all === null ? <Text size="sm">The server does not tell which fields there are.</Text> : <Loading what="the fields" />}
    </Paper>
  );
}

/** What a query asks for, or why it cannot be read. */
function reading(query: string, all: Connection[]): Asked | string {
  try {
    return read(query, all);
  } catch (error) {
    return (error as Error).message;
  }
}

function Choices({ all, value, onChange }: QueryProps & { all: Connection[] }) {
  const asked = useMemo(() => reading(value, all), [value, all]);
  if (typeof asked === "string")
    return (
      <Alert color="orange" variant="outline" role="status" title="Fields are picked once the query can be read">
        {asked}
      </Alert>
    );
  const { connection, paths } = asked;
  const pick = (name: string | null) => name && name !== connection?.name && onChange(choose(value, all, all.find((c) => c.name === name)!));
  return (
    <Stack gap="xs">
      <Choose label="What is asked for" description={connection?.says} placeholder="Choose a list" size="xs" value={connection?.name ?? null} onChange={pick} data={all.map((c) => ({ value: c.name, label: c.label }))} />
      {connection && (
        <ScrollArea.Autosize mah={420} type="auto" viewportProps={{ tabIndex: -1 }}>
          <Fields key={connection.name} fields={fieldsOf(connection.node)} path="nodes" depth={1} paths={paths} onTick={(path, on) => onChange(tick(value, all, path, on))} />
        </ScrollArea.Autosize>
      )}
    </Stack>
  );
}

interface FieldsProps {
  fields: Field[];
  path: string;
  depth: number;
  paths: Asked["paths"];
  onTick: (path: string, on: boolean) => void;
}

function Fields({ fields, path, depth, ...rest }: FieldsProps) {
  const shown = fields.filter((f) => !f.of || depth < deepest);
  return (
    <Stack gap={6}>
      {shown.map((f) => {
        const own = { ...rest, field: f, path: `${path}.${f.name}`, depth };
        return f.of ? <Fold key={f.name} {...own} /> : <Tick key={f.name} {...own} />;
      })}
    </Stack>
  );
}

type FieldProps = Omit<FieldsProps, "fields"> & { field: Field };

/** A value: whether the query has it. What comes by a fragment stays there. */
function Tick({ field, path, paths, onTick }: FieldProps) {
  const isFragment = paths.get(path) === true;
  return <Checkbox size="xs" label={field.label} description={isFragment ? "By a fragment of the query." : field.says} checked={paths.has(path)} disabled={isFragment} onChange={(e) => onTick(path, e.currentTarget.checked)} />;
}

/** How many values the query has below a path. */
function picked(paths: Asked["paths"], path: string): number {
  const below = [...paths.keys()].filter((p) => p.startsWith(`${path}.`));
  return below.filter((p) => !below.some((q) => q.startsWith(`${p}.`))).length;
}

/** An object, which folds open. */
function Fold({ field, path, depth, paths, onTick }: FieldProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const chosen = picked(paths, path);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button size="compact-xs" variant="subtle" leftSection={<Chevron size={14} aria-hidden />} aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={() => setOpen(!isOpen)}>
        {field.label}
        {chosen > 0 && `, ${chosen} picked`}
      </Button>
      <Input.Description size="xs" pl={28}>
        {field.says}
      </Input.Description>
      {isOpen && (
        <Stack id={id} role="group" aria-label={field.label} pl={28} pt={6}>
          <Fields fields={fieldsOf(field.of!)} path={path} depth={depth + 1} paths={paths} onTick={onTick} />
        </Stack>
      )}
    </div>
  );
}
