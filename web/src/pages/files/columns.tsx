import { Alert, Anchor, Badge, Button, Group, Select, Switch, Table, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { BulkDateOrder, BulkEntity, ReferenceQuery } from "../../gql";
import { Part } from "../../parts/facts";
import { count } from "../../parts/format";
import { Presets } from "../../parts/presets";
import { columnOf, plain } from "../../parts/words";
import { type Column, constantsOf, forOthers, type Head, lacking, type Mapping, mappingOf, meaningsOf, type Meaning, type Reading, saying, type Target, unknownOf } from "./mapping";

interface MappingProps {
  reading: Reading;
  entity: BulkEntity;
  columns: Column[];
  reference: ReferenceQuery | undefined;
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}

/** What each column of the file is, beside samples of it, and what the file does not say. */
export function MappingPart({ reading, entity, columns, reference, mapping, onChange }: MappingProps) {
  const taken = new Set(reading.columns.map((h) => h.column));
  const strange = unknownOf(reading);
  const say = saying(columns, reading);
  const set = (header: string, target: Target) => onChange({ ...mapping, columns: { ...mapping.columns, [header]: target } });
  const leaveOut = () => onChange({ ...mapping, columns: { ...mapping.columns, ...Object.fromEntries(strange.map((h) => [h.header, { column: "", values: {} }])) } });
  return (
    <Part title="Columns of the file" actions={<Presets kind="FILE_MAPPING" subject={entity} word="mapping" content={forOthers(mapping, columns)} read={mappingOf} onTake={onChange} />}>
      <Text size="sm" mb="xs">
        {count(reading.rowCount, "row")}, in {reading.form}.{!reading.isEntityCertain && " The columns do not say for certain what the rows are: see above."}
      </Text>
      {reading.remarks.map((r) => (
        <Text size="sm" c="dimmed" key={r.message}>
          {say(r.message)}
          {r.rowCount > 0 && ` (${count(r.rowCount, "line")}: ${r.rowNumbers.join(", ")}${r.rowCount > r.rowNumbers.length ? ", …" : ""})`}
        </Text>
      ))}
      {strange.length > 0 && (
        <Alert color="yellow" variant="outline" my="xs" role="status" title={`${count(strange.length, "column")} ${strange.length === 1 ? "is" : "are"} not known`}>
          <Group>
            <Text size="sm">Say below what they are, or leave them out. Nothing of them is imported before.</Text>
            <Button size="compact-sm" variant="default" onClick={leaveOut}>
              Leave out what is not known
            </Button>
          </Group>
        </Alert>
      )}
      <Options reading={reading} entity={entity} columns={columns} reference={reference} mapping={mapping} onChange={onChange} />
      <Table.ScrollContainer minWidth={640} type="native" tabIndex={0} role="region" aria-label="Columns">
        <Table fz="sm" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>In the file</Table.Th>
              <Table.Th>Samples, and what they become</Table.Th>
              <Table.Th>Is</Table.Th>
              <Table.Th>Values</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {reading.columns.map((head) => {
              const column = columns.find((c) => c.name === head.column);
              const meanings = meaningsOf(entity, column, reference);
              const options = columns.filter((c) => c.name === head.column || !taken.has(c.name)).map((c) => ({ value: c.name, label: `${columnOf(c.name)}${c.isRequired ? " *" : ""}` }));
              return (
                <Table.Tr key={head.header}>
                  <Table.Td data-own>
                    {head.header} <State head={head} />
                  </Table.Td>
                  <Table.Td>
                    <Samples head={head} meanings={meanings} />
                  </Table.Td>
                  <Table.Td miw={200}>
                    <Select size="xs" aria-label={head.header} allowDeselect={false} placeholder={head.isEmpty ? "Has no value" : head.isLeftOut ? "Left out" : head.near ? `Perhaps ${columnOf(head.near)}` : "Not known"} data={options} value={head.column ?? null} onChange={(name) => set(head.header, { column: name ?? "", values: {} })} searchable clearable />
                    {column && (
                      <Text size="xs" c="dimmed">
                        {plain(column.description)}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td miw={190}>
                    <Values head={head} target={mapping.columns[head.header]} meanings={meanings} set={(values) => set(head.header, { column: head.column ?? "", values })} />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Part>
  );
}

/** What is to be seen of a column that is not used. */
function State({ head }: { head: Head }) {
  if (head.column || head.isEmpty) return null;
  return (
    <Badge size="xs" variant="outline" color={head.isLeftOut ? "gray" : "yellow"}>
      {head.isLeftOut ? "left out" : "not known"}
    </Badge>
  );
}

/** Samples of a column, and what they become. */
function Samples({ head, meanings }: { head: Head; meanings: Meaning[] | undefined }) {
  const shown = (to: string) => meanings?.find((m) => m.value === to)?.label ?? (to || "none");
  return (
    <Text size="xs" span data-own>
      {head.samples.slice(0, sampled).map(({ from, to }, i) => (
        <span key={i}>
          {i > 0 && " · "}
          {from}
          {head.column && to !== from && <strong> → {shown(to)}</strong>}
        </span>
      ))}
    </Text>
  );
}

const sampled = 4;
const shown = 12;

interface ValuesProps {
  head: Head;
  target: Target | undefined;
  meanings: Meaning[] | undefined;
  set: (values: Record<string, string>) => void;
}

/** What the values of a column mean: a choice for each that nobody knows. */
function Values({ head, target, meanings, set }: ValuesProps) {
  const [all, setAll] = useState(false);
  if (!meanings) return null;
  const said = target?.values ?? {};
  const translated = head.samples.filter((s) => s.to !== s.from && !s.isUnknown).length;
  const strange = head.samples.filter((s) => all || s.isUnknown || said[s.from] !== undefined).slice(0, shown);
  return (
    <>
      {strange.map(({ from, to, isUnknown }) => (
        <Select key={from} size="xs" label={<span data-own>{from}</span>} placeholder="Means…" data={meanings} value={said[from] ?? (isUnknown ? null : to)} onChange={(meant) => set({ ...said, [from]: meant ?? "" })} searchable />
      ))}
      {!all && translated > 0 && (
        <Anchor component="button" type="button" size="xs" onClick={() => setAll(true)} underline="always">
          {translated} translated
        </Anchor>
      )}
    </>
  );
}

/** What the file does not say: the order of its days, its sheet, and values for all rows. */
function Options({ reading, entity, columns, reference, mapping, onChange }: MappingProps) {
  const lacks = lacking(reading, columns);
  const has = new Set(reading.columns.map((h) => h.column));
  const free = columns.filter((c) => !has.has(c.name) && mapping.constants[c.name] === undefined && !lacks.includes(c));
  const given = [...lacks, ...columns.filter((c) => mapping.constants[c.name] !== undefined && !lacks.includes(c))];
  const setConstant = (name: string, value: string) => onChange({ ...mapping, constants: { ...mapping.constants, [name]: value } });
  return (
    <>
      {reading.doubts.map((d) => (
        <Alert key={d.message} color="yellow" variant="outline" my="xs" role="status">
          {d.message}
        </Alert>
      ))}
      <Group my="xs" align="end">
        {reading.sheets.length > 1 && <Select size="xs" label="Sheet" data={reading.sheets} value={reading.sheet ?? null} onChange={(sheet) => sheet && onChange({ ...mapping, sheet })} allowDeselect={false} />}
        {reading.dateOrder && (
          <Select size="xs" label="Days begin with" placeholder="Choose" data={[{ value: "MONTH_FIRST", label: "The month" }, { value: "DAY_FIRST", label: "The day" }]} value={mapping.dateOrder ?? (reading.doubts.length > 0 ? null : reading.dateOrder)} onChange={(order) => order && onChange({ ...mapping, dateOrder: order as BulkDateOrder })} allowDeselect={false} />
        )}
        {given.map((c) => (
          <Constant key={c.name} column={c} value={mapping.constants[c.name] ?? ""} meanings={constantsOf(entity, c, reference)} set={(value) => setConstant(c.name, value)} />
        ))}
        <Select size="xs" label="A value for all rows, of" placeholder="Choose a column" data={free.map((c) => ({ value: c.name, label: columnOf(c.name) }))} value={null} onChange={(name) => name && setConstant(name, "")} searchable />
        <Switch size="xs" label="An empty cell clears the value" checked={mapping.clearsBlanks} onChange={(e) => onChange({ ...mapping, clearsBlanks: e.currentTarget.checked })} />
      </Group>
    </>
  );
}

interface ConstantProps {
  column: Column;
  value: string;
  meanings: Meaning[] | undefined;
  set: (value: string) => void;
}

/** One value of a column for all rows. */
function Constant({ column, value, meanings, set }: ConstantProps) {
  const [text, setText] = useState(value);
  const label = `${columnOf(column.name)}${column.isRequired ? " *" : ""}, for all rows`;
  if (meanings) return <Select size="xs" label={label} data={meanings} value={value || null} onChange={(v) => set(v ?? "")} searchable clearable />;
  return <TextInput size="xs" label={label} value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={() => text !== value && set(text)} />;
}
