import { Button, Drawer, Group, SegmentedControl, Stack, Table, Text, UnstyledButton } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useLive } from "../../app/context";
import { type DeliveryFragment, WebhookDeliveriesDocument, WebhookDeliveryAddedDocument, WebhookDeliveryDocument, WebhookRetryDocument } from "../../gql";
import { Facts } from "../../parts/facts";
import { formatInstant, formatNumber } from "../../parts/format";
import { Failure, Loading, Nothing, Problems } from "../../parts/states";
import { Status } from "../../parts/status";
import { eventOf, words } from "../../parts/words";

/** The attempts of a subscription, newest first; new ones come by themselves. */
export function Deliveries({ subscriptionId, mayRetry }: { subscriptionId: string; mayRetry: boolean }) {
  const { attempts: which = "all", attempt: opened = null } = useSearch({ strict: false }) as { attempts?: string; attempt?: string };
  const navigate = useNavigate();
  const go = (next: { attempts?: string; attempt?: string | undefined }) => void navigate({ to: ".", replace: true, search: ((old: object) => ({ ...old, ...next })) as never });
  const filter = which === "all" ? null : { isSuccessful: which === "good" };
  const { data, error, loading } = useAnswer(WebhookDeliveriesDocument, { id: subscriptionId, filter, first: 50 });
  const [added, setAdded] = useState<DeliveryFragment[]>([]);
  const live = useLive();
  useEffect(() => {
    const following = live.subscription(WebhookDeliveryAddedDocument, { id: subscriptionId }).subscribe(({ data }) => {
      const delivery = data?.webhookDeliveryAdded;
      if (delivery) setAdded((old) => [delivery, ...old.filter((d) => d.id !== delivery.id)]);
    });
    return () => following.unsubscribe();
  }, [live, subscriptionId]);
  const fits = (d: DeliveryFragment) => !filter || d.isSuccessful === filter.isSuccessful;
  const known = data?.webhookDeliveries.nodes ?? [];
  const all = [...added.filter((d) => fits(d) && !known.some((k) => k.id === d.id)), ...known];
  return (
    <Stack gap="xs" align="stretch">
      <SegmentedControl w="fit-content" size="xs" value={which} onChange={(attempts) => go({ attempts })} data={[{ value: "all", label: "All attempts" }, { value: "good", label: "Delivered" }, { value: "bad", label: "Failed" }]} aria-label="Attempts" />
      {error && <Failure error={error} />}
      {loading && <Loading what="deliveries" />}
      {data && all.length === 0 && <Nothing>Nothing was sent yet. What happens from now on is sent by itself; Ping sends something at once.</Nothing>}
      {data && all.length > 0 && <Attempts all={all} mayRetry={mayRetry} onOpen={(attempt) => go({ attempt })} />}
      {data && known.length < data.webhookDeliveries.totalCount && (
        <Text size="sm" c="dimmed">
          The last {known.length} of {formatNumber(data.webhookDeliveries.totalCount)} attempts.
        </Text>
      )}
      {opened && <Attempt id={opened} mayRetry={mayRetry} onClose={() => go({ attempt: undefined })} />}
    </Stack>
  );
}

function Attempts({ all, mayRetry, onOpen }: { all: DeliveryFragment[]; mayRetry: boolean; onOpen: (id: string) => void }) {
  return (
    <Table.ScrollContainer minWidth={640} type="native" tabIndex={0} role="region" aria-label="Attempts">
      <Table fz="sm" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>Event</Table.Th>
            <Table.Th>Attempt</Table.Th>
            <Table.Th>Answer</Table.Th>
            <Table.Th>Took</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Why</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((d) => (
            <Table.Tr key={d.id}>
              <Table.Td className="instant">{formatInstant(d.attemptedAt)}</Table.Td>
              <Table.Td>
                <UnstyledButton fz="sm" c="var(--mantine-color-anchor)" onClick={() => onOpen(d.id)}>
                  {eventOf(d.eventType)}
                </UnstyledButton>
              </Table.Td>
              <Table.Td>{d.attemptNumber}</Table.Td>
              <Table.Td>
                <Status tone={d.isSuccessful ? "good" : "bad"}>{d.httpStatusCode ?? "none"}</Status>
              </Table.Td>
              <Table.Td>{d.responseTimeMs} ms</Table.Td>
              <Table.Td>{d.state ? words(d.state) : ""}</Table.Td>
              <Table.Td>{d.isSuccessful ? "" : (d.errorMessage ?? `The receiver answered ${d.httpStatusCode}`)}</Table.Td>
              <Table.Td>{mayRetry && !d.isSuccessful && <SendAgain id={d.id} of={`${eventOf(d.eventType)}, attempt ${d.attemptNumber}`} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Sends what failed again; how that went comes by itself, as an attempt above. */
function SendAgain({ id, of }: { id: string; of: string }) {
  const { run, busy, problems } = useAction(WebhookRetryDocument, "live");
  return (
    <>
      <Button size="compact-xs" variant="default" loading={busy} onClick={() => void run({ id })} aria-label={`Send again: ${of}`}>
        Send again
      </Button>
      <Problems problems={problems} />
    </>
  );
}

function Attempt({ id, mayRetry, onClose }: { id: string; mayRetry: boolean; onClose: () => void }) {
  const { data, error, loading } = useAnswer(WebhookDeliveryDocument, { id });
  const { run, busy, problems } = useAction(WebhookRetryDocument, "live");
  const d = data?.webhookDelivery;
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Attempt" closeButtonProps={{ "aria-label": "Close" }}>
      {error && <Failure error={error} />}
      {loading && <Loading what="the attempt" />}
      {d && (
        <Stack>
          <Facts facts={[["Event", eventOf(d.eventType)], ["To", d.url], ["When", formatInstant(d.attemptedAt)], ["Answer", d.httpStatusCode], ["Error", d.errorMessage], ["Next attempt", formatInstant(d.nextAttemptAt)]]} />
          {mayRetry && (
            <Group>
              <Button size="xs" loading={busy} onClick={() => void run({ id })}>
                Send again
              </Button>
            </Group>
          )}
          <Problems problems={problems} />
          <Text fw={600} size="sm">
            Payload
          </Text>
          <pre className="code" tabIndex={0} aria-label="Payload">
            {JSON.stringify(d.payload, null, 2)}
          </pre>
          {d.response && (
            <>
              <Text fw={600} size="sm">
                Response
              </Text>
              <pre className="code" tabIndex={0} aria-label="Response">
                {d.response}
              </pre>
            </>
          )}
        </Stack>
      )}
    </Drawer>
  );
}
