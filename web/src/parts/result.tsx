import { Button, Group, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { Cell } from "./cell";
import { csv, download } from "./download";
import { count, formatNumber } from "./format";
import { Loading } from "./states";

export interface ResultColumn {
  key: string;
  label: string;
  /** text, date, integer, decimal, boolean. */
  type: string;
}

export interface Result {
  columns: ResultColumn[];
  rows: Record<string, unknown>[];
  total: number;
}

const Chart = lazy(() => import("./plot").then((m) => ({ default: m.ResultChart })));

export const isNumber = (c: ResultColumn) => c.type === "integer" || c.type === "decimal" || c.type === "money" || c.type === "percent";
const kindOf = (c: ResultColumn) => (c.key === "agentCode" ? "agent" : c.type === "date" ? "day" : c.type === "boolean" ? "flag" : undefined);

/** A result as a table, a chart, or a file. */
export function ResultView({ result, name }: { result: Result; name: string }) {
  const [form, setForm] = useState("table");
  const charted = result.columns.some(isNumber) && result.columns.some((c) => !isNumber(c));
  const save = () => download(csv(result.columns.map((c) => c.key), result.rows.map((row) => result.columns.map((c) => row[c.key]))), `${name}.csv`);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {result.rows.length < result.total ? `The first ${formatNumber(result.rows.length)} of ${formatNumber(result.total)} rows` : count(result.total, "row")}
        </Text>
        <Group gap="xs">
          {charted && <SegmentedControl size="xs" value={form} onChange={setForm} data={[{ value: "table", label: "Table" }, { value: "chart", label: "Chart" }]} aria-label="Form" />}
          <Button size="xs" variant="default" leftSection={<IconDownload size={15} />} onClick={save}>
            CSV
          </Button>
        </Group>
      </Group>
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
