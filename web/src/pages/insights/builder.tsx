import { ActionIcon, Alert, Button, Group, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useViewer } from "../../app/context";
import { RecipeCreateDocument, RecipeReplaceDocument, ReportDatasetsDocument } from "../../gql";
import { Choose, ChooseMany } from "../../parts/choose";
import { Part } from "../../parts/facts";
import { Failure, Loading, Problems } from "../../parts/states";
import { enumerated, labelOf, plain } from "../../parts/words";
import { recipeKey, type Report } from "./catalogue";
import { aggregatesOf, blank, charted, type Dataset, definitionOf, type Draft, type DraftFilter, draftOf, type Field, keyOf, linesOf, newColumn, operatorsOf } from "./draft";

/** Makes a report of the agency without code, or changes one. */
export function Builder({ report }: { report?: Report | undefined }) {
  const { scopes } = useViewer();
  const { data, error } = useAnswer(ReportDatasetsDocument, {});
  if (error) return <Failure error={error} />;
  if (!data) return <Loading what="what there is" />;
  return <Form datasets={data.reportDatasets.filter((d) => scopes.has(d.scope))} report={report} />;
}

const small = { size: "xs" as const };

function Form({ datasets, report }: { datasets: Dataset[]; report: Report | undefined }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>(() => (report ? draftOf(report.title, report.description, report.dataset, report.definition) : blank(datasets[0]?.name ?? "")));
  // The catalogue, and what was run of a recipe, follow a change of recipes by themselves.
  const create = useAction(RecipeCreateDocument, "live");
  const replace = useAction(RecipeReplaceDocument, "live");
  const dataset = datasets.find((d) => d.name === draft.dataset);
  const fields = dataset?.fields ?? [];
  const set = (next: Partial<Draft>) => setDraft((old) => ({ ...old, ...next }));
  const choose = (names: string[]) => set({ columns: names.map((name) => draft.columns.find((c) => c.field === name) ?? newColumn(name)) });
  const leave = (id?: string) => navigate({ to: ".", search: ((old: object) => ({ ...old, build: undefined, ...(id ? { report: recipeKey(id), p: undefined } : {}) })) as never });
  const save = async () => {
    const input = { name: draft.name.trim(), description: draft.description.trim() || null, dataset: draft.dataset, definition: definitionOf(draft, fields) };
    const done = report?.known ? await replace.run({ known: [report.known], input: { id: report.id, ...input } }) : await create.run({ input });
    if (done?.change.reportRecipe) await leave(done.change.reportRecipe.id);
  };
  const options = fields.map((f) => ({ value: f.name, label: labelOf(f.name) }));
  const sortable = draft.columns.map((c) => ({ value: keyOf(c), label: c.label }));
  const numbers = charted(draft, fields).map((c) => ({ value: keyOf(c), label: c.label }));
  return (
    <Part title={report ? `Change ${report.title}` : "New report"}>
      <Stack gap="sm">
        <Group grow align="start">
          <TextInput {...small} label="Name" required data-autofocus autoFocus value={draft.name} onChange={(e) => set({ name: e.currentTarget.value })} />
          <TextInput {...small} label="What it is for" value={draft.description} onChange={(e) => set({ description: e.currentTarget.value })} />
          <Choose {...small} label="Rows are" description={plain(dataset?.description ?? "")} inputWrapperOrder={["label", "input", "description"]} data={datasets.map((d) => ({ value: d.name, label: labelOf(d.name) }))} value={draft.dataset} onChange={(d) => d && set({ ...blank(d), name: draft.name, description: draft.description })} />
        </Group>
        <ChooseMany {...small} label="Columns" placeholder={draft.columns.length === 0 ? "Choose what is shown" : ""} data={options} value={draft.columns.map((c) => c.field)} onChange={choose} />
        {draft.columns.map((c, i) => (
          <Group key={c.field} gap="xs" role="group" aria-label={`Column ${labelOf(c.field)}`}>
            <TextInput {...small} w={220} aria-label={`Heading of ${labelOf(c.field)}`} value={c.label} onChange={(e) => set({ columns: draft.columns.map((o, at) => (at === i ? { ...o, label: e.currentTarget.value } : o)) })} />
            <Choose {...small} w={190} aria-label={`What of ${labelOf(c.field)}`} data={aggregatesOf(fields.find((f) => f.name === c.field))} value={c.aggregate} onChange={(aggregate) => aggregate && set({ columns: draft.columns.map((o, at) => (at === i ? { ...o, aggregate, format: undefined } : o)) })} />
            <Text size="xs" c="dimmed">
              {plain(fields.find((f) => f.name === c.field)?.description ?? "")}
            </Text>
          </Group>
        ))}
        {draft.columns.some((c) => c.aggregate !== "none") && <Text size="xs">A row stands for all that have the same {draft.columns.filter((c) => c.aggregate === "none").map((c) => c.label).join(" and ") || "dataset"}.</Text>}
        <Stack gap={6} role="group" aria-label="Conditions">
          {draft.filters.map((f, i) => (
            <FilterRow key={i} filter={f} fields={fields} options={options} set={(next) => set({ filters: draft.filters.flatMap((o, at) => (at === i ? (next ? [next] : []) : [o])) })} />
          ))}
          <Group>
            <Button size="compact-xs" variant="default" leftSection={<IconPlus size={13} />} onClick={() => set({ filters: [...draft.filters, { field: "", operator: "", value: "" }] })}>
              Condition
            </Button>
          </Group>
        </Stack>
        <Group align="end">
          <Choose {...small} label="Sorted by" data={sortable} value={draft.sort?.field ?? null} onChange={(field) => set({ sort: field ? { field, direction: draft.sort?.direction ?? "asc" } : null })} clearable />
          {draft.sort && <Choose {...small} aria-label="Direction" data={[{ value: "asc", label: "Ascending" }, { value: "desc", label: "Descending" }]} value={draft.sort.direction} onChange={(direction) => direction && set({ sort: { field: draft.sort!.field, direction } })} />}
          {numbers.length > 0 && <Choose {...small} label="A chart shows" data={numbers} value={numbers.some((n) => n.value === draft.chart) ? draft.chart : null} onChange={(chart) => set({ chart })} clearable />}
        </Group>
        <Alert variant="light" py={6}>
          <Text size="sm">Everybody in the agency who may run reports finds it in Insights. It shows each what they may see.</Text>
        </Alert>
        <Problems problems={[...create.problems, ...replace.problems]} />
        <Group>
          <Button size="xs" disabled={!draft.name.trim() || draft.columns.length === 0 || draft.filters.some((f) => !f.as && (!f.operator || (f.operator !== "isNull" && !f.value)))} loading={create.busy || replace.busy} onClick={() => void save()}>
            Save
          </Button>
          <Button size="xs" variant="default" onClick={() => void leave()}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Part>
  );
}

