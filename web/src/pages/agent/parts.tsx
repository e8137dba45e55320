import { Button, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useClient } from "urql";
import { useDay, useMay } from "../../app/context";
import { type AgentQuery, RevealAgentDocument, type RevealAgentQuery } from "../../gql";
import { Facts, Part } from "../../parts/facts";
import { formatDay, formatInstant, startDay, words } from "../../parts/format";
import { AgentLink, LeftOut } from "../../parts/links";
import { Status } from "../../parts/status";
import { certificationTitle, toneOf } from "./lanes";

export type Agent = NonNullable<AgentQuery["agent"]>;
type Revealed = NonNullable<RevealAgentQuery["agent"]>;

/** Shows the values that are masked otherwise, once. They are gone with the page. */
function useReveal(code: string) {
  const client = useClient();
  const { onDate } = useDay();
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const [problem, setProblem] = useState("");
  const reveal = async () => {
    const { data, error } = await client.query(RevealAgentDocument, { code, onDate }, { requestPolicy: "network-only" }).toPromise();
    setRevealed(data?.agent ?? null);
    setProblem(error?.message ?? "");
  };
  return { revealed, problem, reveal };
}

export function Identity({ agent }: { agent: Agent }) {
  return (
    <Part title="Identity">
      <Facts
        facts={[
          ["Name", [agent.firstName, agent.middleName, agent.lastName].filter(Boolean).join(" ")],
          ["Code", agent.agentCode],
          ["Upline", agent.upline && <AgentLink code={agent.upline.agentCode}>{`${agent.upline.displayName} · ${agent.upline.agentCode}`}</AgentLink>],
          ["Upline since", formatDay(agent.membership.uplineSince)],
          ["Level since", formatDay(agent.membership.levelSince)],
          ["Started", formatDay(startDay(agent.startDate))],
          ["Born", formatDay(agent.birthDate)],
          ["NPN", agent.npn],
          ["Customer", agent.customerId],
          ["Dedicated", agent.isDedicated ? "Yes" : "No"],
          ["Changed", `${formatInstant(agent.lastModified)} by ${agent.lastModifiedBy}`],
        ]}
      />
    </Part>
  );
}

const address = (a: Agent["homeAddress"]) => a && [a.line1, a.city, a.jurisdiction?.code, a.postalCode].filter(Boolean).join(", ");
const phone = (p: Agent["cellPhone"]) => p && [p.countryCode, p.areaCode, p.phoneNumber].filter(Boolean).join(" ");

export function Contact({ agent }: { agent: Agent }) {
  return (
    <Part title="Contact">
      <Facts
        facts={[
          ["E-mail", agent.email],
          ["Cell", phone(agent.cellPhone)],
          ["Home", phone(agent.homePhone)],
          ["Business", phone(agent.businessPhone)],
          ["Home address", address(agent.homeAddress)],
          ["Business address", address(agent.businessAddress)],
        ]}
      />
    </Part>
  );
}

export function Payee({ agent }: { agent: Agent }) {
  const { revealed, problem, reveal } = useReveal(agent.agentCode);
  const may = useMay("read:agents:sensitive");
  const { w9, directDeposit, isPayable } = agent.payee;
  const shown = { w9: revealed?.payee.w9 ?? w9, deposit: revealed?.payee.directDeposit ?? directDeposit };
  const actions = may && !revealed && (
    <Button size="compact-xs" variant="default" onClick={() => void reveal()}>
      Reveal (is recorded)
    </Button>
  );
  return (
    <Part title="Payee" actions={actions}>
      <Facts
        facts={[
          ["Payable", isPayable ? "Yes" : "No"],
          ["Tax id", revealed?.governmentIdentifier ?? agent.governmentIdentifier],
          ["W9", w9 && `${w9.name}, ${words(w9.taxClassification).toLowerCase()}`],
          ["W9 tax id", shown.w9?.taxpayerIdentifier],
          ["Bank", directDeposit && [directDeposit.bankName, words(directDeposit.accountType).toLowerCase()].filter(Boolean).join(", ")],
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
  return (
    <Part title="Certifications">
      {agent.certifications.nodes.length === 0 && <Text size="sm">None on this day.</Text>}
      <Table.ScrollContainer minWidth={300} mah={320} type="native" tabIndex={0} role="region" aria-label="Certifications in force">
        <Table verticalSpacing={4} fz="sm">
          <Table.Tbody>
            {agent.certifications.nodes.map((c) => (
              <Table.Tr key={c.id}>
                <Table.Td>{certificationTitle(c)}</Table.Td>
                <Table.Td>
                  {c.status && <Status tone={toneOf(c.status)}>{words(c.status)}</Status>}
                </Table.Td>
                <Table.Td>{c.effectiveThrough ? `to ${formatDay(c.effectiveThrough)}` : "open"}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <LeftOut list={agent.certifications} what="certifications" which="first" of={agent.agentCode} all="certifications" />
    </Part>
  );
}
