import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { csv, download } from "./download";
import type { SheetKind } from "./xlsx";

/** The rows that were read of a list. */
export interface Listed<R> {
  rows: R[];
  /** How many rows there are in all; null when there are more than these, and nobody counted. */
  total: number | null;
  /** Reads the rows behind these. */
  readOn?: (rows: R[]) => Promise<R[]>;
}

/** All rows of a list, as far as they can be read. */
export async function readAll<R>(list: Listed<R>): Promise<R[]> {
  const rows = [...list.rows];
  while (list.readOn && list.total !== null && rows.length < list.total) {
    const more = await list.readOn(rows);
    if (more.length === 0) break;
    rows.push(...more);
  }
  return rows;
}

interface SaveProps {
  header: string[];
  /** How the columns are written into a workbook, which there is only with them. */
  kinds?: SheetKind[];
  /** Reads the rows, and names the file. */
  read: () => Promise<{ rows: unknown[][]; name: string }>;
  /** What the button says of a file that is not whole. */
  part?: string;
}

/** Saves a table as a file, once all of it is read. */
export function SaveCSV({ header, kinds, read, part = "" }: SaveProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const save = async (form: "csv" | "xlsx") => {
    setBusy(true);
    setProblem("");
    try {
      const { rows, name } = await read();
      download(form === "csv" ? csv(header, rows, kinds) : (await import("./xlsx")).xlsx(header, kinds!, rows), `${name}.${form}`);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <Stack gap={4} align="flex-end" style={{ flexShrink: 0 }}>
      <Group gap="xs">
        {(["csv", ...(kinds ? (["xlsx"] as const) : [])] as const).map((form) => (
          <Button key={form} size="xs" variant="default" leftSection={<IconDownload size={15} />} loading={busy} onClick={() => void save(form)}>
            {`${form.toUpperCase()}${part}`}
          </Button>
        ))}
      </Group>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          The file could not be made: {problem}
        </Text>
      )}
    </Stack>
  );
}
