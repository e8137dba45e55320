import { ActionIcon, Anchor, Button, Group, Image, List, Paper, Popover, Table, Text } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import { useState } from "react";
import { useViewer } from "./context";
import { glossary } from "./glossary";
import type { NavPage } from "./pages";
import { Dialog } from "../parts/dialog";

const pictures = import.meta.glob<string>("../help/*.webp", { eager: true, import: "default", query: "?url" });

/** Says in three sentences and a picture what a page is for, and leads to the words of the field. */
export function Help({ page }: { page: NavPage }) {
  const [words, setWords] = useState(false);
  const picture = pictures[`../help/${page.picture}.webp`];
  return (
    <>
      <Popover key={page.path} width={360} position="bottom-end" withArrow trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" visibleFrom="xs" aria-label="About this page">
            <IconHelp size={18} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown aria-label={`About ${page.label}`} tabIndex={-1}>
          {picture && <Image src={picture} alt={`The page ${page.label}`} radius="sm" mb="xs" mah={200} />}
          <List size="sm" spacing="xs">
            {page.help.map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
          <Anchor component="button" size="sm" mt="xs" onClick={() => setWords(true)}>
            What the words mean
          </Anchor>
        </Popover.Dropdown>
      </Popover>
      {words && <Glossary onClose={() => setWords(false)} />}
    </>
  );
}

function Glossary({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="What the words mean" size="lg">
      <Table fz="sm" verticalSpacing={5}>
        <Table.Tbody>
          {glossary.map(([word, meaning]) => (
            <Table.Tr key={word}>
              <Table.Th scope="row" style={{ whiteSpace: "nowrap", verticalAlign: "top" }}>
                {word}
              </Table.Th>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}

/** What this browser has put away, for who looks: pages by their paths, or all of them. */
function usePutAway() {
  const { tenant, username } = useViewer();
  const place = `upline:${tenant}:${username}:hints`;
  const read = () => (localStorage.getItem(place) ?? "").split(" ");
  const [away, setAway] = useState(read);
  const putAway = (what: string) => {
    localStorage.setItem(place, [...read(), what].join(" ").trim());
    setAway(read());
  };
  return { isAway: (page: NavPage) => away.includes("all") || away.includes(page.path), putAway };
}

/** Tells who comes to a page for the first time what to do first, until it is put away. */
export function Hint({ page }: { page: NavPage }) {
  const { isAway, putAway } = usePutAway();
  if (isAway(page)) return null;
  return (
    <Paper withBorder p="xs" mb="xs" className="hint" role="note" aria-label="First steps">
      <Text size="xs">{page.help[1]}</Text>
      <Group gap="xs" mt={6}>
        <Button size="compact-xs" variant="light" onClick={() => putAway(page.path)}>
          Got it
        </Button>
        <Anchor component="button" size="xs" onClick={() => putAway("all")}>
          No more hints
        </Anchor>
      </Group>
    </Paper>
  );
}
