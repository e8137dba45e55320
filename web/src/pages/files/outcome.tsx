import { Alert, Button, Checkbox, Group, Table, Text, TextInput } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import type { BulkDifference, BulkImportMutation } from "../../gql";
import { csv, download } from "../../parts/download";
import { Part } from "../../parts/facts";
import { count, formatNumber } from "../../parts/format";
import { OldAndNew } from "../../parts/sentence";
import { fieldOf } from "../../parts/words";

export type Outcome = BulkImportMutation["bulkImport"];

const rowsAre = (n: number) => `${count(n, "row")} ${n === 1 ? "is" : "are"}`;

/** What a check or an import found, in words: a file that is rejected has good rows, too. */
function verdictOf({ acceptedCount, rejectedCount, createdCount, updatedCount, unchangedCount }: Outcome, total: number) {
  if (acceptedCount > 0 || rejectedCount === 0) return `${rowsAre(acceptedCount)} good: ${createdCount} new, ${updatedCount} changed, ${unchangedCount} as before. ${rowsAre(rejectedCount)} wrong.`;
  const others = total === rejectedCount ? "" : ` The other ${rowsAre(total - rejectedCount)} left out with ${rejectedCount === 1 ? "it" : "them"}.`;
  return `${rowsAre(rejectedCount)} wrong, of ${formatNumber(total)}: nothing is imported.${others}`;
}
/** The head of the column that an import leaves out. */
const whatIsWrong = "What is wrong";

/** Rows that are wrong as a file of the same layout, to be mended and brought in again. */
export function rejectedFile(headers: string[], rows: { cells: string[]; said: string[] }[], say: (text: string) => string) {
  const heads = headers.filter((h) => h !== whatIsWrong);
  download(csv([...heads, whatIsWrong], rows.map((row) => [...heads.map((h) => row.cells[headers.indexOf(h)] ?? ""), say(row.said.join("; "))])), "rejected-rows.csv");
}

const differences: Record<BulkDifference, string> = {
  MISSING_HERE: "Missing here",
  MISSING_THERE: "Missing there: it ends",
  OTHER_STATUS: "Other status",
  OTHER_DAYS: "Other days",
  OTHER_DETAILS: "Other details",
};

interface OutcomeProps {
  outcome: Outcome;
  total: number;
  /** The rows of a comparison that are to be accepted. */
  chosen: number[];
  onChoose: (rows: number[]) => void;
  /** Puts what the server says into the words of the office. */
  say: (text: string) => string;
  /** The header of a column of the file; undefined for one that it does not have. */
  headOf: (column: string) => string | undefined;
  /** What cells were mended, by row and header. */
  mended: Record<number, Record<string, string>>;
  onMend: (row: number, header: string, value: string) => void;
}

/** What became of the rows, or would; those that are wrong can be had as a file, to be mended and sent again. */
export function OutcomePart({ outcome, total, say, headOf, mended, onMend, ...choice }: OutcomeProps) {
  const problemOf = (row: Outcome["rows"][number]) => say(row.said.join("; "));
  const { rows, rejectedCount } = outcome;
  const heads = outcome.headers;
  const save = () => rejectedFile(heads, rows, say);
  return (
    <Part
      title={outcome.applied ? "Imported" : "What would be imported"}
      actions={
        rows.some((row) => row.cells.length > 0) && (
          <Button size="xs" variant="default" leftSection={<IconDownload size={15} />} onClick={save}>
            {rows.length === rejectedCount ? "Rows that are wrong, as CSV" : `The first ${rows.length} rows that are wrong, as CSV`}
          </Button>
        )
      }
    >
      <Alert color={rejectedCount > 0 ? "yellow" : "green"} variant="outline" role="status">
        {verdictOf(outcome, total)}
      </Alert>
      {outcome.remarks.map((r) => (
        <Text size="sm" c="dimmed" key={r.message}>
          {say(r.message)}
          {r.rowCount > 0 && ` (${count(r.rowCount, "line")}: ${r.rowNumbers.join(", ")}${r.rowCount > r.rowNumbers.length ? ", …" : ""})`}
        </Text>
      ))}
      <Changes outcome={outcome} say={say} {...choice} />
      {rows.length > 0 && (
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
              {rows.map((row) => (
                <Table.Tr key={row.rowNumber}>
                  <Table.Td>{row.rowNumber}</Table.Td>
                  <Table.Td>{row.key}</Table.Td>
                  <Table.Td>
                    {problemOf(row)}
                    {!outcome.applied && (
                      <Group gap="xs" mt={2}>
                        {wrongHeads(row, headOf).map((head) => (
                          <Cell key={head} head={head} row={row.rowNumber} value={mended[row.rowNumber]?.[head] ?? row.cells[heads.indexOf(head)] ?? ""} onMend={(value) => onMend(row.rowNumber, head, value)} />
                        ))}
                      </Group>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Part>
  );
}

/** The heads of the cells in which something is wrong with a row. */
const wrongHeads = (row: Outcome["rows"][number], headOf: OutcomeProps["headOf"]) => [...new Set(row.userErrors.flatMap(({ field }) => headOf((field ?? []).join(".")) ?? []))];

/** A cell that can be typed over; it counts when it is left, or with Enter. */
function Cell({ head, row, value, onMend }: { head: string; row: number; value: string; onMend: (value: string) => void }) {
  const [text, setText] = useState(value);
  const done = () => text !== value && onMend(text);
  return <TextInput size="xs" label={<span data-own>{head}</span>} aria-label={`${head}, row ${row}`} value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={done} onKeyDown={(e) => e.key === "Enter" && done()} />;
}

/** What the rows would make or change, one by one. */
function Changes({ outcome: { changes, createdCount, updatedCount, applied }, chosen, onChoose, say }: Pick<OutcomeProps, "outcome" | "chosen" | "onChoose" | "say">) {
  if (changes.length === 0) return null;
  const more = createdCount + updatedCount - changes.length;
  return (
    <Table.ScrollContainer minWidth={400} mah={400} type="native" tabIndex={0} role="region" aria-label="Rows that are new or changed">
      <Table fz="sm" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Row</Table.Th>
            <Table.Th>Key</Table.Th>
            <Table.Th>What it would do</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((row) => (
            <Table.Tr key={row.rowNumber}>
              <Table.Td>
                {row.difference && !applied ? (
                  <Checkbox
                    size="xs"
                    label={row.difference === "MISSING_THERE" ? "Not in the file" : row.rowNumber}
                    aria-label={`Accept ${row.key}, ${differences[row.difference]}`}
                    checked={chosen.includes(row.rowNumber)}
                    onChange={(e) => onChoose(e.currentTarget.checked ? [...chosen, row.rowNumber] : chosen.filter((n) => n !== row.rowNumber))}
                  />
                ) : (
                  row.rowNumber
                )}
              </Table.Td>
              <Table.Td>{row.key}</Table.Td>
              <Table.Td>
                {row.difference && (
                  <Text size="sm" fw={600}>
                    {differences[row.difference]}
                  </Text>
                )}
                {row.isNew && !row.difference && <Text size="sm">New</Text>}
                {row.notes.map((note) => (
                  <Text size="sm" fw={600} key={note}>
                    {say(note)}
                  </Text>
                ))}
                {row.values.map((v, i) => (
                  <Text size="sm" key={i}>
                    {fieldOf(v.field)}: <OldAndNew field={v.field} values={[v]} />
                  </Text>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {more > 0 && (
        <Text size="sm" c="dimmed">
          {count(more, "more row")} would be new or changed.
        </Text>
      )}
    </Table.ScrollContainer>
  );
}
