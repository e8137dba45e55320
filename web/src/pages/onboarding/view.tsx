import { Button, SegmentedControl, Table, UnstyledButton } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { ApplicationCreateDocument, ApplicationsDocument, type ApplicationsQuery, type ApplicationStatus } from "../../gql";
import { count, formatInstant } from "../../parts/format";
import { FormButton } from "../../parts/form/form";
import { AgentLink } from "../../parts/links";
import { Page } from "../../parts/page";
import { Pager, usePages } from "../../parts/pager";
import { Failure, Loading, Nothing } from "../../parts/states";
import { Status } from "../../parts/status";
import { words } from "../../parts/words";
import { Review } from "./review";
import { toneOf } from "./tone";
import { Content } from "./content";

const statuses = ["ACTIVE", "HOLD", "COMPLETE", "PAID", "PROCESSED", "REJECTED"] as const;

interface Search {
  status?: ApplicationStatus;
  application?: string;
}

/** The page of applications, from the queue to the agent. */
export function View() {
  const { status, application } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [configuring, setConfiguring] = useState(false);
  const { agentCode } = useViewer();
  const mayWrite = useMay("agent-onboarding:applications:write");
  const mayConfigure = useMay("agent-onboarding:app-configuration:read");
  const go = (next: Search) => void navigate({ to: ".", search: ((old: object) => ({ ...old, ...next })) as never });
  if (application) return <Review id={application} onBack={() => go({ application: undefined })} />;
  return (
    <Page
      title="Onboarding"
      actions={
        <>
          {mayWrite && (
            <FormButton isMain label="New application" title="New application" document={ApplicationCreateDocument} suggested={{ recruiterAgentCode: agentCode }} onDone={(d) => go({ application: d.change.application?.applicationId })}>
              What the recruit told you. What is missing still is said on its page, and can be added until it is submitted.
            </FormButton>
          )}
          {mayConfigure && (
            <Button size="xs" variant="default" onClick={() => setConfiguring(true)}>
              Configuration
            </Button>
          )}
        </>
      }
    >
      <Queue status={status} onStatus={(next) => go({ status: next })} onOpen={(id) => go({ application: id })} />
      {configuring && <Content onClose={() => setConfiguring(false)} />}
    </Page>
  );
}

interface QueueProps {
  status: ApplicationStatus | undefined;
  onStatus: (status: ApplicationStatus | undefined) => void;
  onOpen: (id: string) => void;
}

function Queue({ status, onStatus, onOpen }: QueueProps) {
  const { pageSize } = useViewer();
  const pages = usePages();
  const { data, error, loading } = useAnswer(ApplicationsDocument, { filter: status ? { status: [status] } : null, first: Math.min(50, pageSize), after: pages.after });
  const ofStatus = (s: ApplicationStatus) => (data ? ` ${data[s.toLowerCase() as Lowercase<ApplicationStatus>].totalCount}` : "");
  const page = data?.applications;
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="sm"
        value={status ?? ""}
        onChange={(v) => (pages.setCursors([]), onStatus((v || undefined) as ApplicationStatus | undefined))}
        data={[{ value: "", label: "All" }, ...statuses.map((s) => ({ value: s, label: words(s) + ofStatus(s) }))]}
        aria-label="Status"
        style={{ overflowX: "auto", maxWidth: "100%" }}
      />
      {error && <Failure error={error} />}
      {loading && <Loading what="applications" />}
      {page && page.nodes.length === 0 && <Nothing>{status ? `No application is ${words(status).toLowerCase()}.` : "Nobody has applied yet. New application starts one for a recruit."}</Nothing>}
      {page && page.nodes.length > 0 && <Applications nodes={page.nodes} onOpen={onOpen} />}
      {page && (
        <Pager pages={pages} info={page.pageInfo}>
          {count(page.totalCount, "application")}
        </Pager>
      )}
    </>
  );
}

function Applications({ nodes, onOpen }: { nodes: ApplicationsQuery["applications"]["nodes"]; onOpen: (id: string) => void }) {
  return (
    <Table.ScrollContainer minWidth={680} type="native" tabIndex={0} role="region" aria-label="Applications">
      <Table fz="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Applicant</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Recruiter</Table.Th>
            <Table.Th>E-mail</Table.Th>
            <Table.Th>Submitted</Table.Th>
            <Table.Th>Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {nodes.map((a) => (
            <Table.Tr key={a.applicationId}>
              <Table.Td>
                <UnstyledButton fz="sm" c="var(--mantine-color-anchor)" onClick={() => onOpen(a.applicationId)}>
                  {a.firstName} {a.lastName}
                </UnstyledButton>
              </Table.Td>
              <Table.Td>
                <Status tone={toneOf(a.status)}>{words(a.status)}</Status>
              </Table.Td>
              <Table.Td>
                <AgentLink code={a.recruiterAgentCode} />
              </Table.Td>
              <Table.Td>{a.emailAddress}</Table.Td>
              <Table.Td className="instant">{formatInstant(a.submittedAt)}</Table.Td>
              <Table.Td className="instant">{formatInstant(a.lastModified)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
