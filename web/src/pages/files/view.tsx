import { Button, FileInput, Group, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { BulkColumnsDocument, type BulkCompareInput, type BulkEntity, type BulkErrorPolicy, BulkImportDocument, BulkUnderstandDocument, ReferenceDocument } from "../../gql";
import { csv, download } from "../../parts/download";
import { Part } from "../../parts/facts";
import { count } from "../../parts/format";
import { Page } from "../../parts/page";
import type { Preset } from "../../parts/presets";
import { Failure, Loading, Problems } from "../../parts/states";
import { words } from "../../parts/words";
import { MappingPart } from "./columns";
import { Imports } from "./imports";
import { type Columns, fits, inputOf, type Mapping, mappingOf, nothing, type Reading, saying, unknownOf } from "./mapping";
import { type Outcome, OutcomePart } from "./outcome";

const policies = [
  { value: "REJECT_EVERYTHING", label: "One bad row rejects the file" },
  { value: "REJECT_FAILED_ROWS", label: "Bad rows are left out" },
];

const completeness = [
  { value: "NOBODY", label: "Only its rows count" },
  { value: "NAMED_AGENTS", label: "It has everything of the agents that it names" },
  { value: "ALL_AGENTS", label: "It has everything of all agents" },
];

/** The page of imports. */
export function View() {
  const { data, error } = useAnswer(BulkColumnsDocument, { agents: useMay("write:agents"), production: useMay("write:production") });
  const reference = useAnswer(ReferenceDocument, {}, !useMay("read:agents"));
  const { kept, ...columns } = data ?? { kept: undefined };
  return (
    <Page title="Files">
      {error && <Failure error={error} />}
      {!error && (!data || reference.loading) && <Loading what="the columns" />}
      {kept && !reference.loading && (
        <Stack gap="sm">
          <Import columns={columns as Columns} kept={kept.nodes.map((p) => ({ ...p, content: mappingOf(p.content) }))} reference={reference.data} />
          <Imports />
        </Stack>
      )}
    </Page>
  );
}

/** What was checked. */
interface Checked {
  entity: BulkEntity;
  errorPolicy: BulkErrorPolicy;
  file: File | null;
  mapping: Mapping;
  compare: BulkCompareInput;
}

interface Found {
  of: Checked;
  outcome: Outcome;
}

interface ImportProps {
  columns: Columns;
  kept: Preset<Mapping>[];
  reference: Parameters<typeof MappingPart>[0]["reference"];
}

/** The server reads a file, and says how; it is checked row by row before anything of it is written. */
function Import({ columns, kept, reference }: ImportProps) {
  const { username: initiator } = useViewer();
  const entities = Object.keys(columns) as BulkEntity[];
  const [entity, setEntity] = useState<BulkEntity>(entities[0] ?? "AGENT");
  const [errorPolicy, setPolicy] = useState<BulkErrorPolicy>("REJECT_EVERYTHING");
  const [file, setFile] = useState<File | null>(null);
  const [reading, setReading] = useState<Reading | null>(null);
  const [mapping, setMapping] = useState<Mapping>(nothing);
  const [found, setFound] = useState<Found | null>(null);
  const [compare, setCompare] = useState<BulkCompareInput>({ source: "", isWhole: "NAMED_AGENTS" });
  const [chosen, setChosen] = useState<number[]>([]);
  // The name of the kept mapping that was taken by itself.
  const [taken, setTaken] = useState<string | null>(null);
  const compared = entity === "CERTIFICATION" && compare.source.trim() !== "" ? compare : null;
  const asked = useRef(0);
  // What was checked is what is imported: another file, mapping or policy is checked anew.
  const of = useMemo(() => ({ entity, errorPolicy, file, mapping, compare }), [entity, errorPolicy, file, mapping, compare]);
  const here = found && (Object.keys(of) as (keyof Checked)[]).every((part) => found.of[part] === of[part]) ? found : null;
  const outcome = here?.outcome;
  const { run, busy, problems, clear } = useAction(BulkImportDocument);
  const understanding = useAction(BulkUnderstandDocument);
  useEffect(() => clear, [clear, of]);
  // Only the answer to the last question counts.
  const understand = async (next: File, rows: BulkEntity | null, said: Mapping) => {
    const turn = ++asked.current;
    const answer = await understanding.run({ input: { ...inputOf(said), entity: rows, file: next } });
    return turn === asked.current ? (answer?.bulkUnderstand ?? null) : undefined;
  };
  const read = async (next: File, rows: BulkEntity, findsEntity: boolean) => {
    let answer = await understand(next, findsEntity ? null : rows, nothing);
    if (answer === undefined) return;
    const is = answer?.entity ?? rows;
    const same = answer && kept.find((p) => p.subject === is && fits(p.content, answer!.columns));
    if (same) answer = await understand(next, is, same.content);
    if (answer === undefined) return;
    setEntity(is);
    setMapping(same ? same.content : nothing);
    setTaken(same ? same.name : null);
    setReading(answer);
  };
  const choose = (next: File | null) => {
    setFile(next);
    setReading(null);
    setTaken(null);
    setMapping(nothing);
    if (next) void read(next, entity, true);
  };
  const change = async (said: Mapping) => {
    setMapping(said);
    const answer = file && (await understand(file, entity, said));
    if (answer) setReading(answer);
  };
  // A cell that was typed over is checked at once.
  const mend = async (row: number, header: string, value: string) => {
    const said = { ...mapping, cells: { ...mapping.cells, [row]: { ...mapping.cells?.[row], [header]: value } } };
    setMapping(said);
    await send(true, null, said);
  };
  const send = async (dryRun: boolean, rows: number[] | null = null, said = mapping) => {
    const of = { entity, errorPolicy, file, mapping: said, compare };
    const answer = await run({ input: { ...inputOf(said), entity, file: file!, errorPolicy, initiator, compare: compared, rows }, dryRun });
    setChosen([]);
    if (answer) setFound({ of, outcome: answer.bulkImport });
  };
  const checked = outcome && !outcome.applied;
  const lacks = reading && lacksOf(reading);
  return (
    <Stack gap="sm">
      <Part
        title="Import"
        actions={
          <Button size="compact-sm" variant="subtle" onClick={() => download(csv(columns[entity].map((c) => c.name), []), `${entity.toLowerCase()}.csv`)}>
            Template of {words(entity).toLowerCase()} rows
          </Button>
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <FileInput label="File" placeholder="A workbook, CSV with any separator, or JSON lines" accept=".xlsx,.xlsm,.csv,.txt,.tsv,.jsonl,.ndjson" value={file} onChange={choose} clearable clearButtonProps={{ "aria-label": "Take another file" }} />
          <Select label="Rows are" data={entities.map((e) => ({ value: e, label: words(e) }))} value={entity} onChange={(e) => (e && file ? void read(file, e as BulkEntity, false) : e && setEntity(e as BulkEntity))} allowDeselect={false} searchable />
          <Select label="Rows that are wrong" data={policies} value={errorPolicy} onChange={(p) => p && setPolicy(p as BulkErrorPolicy)} allowDeselect={false} />
        </SimpleGrid>
        {file === null && (
          <Text size="sm" c="dimmed" mt="sm">
            Choose a file with a line that names the columns. It is checked row by row, and nothing of it is written before you say so.
          </Text>
        )}
      </Part>
      {understanding.problems.length > 0 && <Problems problems={understanding.problems} />}
      {reading && taken && (
        <Group gap="xs" role="status">
          <Text size="sm">
            Read by the mapping <b data-own>{taken}</b>, which is kept for files with these columns.
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => (setTaken(null), void change(nothing))}>
            Read it without
          </Button>
        </Group>
      )}
      {reading && <MappingPart key={entity} reading={reading} entity={entity} columns={columns[entity]} reference={reference} mapping={mapping} onChange={(said) => void change(said)} />}
      {reading && entity === "CERTIFICATION" && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Compare with what is held, as said by"
            description="For an import, leave it empty. What is accepted is verified, with this source, the day and the file as evidence."
            placeholder="Such as NIPR, or a state"
            value={compare.source}
            onChange={(e) => setCompare({ ...compare, source: e.currentTarget.value })}
          />
          {compared && (
            <Select
              label="What the file does not have"
              description="What is held as good, and is not in a file that has everything, ends today."
              data={completeness}
              value={compare.isWhole ?? null}
              onChange={(is) => is && setCompare({ ...compare, isWhole: is as BulkCompareInput["isWhole"] })}
              allowDeselect={false}
            />
          )}
        </SimpleGrid>
      )}
      <Group>
        <Button size="xs" variant={checked ? "default" : "filled"} disabled={!reading || !!lacks} loading={busy || understanding.busy} onClick={() => void send(true)}>
          Check
        </Button>
        {checked && reading?.doubts.length === 0 && (outcome.rejectedCount === 0 || errorPolicy === "REJECT_FAILED_ROWS") && outcome.acceptedCount > 0 && (
          <Button size="xs" loading={busy} onClick={() => void send(false)}>
            {compared ? "Accept all differences" : `Import ${count(outcome.acceptedCount, "row")}`}
          </Button>
        )}
        {checked && compared && chosen.length > 0 && (
          <Button size="xs" variant="default" loading={busy} onClick={() => void send(false, chosen)}>
            Accept {count(chosen.length, "difference")}
          </Button>
        )}
      </Group>
      {lacks && (
        <Text size="sm" role="status">
          {lacks}
        </Text>
      )}
      <Problems problems={problems} />
      {here && reading && <OutcomePart outcome={here.outcome} total={reading.rowCount} chosen={chosen} onChoose={setChosen} mended={mapping.cells ?? {}} onMend={(row, header, value) => void mend(row, header, value)} headOf={(column) => reading.columns.find((h) => h.column === column)?.header} say={saying(columns[entity], reading)} />}
    </Stack>
  );
}

/** Why a file cannot be checked yet. */
function lacksOf(reading: Reading) {
  if (reading.rowCount === 0) return "The file has a line with the names of columns, and no rows.";
  if (reading.columns.every((h) => !h.column)) return "None of the columns is known: say what at least one of them is.";
  return unknownOf(reading).length > 0 ? "Some columns are not known: say what they are, or leave them out." : null;
}
