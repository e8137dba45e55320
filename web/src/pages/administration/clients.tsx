import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { ApiKeyCreateDocument, ClientChangeDocument, ClientCreateDocument, ClientDeleteDocument, ClientRotateDocument, ClientsDocument, type ClientsQuery, ClientUpdateDocument, KeyRevokeDocument } from "../../gql";
import { Choose } from "../../parts/choose";
import { Confirm } from "../../parts/confirm";
import { Part } from "../../parts/facts";
import { DeleteMenu, FormButton } from "../../parts/form/form";
import { formatInstant } from "../../parts/format";
import type { Given } from "../../parts/reason";
import { Scopes } from "../../parts/scopes";
import { Rows } from "../../parts/rows";
import { Failure, Loading, Problems } from "../../parts/states";
import { Status } from "../../parts/status";
import { Uses } from "./uses";

type Client = ClientsQuery["clients"][number];

export function Clients() {
  const { data, error, loading } = useAnswer(ClientsDocument, {});
  const [secret, setSecret] = useState<{ of: string; secret: string } | null>(null);
  const may = useMay("write:clients");
  return (
    <Stack gap="sm">
      {may && (
        <Group>
          <FormButton isMain label="New client" title="New client" document={ClientCreateDocument} />
        </Group>
      )}
      {error && <Failure error={error} />}
      {loading && <Loading what="clients" />}
      {secret && (
        <Alert variant="outline" title={`The new secret of ${secret.of}, shown this once`} withCloseButton onClose={() => setSecret(null)} closeButtonLabel="Close">
          <Code>{secret.secret}</Code>
        </Alert>
      )}
      {data?.clients.map((c) => (
        <OneClient key={c.clientId} client={c} onSecret={(value) => setSecret({ of: c.clientId, secret: value })} />
      ))}
    </Stack>
  );
}

/** What happens to GraphQL that a client sends as a text. */
const texts = [
  { value: "OFF", label: "run" },
  { value: "LOG", label: "run, and are logged" },
  { value: "ENFORCE", label: "are refused" },
];

interface Asked {
  title: string;
  yes: string;
  text: string;
  run: (why: Given) => void;
}

function OneClient({ client: c, onSecret }: { client: Client; onSecret: (secret: string) => void }) {
  const may = useMay("write:clients");
  const update = useAction(ClientUpdateDocument);
  const rotate = useAction(ClientRotateDocument);
  const revoke = useAction(KeyRevokeDocument);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [showsUses, setShowsUses] = useState(false);
  const known = [c.lastModified];
  const button = { size: "compact-xs" as const, variant: "default" as const };
  const disable = { title: `Disable ${c.clientId}`, yes: "Disable", text: "Its tokens and keys are refused within ten seconds, until it is enabled again.", run: (why: Given) => void update.run({ known, input: { clientId: c.clientId, isDisabled: true, ...why } }) };
  const renew = { title: `A new secret of ${c.clientId}`, yes: "Make the secret", text: "It is shown once. The one before counts for 24 hours beside it.", run: (why: Given) => void rotate.run({ known, clientId: c.clientId, ...why }).then((d) => d?.change.secret && onSecret(d.change.secret)) };
  const actions = may && (
    <Group gap="xs">
      <Button {...button} loading={update.busy} onClick={() => (c.isDisabled ? void update.run({ known, input: { clientId: c.clientId, isDisabled: false } }) : setAsked(disable))}>
        {c.isDisabled ? "Enable" : "Disable"}
      </Button>
      {!c.isPublic && (
        <Button {...button} loading={rotate.busy} onClick={() => setAsked(renew)}>
          New secret
        </Button>
      )}
      <FormButton label="New key" name={`New key of ${c.clientId}`} title={`A key of ${c.clientId}`} document={ApiKeyCreateDocument} fixed={{ clientId: c.clientId }} suggested={{ scopes: c.scopes }} />
      <FormButton label="Change" name={`Change ${c.clientId}`} title={`Change ${c.clientId}`} document={ClientChangeDocument} fixed={{ clientId: c.clientId, isDisabled: undefined, trustedDocuments: undefined }} record={c} known={c.lastModified} />
      <DeleteMenu of={c.clientId} document={ClientDeleteDocument} fixed={{ clientId: c.clientId }} known={c.lastModified} confirm={c.clientId}>
        It is gone with its keys. Tokens that it has already run out within the hour.
      </DeleteMenu>
    </Group>
  );
  return (
    <Part title={c.clientId} actions={actions}>
      <Group gap="xs" mb={6}>
        <Status tone={c.isDisabled ? "bad" : "good"}>{c.isDisabled ? "Disabled" : "Enabled"}</Status>
        {c.isPublic && <Status tone="plain">Public</Status>}
        <Text size="sm" c="dimmed">
          {c.lastUsedAt ? `Last used ${formatInstant(c.lastUsedAt)}` : "Never used"}
        </Text>
      </Group>
      <Scopes scopes={c.scopes} />
      <Group gap="xs" my={6}>
        <Choose size="xs" label="Queries beside its trusted documents" data={texts} value={c.trustedDocuments} disabled={!may || update.busy} onChange={(v) => void update.run({ known, input: { clientId: c.clientId, trustedDocuments: v as Client["trustedDocuments"] } })} />
        <Button {...button} mt="auto" aria-expanded={showsUses} onClick={() => setShowsUses(!showsUses)}>
          {showsUses ? "Hide what it uses" : "What it uses"}
        </Button>
      </Group>
      {showsUses && <Uses clientId={c.clientId} />}
      <Problems problems={[...update.problems, ...rotate.problems, ...revoke.problems]} />
      {c.keys.length > 0 && (
        <Rows
          label={`Keys of ${c.clientId}`}
          head={["Key", "Begins with", "Last used", "Ends", ""]}
          rows={c.keys.map((k) => ({
            key: k.id,
            cells: [
              k.name,
              k.hint,
              formatInstant(k.lastUsedAt),
              k.revokedAt ? `Revoked ${formatInstant(k.revokedAt)}` : formatInstant(k.expiresAt) || "never",
              may && !k.revokedAt && (
                <Button key="b" {...button} onClick={() => setAsked({ title: `Revoke ${k.name}`, yes: "Revoke", text: "The key is refused everywhere within ten seconds, for good.", run: (why) => void revoke.run({ id: k.id, ...why }) })} aria-label={`Revoke ${k.name}`}>
                  Revoke
                </Button>
              ),
            ],
          }))}
        />
      )}
      {asked && (
        <Confirm title={asked.title} yes={asked.yes} danger onClose={() => setAsked(null)} onYes={asked.run}>
          {asked.text}
        </Confirm>
      )}
    </Part>
  );
}
