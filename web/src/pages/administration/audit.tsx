import { Group, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { type AuditFilter, AuditLogDocument } from "../../gql";
import { callerOf, formatInstant, words } from "../../parts/format";
import { Pager, usePages } from "../../parts/pager";
import { Rows } from "../../parts/rows";
import { Failure, Loading, Nothing } from "../../parts/states";
import { Check } from "./check";

/** Who changed or revealed what, newest first. */
export function Audit() {
  const mayCheck = useMay("read:clients");
  const [filter, setFilter] = useState<AuditFilter>({});
  const pages = usePages();
  const { data, error, loading } = useAnswer(AuditLogDocument, { filter, after: pages.after });
  const page = data?.auditLog;
  const change = (next: AuditFilter) => {
    pages.setCursors([]);
    setFilter(Object.fromEntries(Object.entries({ ...filter, ...next }).filter(([, v]) => v)));
  };
  return (
    <Stack gap="sm">
      {mayCheck && <Check />}
      <Group align="end" gap="xs">
        <Select size="xs" label="Kind" data={[{ value: "WRITE", label: "Changes" }, { value: "REVEAL", label: "Reveals" }]} value={filter.kind ?? null} onChange={(kind) => change({ kind: kind as AuditFilter["kind"] })} clearable />
        <Typed label="Type of object" onDone={(entityType) => change({ entityType })} />
        <Typed label="Object" onDone={(entityKey) => change({ entityKey })} />
        <Typed label="Initiator" onDone={(initiator) => change({ initiator })} />
      </Group>
      {error && <Failure error={error} />}
      {loading && <Loading what="the audit trail" />}
      {page && page.nodes.length === 0 && <Nothing>Nothing is recorded.</Nothing>}
      {page && page.nodes.length > 0 && (
        <Rows
          label="Audit trail"
          width={1000}
          head={["Number", "When", "What", "Object", "Fields", "By", "Called by", "Through"]}
          rows={page.nodes.map((e) => ({ key: e.id, cells: [e.sequence, <span key="at" className="instant">{formatInstant(e.at)}</span>, e.kind === "REVEAL" ? `Revealed (${e.operation})` : e.operation, `${e.entityType} ${e.entityKeys.slice(0, 3).join(", ")}`, e.changes.map((c) => c.field).join(", "), e.initiator, <span key="caller" className="instant">{callerOf(e)}</span>, words(e.surface)] }))}
        />
      )}
      <Pager pages={pages} info={page?.pageInfo} />
    </Stack>
  );
}

/** A text that counts when its field is left, or with Enter. */
function Typed({ label, onDone }: { label: string; onDone: (text: string) => void }) {
  const [text, setText] = useState("");
  return <TextInput size="xs" label={label} value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={() => onDone(text.trim())} onKeyDown={(e) => e.key === "Enter" && onDone(text.trim())} />;
}
