import { Alert, Button, FileInput, Group, Select, SimpleGrid, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMemo, useRef, useState } from "react";
import { useAction } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { type BulkEntity, type BulkErrorPolicy, BulkImportDocument, type BulkImportMutation } from "../../gql";
import { Part } from "../../parts/facts";
import { count, words } from "../../parts/format";
import { Page } from "../../parts/page";
import { Problems } from "../../parts/states";
import { headerOf } from "./header";

type Outcome = BulkImportMutation["bulkImport"];

const ofAgents: BulkEntity[] = [
  "AGENT", "CERTIFICATION", "UPLINE_PERIOD", "LEVEL_PERIOD", "PAY_STATUS_PERIOD",
  "PAY_STATUS", "AGENT_LEVEL", "CERTIFICATION_TYPE", "JURISDICTION", "PROVIDER_COMPANY", "TAG", "PRODUCT", "PRODUCT_RULE",
];
const ofProduction: BulkEntity[] = ["PRODUCTION_RECORD", "COMMISSION_PAYMENT"];
const policies = [
  { value: "REJECT_EVERYTHING", label: "One bad row rejects the file" },
  { value: "REJECT_FAILED_ROWS", label: "Bad rows are left out" },
];

/** The page of imports: a file is checked row by row before anything of it is written. */
export function View() {
  const { username: initiator } = useViewer();
  const entities = [...(useMay("write:agents") ? ofAgents : []), ...(useMay("write:production") ? ofProduction : [])];
  const [entity, setEntity] = useState<BulkEntity>(entities[0] ?? "AGENT");
  const [errorPolicy, setPolicy] = useState<BulkErrorPolicy>("REJECT_EVERYTHING");
  const [file, setFile] = useState<File | null>(null);
  const [columns, setColumns] = useState<Record<string, string>>({});
  const [found, setFound] = useState<{ of: unknown; outcome: Outcome } | null>(null);
  const chosen = useRef<File | null>(null);
  // What was checked is what is imported: another file, mapping or policy is checked anew.
  const of = useMemo(() => ({ entity, errorPolicy, file, columns }), [entity, errorPolicy, file, columns]);
  const outcome = found?.of === of ? found.outcome : null;
  const { run, busy, problems, clear } = useAction(BulkImportDocument);
  const reset = () => {
    setFound(null);
    clear();
  };
  const choose = async (next: File | null) => {
    reset();
    chosen.current = next;
    const header = next ? await headerOf(next) : [];
    if (chosen.current !== next) return; // another one was chosen meanwhile
    setFile(next);
    setColumns(Object.fromEntries(header.map((name) => [name, name])));
  };
  const send = async (dryRun: boolean) => {
    const renamed = Object.entries(columns).flatMap(([header, column]) => (column && column !== header ? [{ header, column }] : []));
    const left = Object.keys(columns).filter((header) => !columns[header]);
    const answer = await run({ input: { entity, file: file!, errorPolicy, initiator, headers: renamed.length ? renamed : null, skipColumns: left.length ? left : null }, dryRun });
    if (answer) setFound({ of, outcome: answer.bulkImport });
  };
  const checked = outcome && !outcome.applied;
  return (
    <Page title="Files">
      <Stack gap="sm" maw={900}>
        <Part title="Import">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <Select label="Rows are" data={entities.map((e) => ({ value: e, label: words(e) }))} value={entity} onChange={(e) => e && (reset(), setEntity(e as BulkEntity))} allowDeselect={false} />
            <FileInput label="File" placeholder="CSV or JSON lines" accept=".csv,.jsonl" value={file} onChange={(f) => void choose(f)} clearable clearButtonProps={{ "aria-label": "Take another file" }} />
            <Select label="Rows that are wrong" data={policies} value={errorPolicy} onChange={(p) => p && (reset(), setPolicy(p as BulkErrorPolicy))} allowDeselect={false} />
          </SimpleGrid>
          {file === null && (
            <Text size="sm" c="dimmed" mt="sm">
              Choose a file whose first line names the columns. It is checked row by row, and nothing of it is written before you say so.
            </Text>
          )}
        </Part>
        {Object.keys(columns).length > 0 && <Mapping columns={columns} onChange={(next) => (reset(), setColumns(next))} />}
        <Group>
          <Button size="xs" variant={checked ? "default" : "filled"} disabled={!file} loading={busy} onClick={() => void send(true)}>
            Check
          </Button>
          {checked && (outcome.rejectedCount === 0 || errorPolicy === "REJECT_FAILED_ROWS") && outcome.acceptedCount > 0 && (
            <Button size="xs" loading={busy} onClick={() => void send(false)}>
              Import {count(outcome.acceptedCount, "row")}
            </Button>
          )}
        </Group>
        <Problems problems={problems} />
        {outcome && <Result outcome={outcome} />}
      </Stack>
    </Page>
  );
}

function Mapping({ columns, onChange }: { columns: Record<string, string>; onChange: (columns: Record<string, string>) => void }) {
  return (
    <Part title="Columns of the file">
      <Text size="sm" mb="xs">
        Where the file names a column otherwise, say what it is. Clear a column to leave it out.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs">
        {Object.entries(columns).map(([header, column]) => (
          <TextInput key={header} size="xs" label={header} value={column} onChange={(e) => onChange({ ...columns, [header]: e.currentTarget.value })} />
        ))}
      </SimpleGrid>
    </Part>
  );
}

const rowsAre = (n: number) => `${count(n, "row")} ${n === 1 ? "is" : "are"}`;

function Result({ outcome }: { outcome: Outcome }) {
  return (
    <Part title={outcome.applied ? "Imported" : "What would be imported"}>
      <Alert color={outcome.rejectedCount > 0 ? "yellow" : "green"} variant="outline" role="status">
        {rowsAre(outcome.acceptedCount)} good: {outcome.createdCount} new, {outcome.updatedCount} changed, {outcome.unchangedCount} as before. {rowsAre(outcome.rejectedCount)} wrong.
      </Alert>
      {outcome.rows.length > 0 && (
        <Table.ScrollContainer minWidth={400} mah={400} type="native" tabIndex={0} role="region" aria-label="Rows that are wrong">
          <Table fz="sm" verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Row</Table.Th>
                <Table.Th>Key</Table.Th>
                <Table.Th>What is wrong</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {outcome.rows.map((row) => (
                <Table.Tr key={row.rowNumber}>
                  <Table.Td>{row.rowNumber}</Table.Td>
                  <Table.Td>{row.key}</Table.Td>
                  <Table.Td>{row.userErrors.map((e) => `${e.message}${e.field?.length ? ` (${e.field.join(".")})` : ""}`).join("; ")}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Part>
  );
}
