import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** A small table: its heads, and for each row a key and its cells. */
export function Rows({ label, head, rows, width = 640 }: { label: string; head: string[]; rows: { key: string; cells: ReactNode[] }[]; width?: number }) {
  return (
    <Table.ScrollContainer minWidth={width} type="native" tabIndex={0} role="region" aria-label={label}>
      <Table fz="sm" verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            {head.map((h) => (
              <Table.Th key={h}>{h}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              {row.cells.map((cell, i) => (
                <Table.Td key={i}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
