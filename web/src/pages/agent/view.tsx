import { Button, SimpleGrid, Switch, Stack, Text } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer } from "../../api/answer";
import { useDay, useMay, useViewer } from "../../app/context";
import { AgentDeleteDocument, AgentDocument, type AgentQuery, ProductionRecordUpsertDocument } from "../../gql";
import { Part } from "../../parts/facts";
import { Form } from "../../parts/form/form";
import { formatNumber } from "../../parts/format";
import { LeftOut } from "../../parts/links";
import { type Item, More } from "../../parts/more";
import { Page } from "../../parts/page";
import { Failure, Loading, Nothing } from "../../parts/states";
import { Status } from "../../parts/status";
import { ChangePeriod } from "./change";
import { EndCertifications, lasting } from "./end";
import { Labels } from "./labels";
import { type Lane, lanesOf, type Span, type Subject } from "./lanes";
import { NewAgent } from "./new";
import { Payments } from "./payments";
import { Certifications, Contact, Identity, Payee, UplineChain, useMayChange } from "./parts";
import { useSuperseded } from "./superseded";
import { Timeline } from "./timeline";
import { Trail } from "./trail";
import { ChangeW9 } from "./w9";

/** The page of an agent, on the day. */
export function View() {
  const { code } = useParams({ strict: false }) as { code: string };
  const { onDate, asKnownAt } = useDay();
  const { data, error, loading } = useAnswer(AgentDocument, { code, onDate, asKnownAt, certificationPeriods: !asKnownAt, payments: useMay("write:production") });
  const agent = data?.agent;
  const { tenant } = useViewer();
  return (
    <Page
      title={agent ? `${agent.displayName} · ${agent.agentCode}` : code}
      actions={
        <>
          <Button size="xs" variant="default" component={Link} to={`/${tenant}/hierarchy?agent=${encodeURIComponent(code)}`}>
            Show in the hierarchy
          </Button>
          {agent && <Actions agent={agent} />}
        </>
      }
    >
      {error && <Failure error={error} />}
      {loading && <Loading what={code} />}
      {data && !agent && <Nothing>There is no agent {code}.</Nothing>}
      {data && agent && <AgentView key={agent.agentCode} answer={data} agent={agent} />}
    </Page>
  );
}

/** What can be done with an agent besides changing it. */
function Actions({ agent: a }: { agent: NonNullable<AgentQuery["agent"]> }) {
  const { tenant, isLimited } = useViewer();
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const mayDelete = useMay("delete:agents") && !isLimited;
  const mayRecord = useMay("write:production");
  const fixed = { agentCode: a.agentCode };
  const record: Item = {
    label: "Record a policy",
    dialog: (onClose) => <Form title={`A policy that ${a.displayName} wrote`} document={ProductionRecordUpsertDocument} fixed={fixed} onClose={onClose} />,
  };
  const open = lasting(a.certifications.nodes);
  const end: Item = {
    label: "End certifications",
    dialog: (onClose) => <EndCertifications of={a.displayName} all={open} onClose={onClose} />,
  };
  const remove: Item = {
    label: "Delete the agent",
    isDanger: true,
    dialog: (onClose) => (
      <Form title={`Delete ${a.displayName}`} yes="Delete" document={AgentDeleteDocument} fixed={fixed} known={a.lastModified} confirm={a.agentCode} onDone={() => void navigate({ to: `/${tenant}/lists/agents` })} onClose={onClose}>
        The agent is gone for good, with everything that belongs to it. Somebody who left has a pay status for that.
      </Form>
    ),
  };
  return (
    <>
      {mayChange && !isLimited && <NewAgent below={a.agentCode} />}
      <More label="More that can be done" items={[...(mayChange && open.length > 0 ? [end] : []), ...(mayRecord ? [record] : []), ...(mayDelete ? [remove] : [])]} />
    </>
  );
}

type PlainLane = Lane & { subject: Exclude<Subject, { kind: "w9" }> };
/** A lane whose values are one word or number each; a W9 is a form. */
const isPlain = (lane: Lane): lane is PlainLane => lane.subject.kind !== "w9";

