import { Button, Group, Table, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useClient } from "urql";
import { useDay, useMay, useViewer } from "../../app/context";
import * as gql from "../../gql";
import { type AgentQuery, RevealAgentDocument, type RevealAgentQuery } from "../../gql";
import { Facts, Part } from "../../parts/facts";
import { DeleteMenu, FormButton } from "../../parts/form/form";
import { dayNumber, formatDay, formatInstant, startDay } from "../../parts/format";
import { AgentLink, LeftOut } from "../../parts/links";
import { Status } from "../../parts/status";
import { stateOf, words } from "../../parts/words";
import { certificationTitle, toneOf } from "./lanes";

export type Agent = NonNullable<AgentQuery["agent"]>;
type Revealed = NonNullable<RevealAgentQuery["agent"]>;

/** Shows the values that are masked otherwise, once. They are gone with the page. */
function useReveal(code: string) {
  const client = useClient();
  const { onDate, asKnownAt } = useDay();
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const [problem, setProblem] = useState("");
  const reveal = async () => {
    const { data, error } = await client.query(RevealAgentDocument, { code, onDate, asKnownAt }, { requestPolicy: "network-only" }).toPromise();
    setRevealed(data?.agent ?? null);
    setProblem(error?.message ?? "");
  };
  return { revealed, problem, reveal };
}

/** Whether the caller may change what is known now of agents. */
export function useMayChange() {
  const { asKnownAt } = useDay();
  return useMay("write:agents") && !asKnownAt;
}

/** What each form of an agent sends besides what is typed. */
const ofAgent = (agent: Agent) => ({ record: agent, fixed: { agentCode: agent.agentCode }, known: agent.lastModified });

/** The first day of the pay status of a day: of adjacent periods with the same one, the earliest. */
export function statusSince({ payStatus, payStatusPeriods }: Pick<Agent, "payStatus" | "payStatusPeriods">, onDate: string): string | undefined {
  let since: string | undefined;
  let before: { status: { name: string }; effectiveThrough: string | null } | undefined;
  for (const p of [...payStatusPeriods.nodes].filter((one) => one.effectiveFrom <= onDate).sort((a, b) => (a.effectiveFrom < b.effectiveFrom ? -1 : 1))) {
    const goesOn = before?.status.name === p.status.name && before.effectiveThrough !== null && dayNumber(before.effectiveThrough) + 1 === dayNumber(p.effectiveFrom);
    if (!goesOn) since = p.effectiveFrom;
    before = p;
  }
  return before?.status.name === payStatus?.name ? since : undefined;
}

export function Identity({ agent }: { agent: Agent }) {
  const { onDate } = useDay();
  const may = useMayChange();
  const { isLimited } = useViewer();
  const membership = { membership: { directUpline: agent.membership.directUplineCode, level: agent.membership.level?.value } };
  const actions = may && (
    <Group gap={4}>
      <FormButton label="Change" name="Change the identity" title={`Change ${agent.displayName}`} document={gql.AgentUpdateDocument} {...ofAgent(agent)} />
      {!isLimited && <FormButton label="Upline and level" title="Another upline or level, from today on" document={gql.AgentMembershipUpdateDocument} {...ofAgent(agent)} record={membership} />}
    </Group>
  );
  return (
    <Part title="Identity" actions={actions}>
      <Facts
        of={agent.id}
        facts={[
          ["Name", [agent.firstName, agent.middleName, agent.lastName, agent.suffix].filter(Boolean).join(" ")],
          ["Code", agent.agentCode],
          ["Upline", agent.upline && <AgentLink code={agent.upline.agentCode}>{`${agent.upline.displayName} · ${agent.upline.agentCode}`}</AgentLink>, "teams.default.directUpline"],
          ["Upline since", formatDay(agent.membership.uplineSince)],
          ["Level", agent.membership.level?.name, "teams.default.level"],
          ["Level since", formatDay(agent.membership.levelSince)],
          ["Pay status", agent.payStatus?.name, "status"],
          ["Pay status since", formatDay(statusSince(agent, onDate))],
          ["Started", formatDay(startDay(agent.startDate)), "startDate"],
          ["Born", formatDay(agent.birthDate), "birthDate"],
          ["NPN", agent.npn, "npn"],
          ["Customer", agent.customerId, "customerId"],
          ["Dedicated", agent.isDedicated ? "Yes" : "No", "isDedicated"],
          ["Changed", `${formatInstant(agent.lastModified)} by ${agent.lastModifiedBy}`],
        ]}
      />
    </Part>
  );
}

const address = (a: Agent["homeAddress"]) => a && [a.line1, a.line2, a.city, stateOf(a.jurisdiction?.code), a.postalCode].filter(Boolean).join(", ");
const phone = (p: Agent["cellPhone"]) => p && [p.countryCode, p.areaCode, p.phoneNumber].filter(Boolean).join(" ");

export function Contact({ agent }: { agent: Agent }) {
  const actions = useMayChange() && <FormButton label="Change" name="Change the contact" title={`How to reach ${agent.displayName}`} document={gql.AgentContactUpdateDocument} {...ofAgent(agent)} />;
  return (
    <Part title="Contact" actions={actions}>
      <Facts
        of={agent.id}
        facts={[
          ["E-mail", agent.email, "email"],
          ["Cell", phone(agent.cellPhone), "cellPhone"],
          ["Home", phone(agent.homePhone), "homePhone"],
          ["Business", phone(agent.businessPhone), "businessPhone"],
          ["Home address", address(agent.homeAddress), "homeAddress"],
          ["Business address", address(agent.businessAddress), "businessAddress"],
        ]}
      />
    </Part>
  );
}

