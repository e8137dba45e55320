import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useAnswer } from "../../api/answer";
import { AgentEventsDocument } from "../../gql";
import { Feed, Reveals } from "../../parts/feed";
import { formatInstant } from "../../parts/format";
import { Part } from "../../parts/facts";
import { Rows } from "../../parts/rows";
import { Failure, Loading, Nothing } from "../../parts/states";
import { eventOf } from "../../parts/words";

const most = 50;

/** What happened to an agent: who changed and revealed what, and the events that were pushed. Read when it is asked for. */
export function Trail({ code }: { code: string }) {
  const { what } = useSearch({ strict: false }) as { what?: string };
  const navigate = useNavigate();
  const of = { entityType: "Agent", entityKey: code };
  return (
    <Part title="What happened">
      <Tabs value={what ?? null} onChange={(to) => void navigate({ to: ".", replace: true, search: ((old: object) => ({ ...old, what: to ?? undefined })) as never })} allowTabDeactivation keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="changes">Changes</Tabs.Tab>
          <Tabs.Tab value="reveals">Reveals</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="changes">
          <Feed of={of} />
        </Tabs.Panel>
        <Tabs.Panel value="reveals">
          <Reveals of={of} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <Happened code={code} />
        </Tabs.Panel>
      </Tabs>
    </Part>
  );
}

function Happened({ code }: { code: string }) {
  const { data, error, loading } = useAnswer(AgentEventsDocument, { code, most });
  if (error) return <Failure error={error} />;
  if (loading || !data) return <Loading what="events" />;
  const events = data.events.nodes;
  if (events.length === 0) return <Nothing>Nothing is recorded.</Nothing>;
  const rows = events.map((e) => ({ key: e.id, cells: [formatInstant(e.occurredAt), eventOf(e.type), e.initiator ?? "the service"] }));
  return (
    <>
      {events.length === most && <small>The first {most}; there may be more.</small>}
      <Rows label="Events of the agent" head={["When", "Event", "By"]} rows={rows} width={400} />
    </>
  );
}
