import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { AliasCreateDocument, AliasDeleteDocument, ReferenceDocument, TagsUpdateDocument } from "../../gql";
import { ChooseMany } from "../../parts/choose";
import { Part } from "../../parts/facts";
import { LeftOut } from "../../parts/links";
import { Problems } from "../../parts/states";
import { Status } from "../../parts/status";
import type { Agent } from "./parts";

/** Tags and aliases, which are not dated. */
export function Labels({ agent }: { agent: Agent }) {
  const may = useMay("write:agents");
  return (
    <Part title="Tags and aliases">
      <Stack gap="xs">
        {may ? <Tags agent={agent} /> : <Group gap={4}>{agent.tags.map((t) => <Status key={t.name} tone="plain">{t.name}</Status>)}</Group>}
        {!may && agent.tags.length + agent.aliases.nodes.length === 0 && <Text size="sm">None.</Text>}
        {agent.aliases.nodes.map((a) => (
          <Alias key={a.id} alias={a} may={may} />
        ))}
        <LeftOut list={agent.aliases} what="aliases" which="first" of={agent.agentCode} all="aliases" />
        {may && <NewAlias code={agent.agentCode} />}
      </Stack>
    </Part>
  );
}

function Tags({ agent }: { agent: Agent }) {
  const { username: initiator } = useViewer();
  const { data } = useAnswer(ReferenceDocument, {});
  const { run, problems } = useAction(TagsUpdateDocument);
  // What is chosen is shown until the page has read it.
  const [chosen, setChosen] = useState<string[] | null>(null);
  const worn = chosen ?? agent.tags.map((t) => t.name);
  const wanted = useRef<string[] | null>(null);
  useEffect(() => {
    if (wanted.current === null) setChosen(null);
  }, [agent.tags]);
  // What is chosen while a change is under way is sent after it.
  const change = async (next: string[]) => {
    const isUnderWay = wanted.current !== null;
    wanted.current = next;
    setChosen(next);
    for (let sent = worn; !isUnderWay && wanted.current !== sent; ) {
      const to: string[] = wanted.current;
      const tags = [...to.filter((t) => !sent.includes(t)).map((tag) => ({ operation: "ASSIGN" as const, tag })), ...sent.filter((t) => !to.includes(t)).map((tag) => ({ operation: "UNASSIGN" as const, tag }))];
      const isDone = tags.length === 0 || (await run({ input: { agentCode: agent.agentCode, tags, initiator } }));
      if (!isDone) setChosen(null);
      sent = isDone ? to : wanted.current;
    }
    if (!isUnderWay) wanted.current = null;
  };
  return (
    <>
      <ChooseMany label="Tags" size="xs" data={data?.tags.map((t) => t.name) ?? worn} value={worn} onChange={(next) => void change(next)} />
      <Problems problems={problems} />
    </>
  );
}

function Alias({ alias, may }: { alias: Agent["aliases"]["nodes"][number]; may: boolean }) {
  const { username: initiator } = useViewer();
  const { run, busy, problems } = useAction(AliasDeleteDocument);
  return (
    <Group gap="xs">
      <Text size="sm">
        {alias.identifier} {alias.providerCompany && `(${alias.providerCompany.code})`}
      </Text>
      {may && (
        <ActionIcon size="xs" variant="subtle" color="red" aria-label={`Remove the alias ${alias.identifier}`} loading={busy} onClick={() => void run({ id: alias.id, initiator })}>
          <IconX size={13} />
        </ActionIcon>
      )}
      <Problems problems={problems} />
    </Group>
  );
}

function NewAlias({ code }: { code: string }) {
  const { username: initiator } = useViewer();
  const [identifier, setIdentifier] = useState("");
  const { run, busy, problems } = useAction(AliasCreateDocument);
  const add = async () => {
    if (await run({ input: { agentCode: code, identifier: identifier.trim(), initiator } })) setIdentifier((now) => (now === identifier ? "" : now));
  };
  return (
    <>
      <Group gap="xs" align="end">
        <TextInput label="New alias" size="xs" value={identifier} onChange={(e) => setIdentifier(e.currentTarget.value)} />
        <Button size="xs" variant="default" disabled={!identifier.trim()} loading={busy} onClick={() => void add()}>
          Add
        </Button>
      </Group>
      <Problems problems={problems} />
    </>
  );
}
