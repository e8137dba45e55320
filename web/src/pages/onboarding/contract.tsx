import { Button, Group, List, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../../api/answer";
import { ContractPublishDocument, type OnboardingContentQuery } from "../../gql";
import { Part } from "../../parts/facts";
import { formatInstant } from "../../parts/format";
import { Problems } from "../../parts/states";

type Current = OnboardingContentQuery["contract"];

/** The contract that recruits sign, and its covenants. Another text is another version. */
export function Contract({ contract, may }: { contract: Current; may: boolean }) {
  const [editing, setEditing] = useState(false);
  return (
    <Part title="Contract">
      {editing ? (
        <EditContract contract={contract} onClose={() => setEditing(false)} />
      ) : (
        <Stack gap="xs">
          {contract ? (
            <>
              <Text size="sm">
                {contract.title}, version {contract.versionNumber}, {formatInstant(contract.publishedAt)}
              </Text>
              <pre className="code" tabIndex={0} aria-label="Text of the contract" style={{ whiteSpace: "pre-wrap" }}>
                {contract.body}
              </pre>
              <List size="sm" type="ordered">
                {contract.covenants.map((v) => (
                  <List.Item key={v.contentItemVersionId}>
                    {v.title && `${v.title}: `}
                    {v.text}
                  </List.Item>
                ))}
              </List>
            </>
          ) : (
            <Text size="sm">None is published.</Text>
          )}
          {may && (
            <Group>
              <Button size="xs" variant="default" onClick={() => setEditing(true)}>
                New version
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Part>
  );
}

/** A covenant as it is typed: one that there was goes on, whatever becomes of its text. */
interface Covenant {
  text: string;
  title: string | null;
  contentItemId?: string;
}

function EditContract({ contract, onClose }: { contract: Current; onClose: () => void }) {
  const [c] = useState(contract); // that was changed, whichever is read meanwhile
  const [title, setTitle] = useState(c?.title ?? "");
  const [body, setBody] = useState(c?.body ?? "");
  const [covenants, setCovenants] = useState<Covenant[]>(c?.covenants ?? []);
  const { run, busy, problems } = useAction(ContractPublishDocument);
  const publish = async () => {
    const filled = covenants.filter((v) => v.text.trim());
    const input = { title, body, bodyFormat: c?.bodyFormat ?? "markdown", covenants: filled.map((v, i) => ({ sequence: i + 1, text: v.text, title: v.title, contentItemId: v.contentItemId })) };
    if (await run({ known: c ? [c.publishedAt] : [], input })) onClose();
  };
  return (
    <Stack gap="xs">
      <TextInput size="xs" label="Title" required value={title} onChange={(e) => setTitle(e.currentTarget.value)} />
      <Textarea size="xs" label="Text" required autosize minRows={6} maxRows={16} value={body} onChange={(e) => setBody(e.currentTarget.value)} />
      {covenants.map((v, i) => (
        <Group key={i} gap="xs" align="end" wrap="nowrap">
          <Textarea size="xs" flex={1} label={`Covenant ${i + 1}`} description={v.title} autosize value={v.text} onChange={(e) => setCovenants(covenants.with(i, { ...v, text: e.currentTarget.value }))} />
          <Button size="compact-xs" variant="subtle" aria-label={`Remove covenant ${i + 1}`} onClick={() => setCovenants(covenants.filter((_, k) => k !== i))}>
            Remove
          </Button>
        </Group>
      ))}
      <Group>
        <Button size="compact-xs" variant="default" onClick={() => setCovenants([...covenants, { text: "", title: null }])}>
          Add a covenant
        </Button>
      </Group>
      <Problems problems={problems} />
      <Group justify="flex-end">
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button size="xs" loading={busy} onClick={() => void publish()}>
          Publish the contract
        </Button>
      </Group>
    </Stack>
  );
}
