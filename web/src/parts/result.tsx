import { Button, Group, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { Cell, type Kind } from "./cell";
import { csv, download } from "./download";
import { count, formatNumber } from "./format";
import { Loading } from "./states";

export interface ResultColumn {
  key: string;
  label: string;
  /** text, date, dateTime, integer, decimal, boolean. */
  type: string;
}

export interface Result {
  columns: ResultColumn[];
  rows: Record<string, unknown>[];
  /** How many rows there are in all; null when there are more than these, and nobody counted. */
  total: number | null;
  /** Reads the rows from one on, for a file of all of them. */
  readFrom?: (row: number) => Promise<Record<string, unknown>[]>;
}

const Chart = lazy(() => import("./plot").then((m) => ({ default: m.ResultChart })));

export const isNumber = (c: ResultColumn) => c.type === "integer" || c.type === "decimal" || c.type === "money" || c.type === "percent";
/** A number that says how much: not one that is a name, a place in an order or a step of a ladder. */
export const isMeasure = (c: ResultColumn) => isNumber(c) && !/(^|\.)(id|rank|level|sequence)$|(Id|Rank|Level)$|level\.value$/.test(c.key);
const kinds: Record<string, Kind> = { date: "day", dateTime: "instant", boolean: "flag" };
const kindOf = (c: ResultColumn) => (c.key === "agentCode" ? "agent" : kinds[c.type]);

const howMany = ({ rows, total }: Result) => (rows.length === total ? count(total, "row") : total === null ? `The first ${count(rows.length, "row")}; there are more` : `The first ${formatNumber(rows.length)} of ${count(total, "row")}`);

/** All rows of a result, as far as they can be read. */
async function readAll(result: Result): Promise<Result["rows"]> {
  const rows = [...result.rows];
  while (result.readFrom && result.total !== null && rows.length < result.total) {
    const more = await result.readFrom(rows.length);
    if (more.length === 0) break;
    rows.push(...more);
  }
  return rows;
}

/** A result as a table, a chart, or a file. */
export function ResultView({ result, name }: { result: Result; name: string }) {
  const [form, setForm] = useState("table");
  const charted = result.columns.some(isMeasure) && result.columns.some((c) => !isNumber(c));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const isWhole = result.rows.length === result.total || (result.readFrom !== undefined && result.total !== null);
  // A file is whole, or its name and its button say that it is not.
  const save = async () => {
    setBusy(true);
    setProblem("");
    try {
      const rows = await readAll(result);
      download(csv(result.columns.map((c) => c.key), rows.map((row) => result.columns.map((c) => row[c.key]))), rows.length === result.total ? `${name}.csv` : `${name}-first-${rows.length}${result.total === null ? "" : `-of-${result.total}`}.csv`);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {howMany(result)}
        </Text>
        <Group gap="xs">
          {charted && <SegmentedControl size="xs" value={form} onChange={setForm} data={[{ value: "table", label: "Table" }, { value: "chart", label: "Chart" }]} aria-label="Form" />}
          <Button size="xs" variant="default" leftSection={<IconDownload size={15} />} loading={busy} onClick={() => void save()}>
            {isWhole ? "CSV" : `CSV of the first ${count(result.rows.length, "row")}`}
          </Button>
        </Group>
      </Group>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          The file could not be made: {problem}
        </Text>
      )}
      {form === "chart" && charted ? (
        <Suspense fallback={<Loading what="the chart" />}>
          <Chart result={result} />
        </Suspense>
      ) : (
        <ResultTable result={result} />
      )}
    </Stack>
  );
}

function ResultTable({ result }: { result: Result }) {
  return (
    <Table.ScrollContainer minWidth={Math.min(900, result.columns.length * 110)} mah="65vh" type="native" tabIndex={0} aria-label="Rows" role="region">
      <Table striped stickyHeader fz="sm" verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            {result.columns.map((c) => (
              <Table.Th key={c.key} className={isNumber(c) ? "number" : undefined}>
                {c.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {result.rows.map((row, i) => (
            <Table.Tr key={i}>
              {result.columns.map((c) => (
                <Table.Td key={c.key} className={isNumber(c) ? "number" : undefined}>
                  <Cell value={row[c.key]} kind={kindOf(c)} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
