import { Table, Tabs, Text } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "../../api/answer";
import { AgentTrailDocument } from "../../gql";
import { formatInstant, words } from "../../parts/format";
import { Part } from "../../parts/facts";
import { Failure, Loading } from "../../parts/states";

/** What happened to an agent: the events that were pushed, and who did what. Read when it is asked for. */
export function Trail({ code }: { code: string }) {
  const [tab, setTab] = useState<string | null>(null);
  const { data, error, loading } = useAnswer(AgentTrailDocument, { code }, tab === null);
  return (
    <Part title="What happened">
      <Tabs value={tab} onChange={setTab} allowTabDeactivation>
        <Tabs.List>
          <Tabs.Tab value="audit">Audit trail</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
        </Tabs.List>
        {error && <Failure error={error} />}
        {loading && <Loading what="what happened" />}
        <Tabs.Panel value="audit">
          {data && (
            <Rows
              head={["When", "What", "Fields", "By", "Through"]}
              rows={(data.agent?.auditLog.nodes ?? []).map((e) => [formatInstant(e.at), e.kind === "REVEAL" ? `Revealed (${e.operation})` : e.operation, e.changes.map((c) => c.field).join(", "), e.initiator || e.subject, words(e.surface)])}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="events">
          {data && <Rows head={["When", "Event", "By"]} rows={data.events.nodes.map((e) => [formatInstant(e.occurredAt), e.type.split(".").pop()!, e.initiator ?? "the service"])} />}
        </Tabs.Panel>
      </Tabs>
    </Part>
  );
}

function Rows({ head, rows }: { head: string[]; rows: string[][] }) {
  if (rows.length === 0) return <Text size="sm" p="sm">Nothing is recorded.</Text>;
  return (
    <Table.ScrollContainer minWidth={400} type="native">
      <Table fz="sm" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>{head.map((h) => <Table.Th key={h}>{h}</Table.Th>)}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, i) => (
            <Table.Tr key={i}>{row.map((cell, j) => <Table.Td key={j}>{cell}</Table.Td>)}</Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
