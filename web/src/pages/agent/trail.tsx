import { Tabs } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "../../api/answer";
import { AgentTrailDocument, type AgentTrailQuery } from "../../gql";
import { callerOf, formatInstant, words } from "../../parts/format";
import { Part } from "../../parts/facts";
import { Rows } from "../../parts/rows";
import { Failure, Loading, Nothing } from "../../parts/states";

const most = 50;

/** What happened to an agent: the events that were pushed, and who did what. Read when it is asked for. */
export function Trail({ code }: { code: string }) {
  const [tab, setTab] = useState<string | null>(null);
  const { data, error, loading } = useAnswer(AgentTrailDocument, { code, most }, tab === null);
  return (
    <Part title="What happened">
      <Tabs value={tab} onChange={setTab} allowTabDeactivation>
        <Tabs.List>
          <Tabs.Tab value="audit">Audit trail</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
        </Tabs.List>
        {error && <Failure error={error} />}
        {loading && <Loading what="what happened" />}
        {(tab === "audit" ? data?.agent?.auditLog.nodes : data?.events.nodes)?.length === most && <small>The last {most}; there may be more.</small>}
        <Tabs.Panel value="audit">{data && <Audited entries={data.agent?.auditLog.nodes ?? []} />}</Tabs.Panel>
        <Tabs.Panel value="events">{data && <Happened events={data.events.nodes} />}</Tabs.Panel>
      </Tabs>
    </Part>
  );
}

type Answer = AgentTrailQuery;

function Audited({ entries }: { entries: NonNullable<Answer["agent"]>["auditLog"]["nodes"] }) {
  if (entries.length === 0) return <Nothing>Nothing is recorded.</Nothing>;
  const rows = entries.map((e) => ({ key: e.id, cells: [formatInstant(e.at), e.kind === "REVEAL" ? `Revealed (${e.operation})` : e.operation, e.changes.map((c) => c.field).join(", "), e.initiator, callerOf(e), words(e.surface)] }));
  return <Rows label="Audit trail of the agent" head={["When", "What", "Fields", "By", "Called by", "Through"]} rows={rows} width={400} />;
}

function Happened({ events }: { events: Answer["events"]["nodes"] }) {
  if (events.length === 0) return <Nothing>Nothing is recorded.</Nothing>;
  const rows = events.map((e) => ({ key: e.id, cells: [formatInstant(e.occurredAt), e.type.split(".").pop(), e.initiator ?? "the service"] }));
  return <Rows label="Events of the agent" head={["When", "Event", "By"]} rows={rows} width={400} />;
}
