import { ActionIcon, Button, Checkbox, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useAction, useAnswer } from "../api/answer";
import { useMayForAll } from "../app/context";
import { PresetCreateDocument, PresetDeleteDocument, type PresetKind, PresetReplaceDocument, PresetsDocument } from "../gql";
import { Confirm } from "./confirm";
import { Dialog } from "./dialog";
import { Failure, Problems } from "./states";

/** What somebody arranged and keeps under a name. */
export interface Preset<C> {
  id: string;
  subject: string;
  name: string;
  content: C;
  isShared: boolean;
  lastModified: string;
}

const entry = { variant: "subtle", size: "compact-sm" } as const;
const head = { size: "xs", c: "dimmed" } as const;

interface PresetsProps<C> {
  kind: PresetKind;
  subject: string;
  /** One of them, in words. */
  word: string;
  /** What is kept under a name. */
  content: C;
  /** What is kept, whatever others wrote there. */
  read: (content: unknown) => C;
  onTake: (content: C) => void;
}

/** Takes what is kept, and keeps what is there. */
export function Presets<C>({ kind, subject, word, content, read, onTake }: PresetsProps<C>) {
  const [open, setOpen] = useState(false);
  const [saving, setSaving] = useState(false);
  const [gone, setGone] = useState<Preset<unknown> | null>(null);
  const { data, error } = useAnswer(PresetsDocument, { kind, subject }, !open && !saving);
  const presets = data?.presets.nodes ?? [];
  const remove = useAction(PresetDeleteDocument);
  const mayShare = useMayForAll("write:recipes");
  const of = (isShared: boolean, title: string) => {
    const some = presets.filter((p) => p.isShared === isShared);
    return (
      some.length > 0 && (
        <>
          <Text {...head}>{title}</Text>
          {some.map((p) => (
            <Group key={p.id} gap={0} wrap="nowrap" justify="space-between">
              <Button {...entry} onClick={() => (setOpen(false), onTake(read(p.content)))}>
                {p.name}
              </Button>
              {(!isShared || mayShare) && (
                <ActionIcon variant="subtle" color="gray" aria-label={`Forget ${p.name}`} disabled={remove.busy} onClick={() => (setOpen(false), setGone(p))}>
                  <IconTrash size={14} />
                </ActionIcon>
              )}
            </Group>
          ))}
        </>
      )
    );
  };
  return (
    <>
      <Popover opened={open} onChange={setOpen} position="bottom-end" withArrow shadow="md" width={260}>
        <Popover.Target>
          <Button size="xs" variant="default" leftSection={<IconBookmark size={15} />} onClick={() => setOpen(!open)}>
            {word.replace(/^./, (c) => c.toUpperCase())}s
          </Button>
        </Popover.Target>
        <Popover.Dropdown p="xs" role="group" aria-label={`${word}s`} mah="60vh" style={{ overflowY: "auto" }}>
          {of(false, "Mine")}
          {of(true, "Everybody's")}
          {error && <Failure error={error} />}
          {data && presets.length === 0 && <Text {...head}>Nothing is kept yet</Text>}
          {data?.presets.pageInfo.hasNextPage && <Text {...head}>More are kept than are shown</Text>}
          <Button {...entry} mt="xs" onClick={() => (setOpen(false), setSaving(true))}>
            Keep this {word}…
          </Button>
        </Popover.Dropdown>
      </Popover>
      <Problems problems={remove.problems} />
      {gone && (
        <Confirm title={`Forget ${gone.name}`} yes="Forget it" danger onClose={() => setGone(null)} onYes={(why) => void remove.run({ id: gone.id, known: [gone.lastModified], ...why })}>
          {gone.isShared ? `Nobody in the agency has this ${word} then.` : `Only you have this ${word}.`}
        </Confirm>
      )}
      {saving && <Keep kind={kind} subject={subject} word={word} content={content} presets={presets} onClose={() => setSaving(false)} />}
    </>
  );
}

interface KeepProps<C> extends Omit<PresetsProps<C>, "read" | "onTake"> {
  presets: Preset<unknown>[];
  onClose: (id?: string) => void;
}

/** Keeps something under a name, in the place of one of that name. */
export function Keep<C>({ kind, subject, word, content, presets, onClose }: KeepProps<C>) {
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  const mayShare = useMayForAll("write:recipes");
  const create = useAction(PresetCreateDocument);
  const replace = useAction(PresetReplaceDocument);
  const named = name.trim();
  const old = presets.find((p) => p.isShared === isShared && p.name.toLowerCase() === named.toLowerCase());
  const busy = create.busy || replace.busy;
  const save = async () => {
    const answer = old
      ? await replace.run({ known: [old.lastModified], input: { id: old.id, name: named, content, isShared } })
      : await create.run({ input: { kind, subject, name: named, content, isShared } });
    if (answer) onClose(answer.change.preset?.id);
  };
  return (
    <Dialog onClose={() => onClose()} title={`Keep this ${word}`}>
      <Stack gap="sm">
        <TextInput label="Name" required data-autofocus maxLength={100} value={name} onChange={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && !e.nativeEvent.isComposing && named && !busy && void save()} />
        {mayShare && <Checkbox label="For everybody in the agency" checked={isShared} onChange={(e) => setShared(e.currentTarget.checked)} />}
        <Problems problems={[...create.problems, ...replace.problems]} />
        <Group justify="flex-end">
          <Button disabled={!named} loading={busy} onClick={() => void save()}>
            {old ? "Replace" : "Keep"}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