interface FilterRowProps {
  filter: DraftFilter;
  fields: Field[];
  options: { value: string; label: string }[];
  set: (next: DraftFilter | null) => void;
}

function FilterRow({ filter: f, fields, options, set }: FilterRowProps) {
  const field = fields.find((o) => o.name === f.field);
  const operators = operatorsOf(field);
  return (
    <Group gap="xs">
      {f.as ? (
        <Text size="sm">
          {labelOf(f.field)} {JSON.stringify((f.as as { value: unknown }).value)}
        </Text>
      ) : (
        <>
          <Choose {...small} aria-label="Field" placeholder="Field" data={options} value={f.field || null} onChange={(name) => name && set({ field: name, operator: operatorsOf(fields.find((o) => o.name === name))[0]!.value, value: "" })} />
          {field && <Choose {...small} aria-label="Comparison" data={operators} value={f.operator} onChange={(operator) => operator && set({ ...f, operator })} />}
          {field && f.operator !== "isNull" && <ValueField filter={f} field={field} set={(value) => set({ ...f, value })} />}
        </>
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={`Without the condition on ${labelOf(f.field || "nothing")}`} onClick={() => set(null)}>
        <IconX size={14} />
      </ActionIcon>
    </Group>
  );
}

function ValueField({ filter: f, field, set }: { filter: DraftFilter; field: Field; set: (value: string) => void }) {
  const label = "Value";
  if (f.operator === "next" || f.operator === "last") return <TextInput {...small} aria-label={label} placeholder="60" type="number" min={0} w={90} value={f.value} onChange={(e) => set(e.currentTarget.value)} />;
  const several = { ...small, "aria-label": label, value: linesOf(f.value), onChange: (all: string[]) => set(all.join("\n")) };
  if (f.operator === "in" && field.allowedValues) return <ChooseMany {...several} data={field.allowedValues.map((v) => ({ value: v, label: enumerated(v) }))} />;
  if (f.operator === "in") return <TagsInput {...several} placeholder="Enter after each" splitChars={[]} acceptValueOnBlur />;
  if (field.allowedValues) return <Choose {...small} aria-label={label} data={field.allowedValues.map((v) => ({ value: v, label: enumerated(v) }))} value={f.value || null} onChange={(v) => set(v ?? "")} />;
  if (field.type === "boolean") return <Choose {...small} aria-label={label} data={[{ value: "true", label: "Yes" }, { value: "false", label: "No" }]} value={f.value || null} onChange={(v) => set(v ?? "")} />;
  return <TextInput {...small} aria-label={label} type={field.type.startsWith("date") ? "date" : field.type === "integer" ? "number" : "text"} value={f.value} onChange={(e) => set(e.currentTarget.value)} />;
}
