import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useClient } from "urql";
import { AuditTrailCheckDocument, type AuditTrailCheckQuery } from "../../gql";
import { Facts, Part } from "../../parts/facts";
import { formatNumber } from "../../parts/format";

type Found = AuditTrailCheckQuery["auditTrailCheck"];

/** What a check of the trail has shown: how it goes on from an earlier head, only where one was given. */
function verdictOf({ isIntact, brokenAt, head }: Found, earlier: string): { title: string; text: string } {
  if (!isIntact) return { title: brokenAt === null ? "The trail does not lead to the head that you gave" : `The trail is broken at entry ${brokenAt}`, text: "" };
  const title = "Each entry fits the one before it";
  if (!earlier) return { title, text: "Whether entries were cut off at the end, or all were written anew, only the head of an earlier check can tell: note this one down elsewhere." };
  if (earlier === head) return { title, text: "The trail still ends at the head that you gave: since that was noted, nothing was cut off or added. Of the time before it tells no more than a check without a head." };
  return { title: `${title}, and the trail goes on from the head that you gave`, text: "Since that was noted, nothing before it was changed or cut off." };
}

/** Checks the audit trail. */
export function Check() {
  const client = useClient();
  const [head, setHead] = useState("");
  const [found, setFound] = useState<{ check: Found; earlier: string }>();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    const earlier = head.trim();
    const { data, error } = await client.query(AuditTrailCheckDocument, { head: earlier || null }, { requestPolicy: "network-only" }).toPromise();
    setBusy(false);
    setFound(data && { check: data.auditTrailCheck, earlier });
    setProblem(error ? (error.graphQLErrors[0]?.message ?? error.message) : "");
  };
  return (
    <Part title="Check the trail">
      <Stack gap="xs">
        <Group align="end" gap="xs">
          <TextInput size="xs" label="Head of an earlier check, if you noted one" w={380} maw="100%" value={head} onChange={(e) => setHead(e.currentTarget.value)} />
          <Button size="xs" loading={busy} onClick={() => void check()}>
            Check
          </Button>
        </Group>
        {problem && (
          <Alert color="red" variant="outline" role="alert" title="The trail could not be checked">
            {problem}
          </Alert>
        )}
        {found && <Verdict {...found} />}
      </Stack>
    </Part>
  );
}

function Verdict({ check, earlier }: { check: Found; earlier: string }) {
  const { title, text } = verdictOf(check, earlier);
  return (
    <Alert color={check.isIntact ? "green" : "red"} variant="outline" role="status" title={title}>
      {check.reason ?? text}
      <Facts facts={[["Entries", formatNumber(check.entryCount)], ["Head", <code key="head">{check.head}</code>]]} />
    </Alert>
  );
}
