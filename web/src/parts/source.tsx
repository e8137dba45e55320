import { Button, Drawer, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useClipboard, useDisclosure } from "@mantine/hooks";
import { IconCode } from "@tabler/icons-react";
import { useState } from "react";
import { endpoint } from "../api/client";
import { type Recorded, useRecorded } from "../api/recorder";

const asGraphQL = (o: Recorded) => `${o.query}\n\n# variables\n${JSON.stringify(o.variables, null, 2)}`;

/** Quotes a text for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const asCurl = (o: Recorded, tenant: string) =>
  `curl -s ${location.origin}${endpoint(tenant)} \\\n  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify({ query: o.query, variables: o.variables }))}`;

/** Shows what the view in sight has asked the server, to be asked again elsewhere. */
export function Source({ tenant }: { tenant: string }) {
  const [open, { open: show, close }] = useDisclosure();
  return (
    <>
      <Button variant="subtle" size="compact-xs" leftSection={<IconCode size={15} />} onClick={show}>
        As GraphQL, as curl
      </Button>
      <Drawer opened={open} onClose={close} title="What this page asked" position="right" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
        {open && <Operations tenant={tenant} />}
      </Drawer>
    </>
  );
}

function Operations({ tenant }: { tenant: string }) {
  const operations = useRecorded();
  const [form, setForm] = useState("graphql");
  return (
    <Stack>
      <SegmentedControl value={form} onChange={setForm} data={[{ value: "graphql", label: "As GraphQL" }, { value: "curl", label: "As curl" }]} aria-label="Form" />
      {operations.length === 0 && <Text c="dimmed">Nothing yet.</Text>}
      {operations.map((o) => (
        <Snippet key={o.name} name={o.name} text={form === "graphql" ? asGraphQL(o) : asCurl(o, tenant)} />
      ))}
    </Stack>
  );
}

function Snippet({ name, text }: { name: string; text: string }) {
  const { copy, copied } = useClipboard();
  return (
    <div>
      <Group justify="space-between">
        <Text fw={600} size="sm">
          {name}
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => copy(text)} aria-label={`Copy ${name}`}>
          {copied ? "Copied" : "Copy"}
        </Button>
      </Group>
      <pre className="code" tabIndex={0} aria-label={name}>
        {text}
      </pre>
    </div>
  );
}
