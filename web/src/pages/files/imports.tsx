import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useClient } from "urql";
import { useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { BulkImportLeftDocument, BulkImportsDocument, type BulkImportsQuery, ChangesDocument } from "../../gql";
import { Dialog } from "../../parts/dialog";
import { Part } from "../../parts/facts";
import { writesOf } from "../../parts/feed";
import { count, formatInstant } from "../../parts/format";
import { Pager, usePages } from "../../parts/pager";
import { People } from "../../parts/people";
import { Keep } from "../../parts/presets";
import { Rows } from "../../parts/rows";
import { codesIn, Sentence } from "../../parts/sentence";
import { Failure, Loading, Nothing } from "../../parts/states";
import { Undo } from "../../parts/undo";
import { words } from "../../parts/words";
import { mappingOf } from "./mapping";
import { rejectedFile } from "./outcome";

type Done = BulkImportsQuery["bulkImports"]["edges"][number]["node"];

const each = 10;
const button = { size: "compact-xs", variant: "subtle" } as const;

/** Imports that were made: by whom, of which file, what became of the rows, and the way back. */
export function Imports() {
  const pages = usePages();
  const mayRead = useMay("read:agents");
  const client = useClient();
  const { data, error } = useAnswer(BulkImportsDocument, { first: each, after: pages.after });
  const [opened, setOpened] = useState<{ what: "changes" | "undo" | "mapping"; of: Done } | null>(null);
  const [failed, setFailed] = useState("");
  const close = () => setOpened(null);
  const edges = data?.bulkImports.edges ?? [];
  const saveLeft = async (i: number) => {
    const after = i > 0 ? edges[i - 1]!.cursor : pages.after;
    const rows: { cells: string[]; said: string[] }[] = [];
    for (let last = 0; ; ) {
      const { data: answer, error: wrong } = await client.query(BulkImportLeftDocument, { after, afterRow: last }, { requestPolicy: "network-only" }).toPromise();
      const of = answer?.bulkImports.nodes[0];
      if (!of || of.key !== edges[i]!.node.key) return setFailed(wrong?.message ?? "Imports were made meanwhile: look at the list again.");
      if (of.left.length === 0) return rejectedFile(of.headers, rows, (text) => text);
      rows.push(...of.left);
      last = of.left.at(-1)!.rowNumber;
    }
  };
  const actions = (of: Done, i: number) => (
    <Group gap={2}>
      {mayRead && of.sequence && (
        <Button {...button} aria-label={`Changes: ${nameOf(of)}`} onClick={() => setOpened({ what: "changes", of })}>
          Changes
        </Button>
      )}
      {of.rejectedCount > 0 && (
        <Button {...button} aria-label={`Rows left out: ${nameOf(of)}`} onClick={() => void saveLeft(i)}>
          Rows left out
        </Button>
      )}
      {of.mapping !== null && (
        <Button {...button} aria-label={`Keep its mapping: ${nameOf(of)}`} onClick={() => setOpened({ what: "mapping", of })}>
          Keep its mapping
        </Button>
      )}
      {mayRead && of.sequence && (
        <Button {...button} aria-label={`Take back: ${nameOf(of)}`} onClick={() => setOpened({ what: "undo", of })}>
          Take back
        </Button>
      )}
    </Group>
  );
  return (
    <Part title="Imports">
      {error && <Failure error={error} />}
      {!error && !data && <Loading what="the imports" />}
      {data && edges.length === 0 && <Nothing>Nothing was imported yet.</Nothing>}
      {failed && (
        <Text size="sm" role="alert">
          {failed}
        </Text>
      )}
      {edges.length > 0 && <Rows label="Imports" head={["When", "By", "File", "Rows are", "What became of them", "What can be done"]} rows={edges.map(({ node }, i) => ({ key: node.key, cells: [formatInstant(node.startedAt), <span key="by" data-own>{node.initiator}</span>, <span key="file" data-own>{nameOf(node)}</span>, words(node.entity), becameOf(node), actions(node, i)] }))} />}
      <Pager pages={pages} info={data?.bulkImports.pageInfo} />
      {opened?.what === "changes" && <Changes of={opened.of} onClose={close} />}
      {opened?.what === "undo" && <Undo of={{ sequence: opened.of.sequence! }} onClose={close} />}
      {opened?.what === "mapping" && <Keep kind="FILE_MAPPING" subject={opened.of.entity ?? ""} word="mapping" content={mappingOf(opened.of.mapping)} presets={[]} onClose={close} />}
    </Part>
  );
}

const nameOf = (of: Done) => of.fileName ?? "a file";

function becameOf(of: Done) {
  const parts = [`${of.createdCount} new`, `${of.updatedCount} changed`, `${of.unchangedCount} as before`, ...(of.rejectedCount > 0 ? [`${count(of.rejectedCount, "row")} left out`] : [])];
  return `${parts.join(", ")}${of.source ? `; compared with ${of.source}` : ""}${of.finishedAt ? "" : "; not finished"}`;
}

/** What an import changed. */
function Changes({ of, onClose }: { of: Done; onClose: () => void }) {
  const pages = usePages();
  const { data, error } = useAnswer(ChangesDocument, { filter: { sequence: of.sequence }, first: 60, after: pages.after });
  const changes = data?.changes.nodes ?? [];
  return (
    <Dialog title={`What ${nameOf(of)} changed`} onClose={onClose} size="xl">
      {error && <Failure error={error} />}
      {!error && !data && <Loading what="the changes" />}
      <People codes={codesIn(changes)}>
        <ul className="feed" aria-label="Changes">
          {writesOf(changes).map((write) => (
            <li key={`${write[0]!.sequence} ${write[0]!.entityKey}`}>
              <Sentence changes={write} />
            </li>
          ))}
        </ul>
      </People>
      <Pager pages={pages} info={data?.changes.pageInfo} />
    </Dialog>
  );
}
