import { ActionIcon, Button, Checkbox, Group, Modal, Popover, Stack, Text, TextInput } from "@mantine/core";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useDay, useMay, useMayForAll, useViewer } from "../../app/context";
import { RecipeCreateDocument, RecipeDeleteDocument, SharedViewsDocument } from "../../gql";
import { Problems } from "../../parts/states";
import { type Choice, columnsOf, filterOf, orderOf, viewQuery } from "./query";
import type { List } from "./spec";

interface View {
  name: string;
  choice: Choice;
  /** The recipe that keeps it for everybody. */
  id?: string;
  known?: string;
}

interface Definition {
  graphql?: string;
  connectionPath?: string;
  variables?: { filter?: Choice["filter"]; orderBy?: Choice["sort"][] | null };
  columns?: { field: string }[];
}

/** The views of a list among the recipes of the agency. */
function sharedOf(list: List, recipes: { id: string; name: string; definition: unknown; lastModified: string }[]): View[] {
  return recipes.flatMap(({ id, name, definition, lastModified }) => {
    const { graphql, connectionPath, variables, columns } = definition as Definition;
    if (connectionPath !== list.field || !graphql?.startsWith("query View(")) return [];
    return [{ id, name, known: lastModified, choice: { columns: (columns ?? []).map((c) => c.field), filter: variables?.filter ?? {}, sort: variables?.orderBy?.[0] } }];
  });
}

/** The views that this browser keeps for who looks. */
function useOwn(list: List): [View[], (change: (old: View[]) => View[]) => void] {
  const { tenant, username } = useViewer();
  const place = `upline:${tenant}:${username}:views:${list.id}`;
  const read = () => JSON.parse(localStorage.getItem(place) ?? "[]") as View[];
  const [views, setViews] = useState(read);
  const set = (change: (old: View[]) => View[]) => {
    const next = change(read()); // another tab may have kept one meanwhile
    localStorage.setItem(place, JSON.stringify(next));
    setViews(next);
  };
  return [views, set];
}

const entry = { variant: "subtle", size: "compact-sm" } as const;
const head = { size: "xs", c: "dimmed" } as const;

interface ViewsProps {
  list: List;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** The views of a list that were kept: columns, conditions and order, for oneself or for everybody. */
export function Views({ list, choice, onChoose }: ViewsProps) {
  const [open, setOpen] = useState(false);
  const [saving, setSaving] = useState(false);
  const mayRead = useMay("business-insights:report-recipes:read");
  const mayShare = useMayForAll("write:recipes");
  const { data } = useAnswer(SharedViewsDocument, {}, !open || !mayRead);
  const remove = useAction(RecipeDeleteDocument);
  const [own, setOwn] = useOwn(list);
  const shared = sharedOf(list, data?.agencyRecipes.nodes ?? []);
  const item = (view: View, onRemove: (() => void) | undefined) => (
    <Group key={view.id ?? view.name} gap={0} wrap="nowrap" justify="space-between">
      <Button {...entry} onClick={() => (setOpen(false), onChoose(view.choice))}>
        {view.name}
      </Button>
      {onRemove && (
        <ActionIcon variant="subtle" color="gray" aria-label={`Forget ${view.name}`} onClick={onRemove}>
          <IconTrash size={14} />
        </ActionIcon>
      )}
    </Group>
  );
  return (
    <>
      <Popover opened={open} onChange={setOpen} position="bottom-end" withArrow shadow="md" width={260}>
        <Popover.Target>
          <Button size="xs" variant="default" leftSection={<IconBookmark size={15} />} onClick={() => setOpen(!open)}>
            Views
          </Button>
        </Popover.Target>
        <Popover.Dropdown p="xs" role="group" aria-label="Views">
          {own.length > 0 && <Text {...head}>Mine, in this browser</Text>}
          {own.map((v) => item(v, () => setOwn((old) => old.filter((o) => o.name !== v.name))))}
          {shared.length > 0 && <Text {...head}>Everybody&apos;s</Text>}
          {shared.map((v) => item(v, mayShare ? () => void remove.run({ id: v.id!, known: v.known! }) : undefined))}
          {own.length + shared.length === 0 && <Text {...head}>Nothing is kept yet</Text>}
          <Button {...entry} mt="xs" onClick={() => (setOpen(false), setSaving(true))}>
            Keep this view…
          </Button>
        </Popover.Dropdown>
      </Popover>
      {saving && <Keep list={list} choice={choice} mayShare={mayShare} onKeep={(view) => setOwn((old) => [...old.filter((o) => o.name !== view.name), view])} onClose={() => setSaving(false)} />}
    </>
  );
}

interface KeepProps {
  list: List;
  choice: Choice;
  mayShare: boolean;
  onKeep: (view: View) => void;
  onClose: () => void;
}

function Keep({ list, choice, mayShare, onKeep, onClose }: KeepProps) {
  const { onDate } = useDay();
  const [name, setName] = useState("");
  const [forAll, setForAll] = useState(false);
  const create = useAction(RecipeCreateDocument);
  const save = async () => {
    const named = name.trim();
    if (!forAll) {
      onKeep({ name: named, choice });
      return onClose();
    }
    const columns = columnsOf(list, choice.columns);
    const definition = {
      graphql: viewQuery(list, columns.map((c) => c.path)),
      variables: { filter: filterOf(choice.filter, onDate), orderBy: orderOf(list, choice) },
      connectionPath: list.field,
      columns: columns.map((c) => ({ field: c.path, label: c.label })),
    };
    if (await create.run({ input: { name: named, description: `The list ${list.title}`, dataset: "graphql", definition } })) onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Keep this view" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="sm">
        <TextInput label="Name" required data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && !e.nativeEvent.isComposing && name.trim() && !create.busy && void save()} />
        {mayShare && <Checkbox label="For everybody in the agency" description="It is a recipe, too, which Insights runs. A span of days is kept as the days that it is now." checked={forAll} onChange={(e) => setForAll(e.currentTarget.checked)} />}
        {!forAll && <Text size="sm">It stays in this browser. To show it to somebody, send the address of the page.</Text>}
        <Problems problems={create.problems} />
        <Group justify="flex-end">
          <Button disabled={!name.trim()} loading={create.busy} onClick={() => void save()}>
            Keep
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
