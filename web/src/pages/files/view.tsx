import { Button, FileInput, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { BulkColumnsDocument, type BulkEntity, type BulkErrorPolicy, BulkImportDocument, ReferenceDocument } from "../../gql";
import { csv, download } from "../../parts/download";
import { Part } from "../../parts/facts";
import { count } from "../../parts/format";
import { Page } from "../../parts/page";
import type { Preset } from "../../parts/presets";
import { Failure, Loading, Problems } from "../../parts/states";
import { words } from "../../parts/words";
import { MappingPart } from "./columns";
import { type Columns, entityOf, fits, guessed, type Mapping, mappingOf, tableOf } from "./mapping";
import { type Outcome, OutcomePart, type Sent } from "./outcome";
import { readSheet, type Sheet } from "./sheet";

const policies = [
  { value: "REJECT_EVERYTHING", label: "One bad row rejects the file" },
  { value: "REJECT_FAILED_ROWS", label: "Bad rows are left out" },
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
      {kept && !reference.loading && <Import columns={columns as Columns} kept={kept.nodes.map((p) => ({ ...p, content: mappingOf(p.content) }))} reference={reference.data} />}
    </Page>
  );
}

/** What is sent of a file, and the rows of the file by the lines of what is sent. */
function sentOf(sheet: Sheet, mapping: Mapping): { file: File; sent: Sent } {
  const table = tableOf(sheet, mapping);
  const lines = new Map<number, number>();
  let line = 2;
  table.rows.forEach((row, i) => {
    lines.set(line, i);
    line += 1 + row.reduce((n, cell) => n + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
  });
  return { file: new File([csv(table.header, table.rows)], "rows.csv", { type: "text/csv" }), sent: { header: sheet.header, total: table.rows.length, row: (at) => sheet.rows[lines.get(at) ?? -1] } };
}

interface Found {
  of: unknown;
  outcome: Outcome;
  sent: Sent | undefined;
}

interface ImportProps {
  columns: Columns;
  kept: Preset<Mapping>[];
  reference: Parameters<typeof guessed>[3];
}

/** A file is read here, translated as its columns say, and checked row by row before anything of it is written. */
function Import({ columns, kept, reference }: ImportProps) {
  const { username: initiator } = useViewer();
  const entities = Object.keys(columns) as BulkEntity[];
  const [entity, setEntity] = useState<BulkEntity>(entities[0] ?? "AGENT");
  const [errorPolicy, setPolicy] = useState<BulkErrorPolicy>("REJECT_EVERYTHING");
  const [file, setFile] = useState<File | null>(null);
  const [wrong, setWrong] = useState("");
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [mapping, setMapping] = useState<Mapping>({});
  const [found, setFound] = useState<Found | null>(null);
  const chosen = useRef<File | null>(null);
  // What was checked is what is imported: another file, mapping or policy is checked anew.
  const of = useMemo(() => ({ entity, errorPolicy, file, mapping }), [entity, errorPolicy, file, mapping]);
  const here = found?.of === of ? found : null;
  const outcome = here?.outcome;
  const { run, busy, problems, clear } = useAction(BulkImportDocument);
  useEffect(() => clear, [clear, of]);
  const match = (next: Sheet | null, rows: BulkEntity) => {
    setEntity(rows);
    const same = next && kept.find((p) => p.subject === rows && fits(p.content, next.header));
    setMapping(same ? same.content : next ? guessed(next, rows, columns, reference) : {});
  };
  const choose = async (next: File | null) => {
    chosen.current = next;
    const read = next && !/\.(jsonl|ndjson)$/i.test(next.name) ? await readSheet(next).catch((e: Error) => e.message) : null;
    if (chosen.current !== next) return; // another one was chosen meanwhile
    const isRead = typeof read !== "string";
    setWrong(isRead ? "" : read);
    setFile(isRead ? next : null);
    if (!isRead) return setSheet(null);
    setSheet(read);
    match(read, (read && entityOf(read, columns, entities)) || entity);
  };
  const send = async (dryRun: boolean) => {
    const translated = sheet ? sentOf(sheet, mapping) : { file: file!, sent: undefined };
    const answer = await run({ input: { entity, file: translated.file, errorPolicy, initiator }, dryRun });
    if (answer) setFound({ of, outcome: answer.bulkImport, sent: translated.sent });
  };
  const checked = outcome && !outcome.applied;
  const lacks = sheet && (sheet.rows.length === 0 ? "The file has a line with the names of columns, and no rows." : Object.values(mapping).every((target) => !target.column) ? "None of the columns is known: say what at least one of them is." : null);
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
          <FileInput label="File" placeholder="CSV, with any separator, or JSON lines" accept=".csv,.txt,.tsv,.jsonl,.ndjson" value={file} error={wrong} onChange={(f) => void choose(f)} clearable clearButtonProps={{ "aria-label": "Take another file" }} />
          <Select label="Rows are" data={entities.map((e) => ({ value: e, label: words(e) }))} value={entity} onChange={(e) => e && match(sheet, e as BulkEntity)} allowDeselect={false} searchable />
          <Select label="Rows that are wrong" data={policies} value={errorPolicy} onChange={(p) => p && setPolicy(p as BulkErrorPolicy)} allowDeselect={false} />
        </SimpleGrid>
        {file === null && (
          <Text size="sm" c="dimmed" mt="sm">
            Choose a file whose first line names the columns. It is checked row by row, and nothing of it is written before you say so.
          </Text>
        )}
      </Part>
      {sheet && (
        <MappingPart
          key={entity}
          sheet={sheet}
          entity={entity}
          columns={columns[entity]}
          reference={reference}
          mapping={mapping}
          onChange={setMapping}
        />
      )}
      <Group>
        <Button size="xs" variant={checked ? "default" : "filled"} disabled={!file || !!lacks} loading={busy} onClick={() => void send(true)}>
          Check
        </Button>
        {checked && (outcome.rejectedCount === 0 || errorPolicy === "REJECT_FAILED_ROWS") && outcome.acceptedCount > 0 && (
          <Button size="xs" loading={busy} onClick={() => void send(false)}>
            Import {count(outcome.acceptedCount, "row")}
          </Button>
        )}
      </Group>
      {lacks && (
        <Text size="sm" role="status">
          {lacks}
        </Text>
      )}
      <Problems problems={problems} />
      {here && <OutcomePart outcome={here.outcome} sent={here.sent} />}
    </Stack>
  );
}
