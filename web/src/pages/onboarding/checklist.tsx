import { List, Text } from "@mantine/core";
import { IconCircle, IconCircleCheck } from "@tabler/icons-react";
import type { ApplicationQuery } from "../../gql";
import { sentenceOf } from "../../parts/states";

type Application = NonNullable<ApplicationQuery["application"]>;

/** The parts of an application, by the fields that begin their paths; the last has whatever no other has. */
const parts: [string, RegExp][] = [
  ["Addresses and telephone numbers", /^(home|business|cell)/],
  ["Licences", /^licenses/],
  ["Employment", /^employment/],
  ["Tax form", /^w9/],
  ["Background", /^background/],
  ["Contract", /^contract/],
  ["The applicant", /^/],
];

/** What has to be there before an application goes on: each part is done, or says what is missing. */
export function Checklist({ application: a }: { application: Application }) {
  const missing = new Map<string, string[]>(parts.map(([title]) => [title, []]));
  for (const e of a.validation?.errors ?? []) missing.get(parts.find(([, is]) => is.test(e.field?.filter((part) => part !== "input")[0] ?? ""))![0])!.push(sentenceOf(e));
  const held = a.status === "HOLD" ? [...a.statusHistory].sort((x, y) => (x.changedAt < y.changedAt ? 1 : -1)).find((s) => s.toStatus === "HOLD") : undefined;
  const items: [title: string, open: string[]][] = [...missing].reverse();
  if (a.background?.requiresApproval) items.push(["Approval of the background", a.background.approved ? [] : ["The background is not approved."]]);
  if (a.status === "HOLD") items.push(["On hold", [`It is on hold${held?.reason ? `: ${held.reason}` : "."}`]]);
  return (
    <>
      <List size="sm" spacing={4} listStyleType="none">
        {items.map(([title, open]) => (
          <List.Item key={title} icon={open.length > 0 ? <IconCircle size={18} color="var(--mantine-color-orange-text)" aria-label="Open" role="img" /> : <IconCircleCheck size={18} color="var(--mantine-color-green-text)" aria-label="Done" role="img" />}>
            {title}
            {open.map((text) => (
              <Text size="sm" c="dimmed" key={text}>
                {text}
              </Text>
            ))}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt="xs">
        Done means that what is mandatory is filled in. Whether it is true, nobody has checked here.
      </Text>
    </>
  );
}
