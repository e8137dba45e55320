import { Group, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useLive, useMay } from "../app/context";
import { ReferenceDocument, type ReferenceQuery } from "../gql";
import { Cell, type Kind } from "./cell";
import { type Listed, readAll, SaveCSV } from "./csv";
import { count, formatNumber } from "./format";
import { Loading } from "./states";
import { didOf, fieldOf, objectOf, shownOf } from "./words";

export interface ResultColumn {
  key: string;
  label: string;
  /** text, date, dateTime, integer, decimal, boolean. */
  type: string;
  /** A hint for showing it, such as percent. */
  format?: string | null;
  /** Whether it is the number that a chart shows first. */
  isMeasure?: boolean;
}

export interface Result extends Listed<Record<string, unknown>> {
  columns: ResultColumn[];
  /** Reads all rows of as many days right before, where it is of a range of days. */
  readBefore?: () => Promise<Record<string, unknown>[]>;
}

const Chart = lazy(() => import("./plot").then((m) => ({ default: m.ResultChart })));

export const isNumber = (c: ResultColumn) => c.type === "integer" || c.type === "decimal" || c.type === "money" || c.type === "percent";
/** A number that says how much: not one that is a name, a place in an order or a step of a ladder. */
export const isMeasure = (c: ResultColumn) => isNumber(c) && !/(^|\.)(id|rank|level|sequence)$|(Id|Rank|Level)$|level\.value$/.test(c.key);
const kinds: Record<string, Kind> = { date: "day", dateTime: "instant", boolean: "flag", percent: "percent", currency: "decimal" };
/** How a column is written: by its hint, a number that says how much with separators. */
const kindOf = (c: ResultColumn): Kind | undefined => (c.key === "agentCode" ? "agent" : (kinds[c.format ?? ""] ?? kinds[c.type] ?? (!isMeasure(c) ? undefined : c.type === "integer" ? "number" : "decimal")));
const sheetKindOf = (c: ResultColumn) => (isNumber(c) ? "number" : c.type === "date" ? "day" : "text");

/** How many rows are shown, and of how many. */
export const howMany = ({ rows, total }: Result) => (rows.length === total ? count(total, "row") : total === null ? `The first ${count(rows.length, "row")}; there are more` : `The first ${formatNumber(rows.length)} of ${count(total, "row")}`);

/** Columns whose values are codes of the agency's own, which have names. */
const isCoded = (c: ResultColumn) => /(^|[.A-Z]|\b)(type|certificationType|providerCompany|company|product)(Code)?$/i.test(c.key);

/** What is the value of a column in words: of the trail, too, which has names of the API. */
function wordOf(c: ResultColumn, text: string, names: ReadonlyMap<string, string>): string {
  if (/(^|\.)operation$/.test(c.key)) return didOf(text);
  if (/(^|\.)entityType$/.test(c.key)) return objectOf(text);
  if (/(^|\.)fields?$/.test(c.key)) return text.split(", ").map(fieldOf).join("; ");
  return (isCoded(c) && names.get(text)) || shownOf(text);
}

/** A result as people read it: values in words, and codes of types, companies and products by their names. */
export function useWorded(result: Result): Result {
  const coded = result.columns.filter(isCoded);
  const isAsked = useMay("read:agents") && coded.length > 0;
  const live = useLive();
  const [data, setData] = useState<ReferenceQuery>();
  // Names are asked for once: what a change of records reads anew does not change them.
  useEffect(() => {
    if (isAsked) void live.query(ReferenceDocument, {}).toPromise().then((answer) => setData(answer.data));
  }, [live, isAsked]);
  return useMemo(() => {
    const names = new Map([...(data?.certificationTypes ?? []), ...(data?.providerCompanies ?? [])].map((one) => [one.code, one.name]));
    const word = (rows: Result["rows"]) => rows.map((row) => ({ ...row, ...Object.fromEntries(result.columns.filter((c) => typeof row[c.key] === "string").map((c) => [c.key, wordOf(c, row[c.key] as string, names)])) }));
    const { readOn } = result;
    // What a heading adds after a semicolon is for programs.
    return { ...result, columns: result.columns.map((c) => ({ ...c, label: c.label.replace(/; .*$/, "") })), rows: word(result.rows), ...(readOn && { readOn: async (rows: Result["rows"]) => word(await readOn(rows)) }) };
  }, [result, data]);
}

/** A result as a table, a chart, or a file. */
export function ResultView({ result, name }: { result: Result; name: string }) {
  const worded = useWorded(result);
  const charted = result.columns.some((c) => !isNumber(c));
  const [chosen, setForm] = useState<string | null>(null);
  const form = chosen ?? (charted && result.columns.some((c) => c.isMeasure) ? "chart" : "table");
  const isWhole = result.rows.length === result.total || (result.readOn !== undefined && result.total !== null);
  // A file is whole, or its name and its button say that it is not.
  const read = async () => {
    const rows = await readAll(result);
    const isPart = rows.length !== result.total;
    return { rows: rows.map((row) => result.columns.map((c) => row[c.key])), name: isPart ? `${name}-first-${rows.length}${result.total === null ? "" : `-of-${result.total}`}` : name };
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {howMany(result)}
        </Text>
        <Group gap="xs">
          {charted && <SegmentedControl size="xs" value={form} onChange={setForm} data={[{ value: "table", label: "Table" }, { value: "chart", label: "Chart" }]} aria-label="Form" />}
          <SaveCSV header={worded.columns.map((c) => c.label)} kinds={result.columns.map(sheetKindOf)} read={read} part={isWhole ? "" : ` of the first ${count(result.rows.length, "row")}`} />
        </Group>
      </Group>
      {form === "chart" && charted ? (
        <Suspense fallback={<Loading what="the chart" />}>
          <Chart result={worded} />
        </Suspense>
      ) : (
        <ResultTable result={worded} />
      )}
    </Stack>
  );
}

/** Values as somebody typed them, before and after, and the keys of records: the words are the agency's own. */
const isTyped = (c: ResultColumn) => /(^|\.)(old|new|key|entityKey|values)\w*$/i.test(c.key);

/** The rows of a result as a table. */
export function ResultTable({ result }: { result: Result }) {
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
                <Table.Td key={c.key} className={isNumber(c) ? "number" : undefined} data-own={isTyped(c) || undefined}>
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
