import { Table, Text } from "@mantine/core";
import { useViewer } from "../../app/context";
import { CommissionPaymentRecordDocument } from "../../gql";
import { Part } from "../../parts/facts";
import { FormButton } from "../../parts/form/form";
import { formatDay, formatDecimal } from "../../parts/format";
import { LeftOut } from "../../parts/links";
import type { Agent } from "./parts";
import { takenBack } from "./takenback";

type Payment = NonNullable<Agent["commissionPayments"]>["nodes"][number];

/** What an agent was paid, the latest first, for whoever may record it. A payment stays: another one takes it back. */
export function Payments({ agent }: { agent: Agent }) {
  const { today } = useViewer();
  const payments = agent.commissionPayments;
  if (!payments) return null;
  const fixed = { agentCode: agent.agentCode };
  const record = <FormButton label="Record a payment" title={`A commission that ${agent.displayName} was paid`} document={CommissionPaymentRecordDocument} fixed={fixed} suggested={{ paidOn: today }} />;
  const taken = takenBack(payments.nodes);
  const after = (p: Payment) => {
    const back = taken.get(p);
    if (back) return `taken back ${formatDay(back.paidOn)}`;
    if (Number(p.amount) < 0) return null;
    return (
      <FormButton label="Take back" name={`Take back the payment of ${formatDay(p.paidOn)}`} title={`Take back ${formatDecimal(p.amount)} of ${formatDay(p.paidOn)}`} document={CommissionPaymentRecordDocument} fixed={fixed} suggested={{ paidOn: today, amount: `-${p.amount}`, reference: p.reference ?? undefined }}>
        The payment stays on record, and another one of the same amount takes it back.
      </FormButton>
    );
  };
  return (
    <Part title="Payments" actions={record}>
      {payments.nodes.length === 0 && <Text size="sm">No commission is recorded yet: Record a payment, or import a file of them.</Text>}
      <Table.ScrollContainer minWidth={300} mah={320} type="native" tabIndex={0} role="region" aria-label="Commissions that were paid">
        <Table verticalSpacing={4} fz="sm">
          <Table.Tbody>
            {payments.nodes.map((p, i) => (
              <Table.Tr key={i}>
                <Table.Td>{formatDay(p.paidOn)}</Table.Td>
                <Table.Td className="number">{formatDecimal(p.amount)}</Table.Td>
                <Table.Td data-own>{p.reference}</Table.Td>
                <Table.Td>{after(p)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <LeftOut list={payments} what="payments" which="newest" of={agent.agentCode} />
    </Part>
  );
}