/** What was picked, as it is known now: it may be read anew while its dialog opens. */
function pickedOf(lanes: Lane[], pick: { lane: string; from: string }): { lane: Lane; span: Span } | null {
  const lane = lanes.find((l) => l.id === pick.lane);
  const span = lane?.spans.find((s) => s.from === pick.from);
  return lane && span ? { lane, span } : null;
}

function PeriodsLeftOut({ answer, agent }: { answer: AgentQuery; agent: NonNullable<AgentQuery["agent"]> }) {
  const of = agent.agentCode;
  return (
    <>
      <LeftOut list={agent.payStatusPeriods} what="pay status periods" which="newest" of={of} all="payStatusPeriods" />
      <LeftOut list={agent.uplinePeriods} what="upline periods" which="newest" of={of} all="uplinePeriods" />
      <LeftOut list={agent.levelPeriods} what="level periods" which="newest" of={of} all="levelPeriods" />
      <LeftOut list={agent.w9Periods} what="W9 periods" which="newest" of={of} all="w9Periods" />
      {answer.certificationPeriods && <LeftOut list={answer.certificationPeriods} what="periods of certifications" which="first" of={of} />}
    </>
  );
}

function AgentView({ answer, agent }: { answer: AgentQuery; agent: NonNullable<AgentQuery["agent"]> }) {
  const { onDate, asKnownAt } = useDay();
  const mayChange = useMayChange();
  // Whoever sees a part moves nobody.
  const { isLimited } = useViewer();
  const [pick, setPick] = useState<{ lane: string; from: string } | null>(null);
  const [withSuperseded, setWithSuperseded] = useState(false);
  const { lanes, loading, error } = useSuperseded(agent.agentCode, withSuperseded && !asKnownAt, lanesOf(answer, agent).map((l) => ({ ...l, isFixed: isLimited && l.subject.kind === "upline" })));
  const picked = pick && pickedOf(lanes, pick);
  const close = () => setPick(null);
  return (
    <Stack gap="sm">
      <div>
        <Status tone={agent.isActive ? "good" : "bad"}>{agent.payStatus?.name ?? "No pay status"}</Status>
        {agent.membership.level && <Status tone="info">{agent.membership.level.name}</Status>}
        <Text span size="sm" c="dimmed">
          {agent.downlineSummary.totalCount === 0 ? "Nobody below" : `${formatNumber(agent.downlineSummary.totalCount)} below, ${formatNumber(agent.downlineSummary.activeCount)} of them active`}
        </Text>
      </div>
      <Part title="Timeline" actions={!asKnownAt && <Switch size="xs" label="What was replaced" checked={withSuperseded} onChange={(e) => setWithSuperseded(e.currentTarget.checked)} />}>
        <Timeline lanes={lanes} onDate={onDate} onPick={mayChange ? (lane, span) => setPick({ lane: lane.id, from: span.from }) : undefined} />
        <PeriodsLeftOut answer={answer} agent={agent} />
        {loading && <Loading what="what was replaced" />}
        {error && <Failure error={error} />}
        {mayChange && (
          <Text size="xs" c="dimmed" mt={6}>
            Choose a period to change it. What would become of the others is shown before anything is applied.
          </Text>
        )}
      </Part>
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="sm">
        <Identity agent={agent} />
        <Contact agent={agent} />
        <Payee agent={agent} />
        <UplineChain agent={agent} />
        <Certifications agent={agent} />
        <Labels agent={agent} />
        <Payments agent={agent} />
      </SimpleGrid>
      <Trail code={agent.agentCode} />
      {picked && isPlain(picked.lane) && <ChangePeriod key={picked.lane.id + picked.span.from + picked.lane.known} agentCode={agent.agentCode} lane={picked.lane} span={picked.span} onClose={close} />}
      {picked?.lane.subject.kind === "w9" && <ChangeW9 key={picked.span.from + picked.lane.known} agentCode={agent.agentCode} lane={picked.lane} span={picked.span} periods={agent.w9Periods.nodes} onClose={close} />}
    </Stack>
  );
}