export function Payee({ agent }: { agent: Agent }) {
  const { revealed, problem, reveal } = useReveal(agent.agentCode);
  const may = useMay("read:agents:sensitive");
  const { w9, directDeposit, isPayable, missing } = agent.payee;
  const shown = { w9: revealed?.payee.w9 ?? w9, deposit: revealed?.payee.directDeposit ?? directDeposit };
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const who = () => void navigate({ to: ".", search: ((old: object) => ({ ...old, what: "changes", field: "directDeposit" })) as never }).then(() => document.querySelector('[aria-label="What happened"]')?.scrollIntoView());
  const actions = (
    <Group gap={4} justify="flex-end">
      {may && !revealed && (
        <Button size="compact-xs" variant="default" onClick={() => void reveal()}>
          Reveal (is recorded)
        </Button>
      )}
      {mayChange && (
        <FormButton label="Change the bank account" title="Another bank account" document={gql.AgentPayeeUpdateDocument} {...ofAgent(agent)} record={{ directDeposit }} fixed={{ agentCode: agent.agentCode, status: undefined, w9: undefined }}>
          It takes the place of the one there is. Its numbers are typed anew: they are shown masked only.
        </FormButton>
      )}
      <Button size="compact-xs" variant="default" onClick={who}>
        Who set the bank account
      </Button>
    </Group>
  );
  return (
    <Part title="Payee" actions={actions}>
      <Facts
        of={agent.id}
        facts={[
          ["Payable", isPayable ? "Yes" : `No: ${missing.map((code) => words(code).toLowerCase().replace("w9", "W9")).join(", ")}`],
          ["Tax id", revealed?.governmentIdentifier ?? agent.governmentIdentifier, "governmentIdentifier"],
          ["W9", w9 && `${w9.name}, ${words(w9.taxClassification).toLowerCase()}`, "w9"],
          ["W9 tax id", shown.w9?.taxpayerIdentifier],
          ["Bank", directDeposit && [directDeposit.bankName, words(directDeposit.accountType).toLowerCase()].filter(Boolean).join(", "), "directDeposit"],
          ["Routing", shown.deposit?.routingNumber],
          ["Account", shown.deposit?.accountNumber],
        ]}
      />
      {problem && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {problem}
        </Text>
      )}
    </Part>
  );
}

export function UplineChain({ agent }: { agent: Agent }) {
  return (
    <Part title="Upline chain">
      {agent.uplineChain.length === 0 && <Text size="sm">{agent.membership.directUplineCode ? `${agent.membership.directUplineCode} is above, whom you do not see.` : "Nobody is above."}</Text>}
      <Table verticalSpacing={4} fz="sm">
        <Table.Tbody>
          {agent.uplineChain.map((link) => (
            <Table.Tr key={link.depth}>
              <Table.Td w={30}>{link.depth}</Table.Td>
              <Table.Td>
                <AgentLink code={link.agent.agentCode}>{`${link.agent.displayName} · ${link.agent.agentCode}`}</AgentLink>
              </Table.Td>
              <Table.Td>since {formatDay(link.since)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Part>
  );
}

export function Certifications({ agent }: { agent: Agent }) {
  const may = useMayChange();
  const { onDate } = useDay();
  const actions = may && <FormButton label="New" name="New certification" title={`A licence or an appointment of ${agent.displayName}`} document={gql.CertificationUpsertDocument} fixed={{ agentCode: agent.agentCode }} suggested={{ isVerified: false, isResidentCertification: false, status: "ACTIVE", effectiveFrom: onDate }} />;
  return (
    <Part title="Certifications" actions={actions}>
      {agent.certifications.nodes.length === 0 && <Text size="sm">None on this day. New records a licence or an appointment.</Text>}
      <Table.ScrollContainer minWidth={300} mah={320} type="native" tabIndex={0} role="region" aria-label="Certifications in force">
        <Table verticalSpacing={4} fz="sm">
          <Table.Tbody>
            {agent.certifications.nodes.map((c) => (
              <Table.Tr key={c.id}>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{certificationTitle(c)}</Table.Td>
                <Table.Td>
                  {c.status && <Status tone={toneOf(c.status)}>{words(c.status)}</Status>} <Text span fz="sm">{c.effectiveThrough ? `to ${formatDay(c.effectiveThrough)}` : "open"}</Text>
                </Table.Td>
                {may && (
                  <Table.Td>
                    <ChangeCertification certification={c} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <LeftOut list={agent.certifications} what="certifications" which="first" of={agent.agentCode} all="certifications" />
    </Part>
  );
}

type Certification = Agent["certifications"]["nodes"][number];

function ChangeCertification({ certification: c }: { certification: Certification }) {
  const title = certificationTitle(c);
  const of = { fixed: { id: c.id }, known: c.lastModified };
  return (
    <Group gap={4} wrap="nowrap">
      <FormButton label="Change" name={`Change ${title}`} title={`Change ${title}`} document={gql.CertificationUpdateDocument} {...of} record={c} />
      <DeleteMenu of={title} document={gql.CertificationDeleteDocument} {...of} confirm={c.type.name}>
        It is gone for good, with its history. One that ended has a status for that.
      </DeleteMenu>
    </Group>
  );
}
