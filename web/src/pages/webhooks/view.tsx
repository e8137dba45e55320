import { Alert, Button, Code, Group, Stack, Table, Text, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { WebhookActiveDocument, WebhookPingDocument, WebhookReplayDocument, WebhookRotateDocument, WebhookSubscriptionCreateDocument, WebhookSubscriptionDeleteDocument, WebhookSubscriptionsDocument, WebhookSubscriptionUpdateDocument, type WebhookSubscriptionsQuery } from "../../gql";
import { Confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/dialog";
import { formatInstant, inZone, instantOf } from "../../parts/format";
import { Part } from "../../parts/facts";
import { DeleteMenu, FormButton } from "../../parts/form/form";
import { Page } from "../../parts/page";
import { Failure, Loading, Nothing, Problems } from "../../parts/states";
import { Status } from "../../parts/status";
import { eventOf } from "../../parts/words";
import { Deliveries } from "./deliveries";

type Subscription = WebhookSubscriptionsQuery["webhookSubscriptions"]["nodes"][number];

/** The page of webhooks: who is told, and how that went. */
export function View() {
  const { subscription } = useSearch({ strict: false }) as { subscription?: string };
  const navigate = useNavigate();
  const { data, error, loading } = useAnswer(WebhookSubscriptionsDocument, {});
  const may = useMay("write:webhook-subscriptions");
  const all = data?.webhookSubscriptions.nodes ?? [];
  const chosen = all.find((s) => s.id === subscription) ?? all[0];
  return (
    <Page title="Webhooks" actions={may && <FormButton isMain label="New subscription" title="New subscription" document={WebhookSubscriptionCreateDocument} />}>
      {error && <Failure error={error} />}
      {loading && <Loading what="subscriptions" />}
      {data && all.length === 0 && <Nothing>No other system is told of changes yet.{may ? " New subscription tells one." : ""}</Nothing>}
      {chosen && (
        <Stack gap="sm">
          <Subscriptions all={all} chosen={chosen} onChoose={(id) => void navigate({ to: ".", search: ((old: object) => ({ ...old, subscription: id })) as never })} />
          <Subscribed key={chosen.id} subscription={chosen} />
        </Stack>
      )}
    </Page>
  );
}

function Subscriptions({ all, chosen, onChoose }: { all: Subscription[]; chosen: Subscription; onChoose: (id: string) => void }) {
  return (
    <Table.ScrollContainer minWidth={600} type="native" tabIndex={0} role="region" aria-label="Subscriptions">
      <Table fz="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address</Table.Th>
            <Table.Th>Events</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Failures in a row</Table.Th>
            <Table.Th>Since</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((s) => (
            <Table.Tr key={s.id} aria-selected={s.id === chosen.id}>
              <Table.Td>
                <Button variant={s.id === chosen.id ? "light" : "subtle"} size="compact-sm" onClick={() => onChoose(s.id)}>
                  {s.url}
                </Button>
              </Table.Td>
              <Table.Td>{s.events.map(eventOf).join(", ")}</Table.Td>
              <Table.Td>
                <Status tone={s.isActive ? "good" : "plain"}>{s.isActive ? "Active" : "Paused"}</Status>
              </Table.Td>
              <Table.Td>{s.consecutiveFailures}</Table.Td>
              <Table.Td className="instant">{formatInstant(s.createdAt)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Subscribed({ subscription: s }: { subscription: Subscription }) {
  const may = useMay("write:webhook-subscriptions");
  return (
    <Part title={s.description || s.url}>
      {may && <Actions subscription={s} />}
      <Deliveries subscriptionId={s.id} mayRetry={may} />
    </Part>
  );
}

function Actions({ subscription: s }: { subscription: Subscription }) {
  const ping = useAction(WebhookPingDocument, "live");
  const active = useAction(WebhookActiveDocument);
  const rotate = useAction(WebhookRotateDocument);
  const [replaying, setReplaying] = useState(false);
  const [rotating, setRotating] = useState(false);
  const [secret, setSecret] = useState("");
  const button = { size: "xs" as const, variant: "default" as const };
  return (
    <Stack gap="xs" mb="sm">
      <Group gap="xs">
        <Button {...button} loading={ping.busy} onClick={() => void ping.run({ id: s.id })}>
          Ping
        </Button>
        <Button {...button} loading={active.busy} onClick={() => void active.run({ known: [s.lastModified], id: s.id, isActive: !s.isActive })}>
          {s.isActive ? "Pause" : "Go on"}
        </Button>
        <Button {...button} onClick={() => setReplaying(true)}>
          Send again from a time
        </Button>
        <Button {...button} loading={rotate.busy} onClick={() => setRotating(true)}>
          New secret
        </Button>
        <FormButton isMain isQuiet label="Change" name="Change the subscription" title={`Change ${s.url}`} document={WebhookSubscriptionUpdateDocument} fixed={{ id: s.id, isActive: undefined }} record={s} known={s.lastModified} />
        <DeleteMenu isMain of="the subscription" document={WebhookSubscriptionDeleteDocument} fixed={{ id: s.id }} known={s.lastModified} confirm={new URL(s.url).host}>
          It is gone for good, with its attempts.
        </DeleteMenu>
      </Group>
      <Problems problems={[...ping.problems, ...active.problems, ...rotate.problems]} />
      {secret && (
        <Alert variant="outline" title="The new secret, shown this once" withCloseButton onClose={() => setSecret("")} closeButtonLabel="Close">
          <Code>{secret}</Code> <Text size="sm">The one before counts for 24 hours beside it.</Text>
        </Alert>
      )}
      {rotating && (
        <Confirm title="A new secret" yes="Make the secret" onClose={() => setRotating(false)} onYes={(why) => void rotate.run({ known: [s.lastModified], id: s.id, ...why }).then((d) => setSecret(d?.change.secret ?? ""))}>
          It is shown once, and signs what is sent from now on. The one before counts for 24 hours beside it.
        </Confirm>
      )}
      {replaying && <Replay id={s.id} onClose={() => setReplaying(false)} />}
    </Stack>
  );
}

function Replay({ id, onClose }: { id: string; onClose: () => void }) {
  const [from, setFrom] = useState("");
  const [through, setThrough] = useState("");
  const { run, busy, problems } = useAction(WebhookReplayDocument);
  const send = async () => (await run({ input: { id, from: instantOf(from), through: instantOf(through) } })) && onClose();
  return (
    <Dialog onClose={onClose} title="Send the events of a time again">
      <Stack>
        <TextInput type="datetime-local" label={inZone("From")} value={from} onChange={(e) => setFrom(e.currentTarget.value)} />
        <TextInput type="datetime-local" label={inZone("Through")} value={through} onChange={(e) => setThrough(e.currentTarget.value)} />
        <Problems problems={problems} />
        <Button disabled={!from || !through} loading={busy} onClick={() => void send()}>
          Send
        </Button>
      </Stack>
    </Dialog>
  );
}
