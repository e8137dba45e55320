import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { ClientRotateDocument, ClientsDocument, type ClientsQuery, ClientUpdateDocument, KeyRevokeDocument } from "../../gql";
import { Part } from "../../parts/facts";
import { formatInstant } from "../../parts/format";
import { Scopes } from "../../parts/scopes";
import { Rows } from "../../parts/rows";
import { Failure, Loading, Problems } from "../../parts/states";
import { Status } from "../../parts/status";

type Client = ClientsQuery["clients"][number];

export function Clients() {
  const { data, error, loading } = useAnswer(ClientsDocument, {});
  const [secret, setSecret] = useState<{ of: string; secret: string } | null>(null);
  return (
    <Stack gap="sm">
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

function OneClient({ client: c, onSecret }: { client: Client; onSecret: (secret: string) => void }) {
  const may = useMay("write:clients");
  const update = useAction(ClientUpdateDocument);
  const rotate = useAction(ClientRotateDocument);
  const revoke = useAction(KeyRevokeDocument);
  const button = { size: "compact-xs" as const, variant: "default" as const };
  const actions = may && (
    <Group gap="xs">
      <Button {...button} loading={update.busy} onClick={() => void update.run({ clientId: c.clientId, input: { isDisabled: !c.isDisabled } })}>
        {c.isDisabled ? "Enable" : "Disable"}
      </Button>
      {!c.isPublic && (
        <Button {...button} loading={rotate.busy} onClick={() => void rotate.run({ clientId: c.clientId }).then((d) => d?.change.secret && onSecret(d.change.secret))}>
          New secret
        </Button>
      )}
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
                <Button key="b" {...button} onClick={() => void revoke.run({ id: k.id })} aria-label={`Revoke ${k.name}`}>
                  Revoke
                </Button>
              ),
            ],
          }))}
        />
      )}
    </Part>
  );
}
