import { Anchor, Select, Table, Text } from "@mantine/core";
import { useState } from "react";
import type { BulkEntity, ReferenceQuery } from "../../gql";
import { Part } from "../../parts/facts";
import { count } from "../../parts/format";
import { Presets } from "../../parts/presets";
import { type Column, dayOf, isDay, type Mapping, mappingOf, meaningsOf, type Meaning, type Target, targetOf, translated, valuesOf } from "./mapping";
import type { Sheet } from "./sheet";

interface MappingProps {
  sheet: Sheet;
  entity: BulkEntity;
  columns: Column[];
  reference: ReferenceQuery | undefined;
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}

/** What each column of the file is, beside samples of it. */
export function MappingPart({ sheet, entity, columns, reference, mapping, onChange }: MappingProps) {
  const taken = new Set(Object.values(mapping).map((t) => t.column));
  const lacks = columns.filter((c) => c.isRequired && !taken.has(c.name));
  const set = (header: string, target: Target) => onChange({ ...mapping, [header]: target });
  return (
    <Part title="Columns of the file" actions={<Presets kind="FILE_MAPPING" subject={entity} word="mapping" content={mapping} read={mappingOf} onTake={onChange} />}>
      <Text size="sm" mb="xs">
        {count(sheet.rows.length, "row")}, in {sheet.form}. {lacks.length > 0 && `A new row also needs ${lacks.map((c) => c.name).join(", ")}.`}
      </Text>
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
            {sheet.header.map((header) => {
              const target = mapping[header] ?? { column: "", values: {} };
              const column = columns.find((c) => c.name === target.column);
              const options = columns.filter((c) => c.name === target.column || !taken.has(c.name)).map((c) => ({ value: c.name, label: `${c.name}${c.isRequired ? " *" : ""}` }));
              return (
                <Table.Tr key={header}>
                  <Table.Td>{header}</Table.Td>
                  <Table.Td>
                    <Samples values={valuesOf(sheet, header)} target={target} />
                  </Table.Td>
                  <Table.Td miw={200}>
                    <Select
                      size="xs"
                      aria-label={header}
                      placeholder="Left out"
                      data={options}
                      value={target.column || null}
                      onChange={(name) => set(header, targetOf(sheet, header, name ?? "", meaningsOf(entity, columns.find((c) => c.name === name), reference)))}
                      searchable
                      clearable
                    />
                    {column && <Text size="xs" c="dimmed">{column.description}</Text>}
                  </Table.Td>
                  <Table.Td miw={190}>
                    <Values header={header} values={valuesOf(sheet, header)} target={target} meanings={meaningsOf(entity, column, reference)} set={(next) => set(header, next)} />
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

const sampled = 3;

function Samples({ values, target }: { values: string[]; target: Target }) {
  return (
    <Text size="xs" span>
      {values.slice(0, sampled).map((v, i) => {
        const to = target.column ? translated(v, target) : v;
        return (
          <span key={i}>
            {i > 0 && " · "}
            {v}
            {to !== v && <strong> → {to}</strong>}
          </span>
        );
      })}
    </Text>
  );
}

const shown = 12;

interface ValuesProps {
  header: string;
  values: string[];
  target: Target;
  meanings: Meaning[] | undefined;
  set: (target: Target) => void;
}

/** What the values of a column mean: the order of days, and a choice for each value that nobody knows. */
function Values({ header, values, target, meanings, set }: ValuesProps) {
  const [all, setAll] = useState(false);
  if (isDay(target.column)) {
    if (values.every((v) => dayOf(v, "MDY") === dayOf(v, "DMY"))) return null;
    return <Select size="xs" aria-label={`${header}: days`} data={[{ value: "MDY", label: "Month first" }, { value: "DMY", label: "Day first" }]} value={target.order ?? "MDY"} onChange={(order) => order && set({ ...target, order: order as Target["order"] })} allowDeselect={false} />;
  }
  if (!meanings) return null;
  const known = new Set(meanings.map((m) => m.value));
  const strange = values.filter((v) => all || !known.has(target.values[v] ?? v)).slice(0, shown);
  return (
    <>
      {strange.map((v) => (
        <Select key={v} size="xs" label={v} placeholder="Means…" data={meanings.map((m) => ({ value: m.value, label: m.label === m.value ? m.value : `${m.label} (${m.value})` }))} value={target.values[v] ?? (known.has(v) ? v : null)} onChange={(to) => set({ ...target, values: { ...target.values, [v]: to ?? v } })} searchable />
      ))}
      {!all && values.some((v) => target.values[v]) && (
        <Anchor component="button" type="button" size="xs" onClick={() => setAll(true)} underline="always">
          {Object.keys(target.values).length} translated
        </Anchor>
      )}
    </>
  );
}
