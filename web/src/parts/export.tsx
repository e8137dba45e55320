import { Button, Group, Menu, Progress, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useCallback, useRef, useState } from "react";
import { useLive } from "../app/context";
import { ExportCreateDocument, ExportDeleteDocument, type ExportFormat, type ExportCreateInput, type ExportStateFragment, ExportUpdatedDocument } from "../gql";
import { download } from "./download";

const ended = (e: ExportStateFragment) => e.status !== "QUEUED" && e.status !== "RUNNING";

/** Writes an export on the server and fetches its file, showing how far it has come. */
function useExport(name: string) {
  const client = useLive();
  const [state, setState] = useState<ExportStateFragment | null>(null);
  const [problem, setProblem] = useState("");
  const following = useRef<{ unsubscribe: () => void }>(undefined);
  const start = useCallback(
    async (input: ExportCreateInput) => {
      setProblem("");
      const { data, error } = await client.mutation(ExportCreateDocument, { input }).toPromise();
      const made = data?.exportCreate.export;
      if (!made) return setProblem(error?.message ?? data?.exportCreate.userErrors[0]?.message ?? "The export was refused.");
      setState(made);
      const subscription = client.subscription(ExportUpdatedDocument, { id: made.id }).subscribe((result) => {
        const now = result.data?.exportUpdated;
        if (result.error) setProblem(result.error.message);
        if (now) setState(now);
        if (now ? !ended(now) : !result.error) return;
        queueMicrotask(() => subscription.unsubscribe());
        setState(null);
        if (!now) return;
        if (now.status === "COMPLETED" && now.downloadUrl) void fetchFile(now.downloadUrl, `${name}.${input.format.toLowerCase()}`).catch((e: Error) => setProblem(e.message));
        else setProblem(now.error ?? "The export failed.");
      });
      following.current = subscription;
    },
    [client, name],
  );
  const stop = async () => {
    if (!state) return;
    const { error } = await client.mutation(ExportDeleteDocument, { id: state.id }).toPromise();
    if (error) return setProblem(error.message);
    following.current?.unsubscribe();
    setState(null);
  };
  return { state, problem, start, stop };
}

async function fetchFile(url: string, name: string) {
  // The address names the server as its operator does; this page knows it by its own name.
  const { pathname } = new URL(url);
  const response = await fetch(pathname, { credentials: "same-origin", headers: { "X-Upline-Request": "workbench" } });
  if (!response.ok) throw new Error(`The file could not be fetched (${response.status}).`);
  download(await response.blob(), name);
}

/** A menu of the formats in which what is shown can be had as a file. */
export function ExportMenu({ name, input, label = "Export" }: { name: string; input: Omit<ExportCreateInput, "format">; label?: string }) {
  const { state, problem, start, stop } = useExport(name);
  const formats: ExportFormat[] = ["CSV", "XLSX"];
  return (
    <Group gap="xs" aria-live="polite">
      {state && (
        <Group gap={6}>
          <Progress value={state.rowTotal ? (100 * (state.rowCount ?? 0)) / state.rowTotal : 0} w={80} aria-label="Progress of the export" animated />
          <Text size="xs">{state.rowCount ?? 0} rows</Text>
          <Button size="compact-xs" variant="subtle" onClick={() => void stop()}>
            Stop
          </Button>
        </Group>
      )}
      {problem && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconDownload size={15} />} disabled={state !== null}>
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {formats.map((format) => (
            <Menu.Item key={format} onClick={() => void start({ ...input, format })}>
              {format}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
