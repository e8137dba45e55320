import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useClient } from "urql";
import { AuditTrailCheckDocument, type AuditTrailCheckQuery } from "../../gql";
import { Facts, Part } from "../../parts/facts";
import { formatNumber } from "../../parts/format";

type Found = AuditTrailCheckQuery["auditTrailCheck"];

/** Checks that nobody tampered with the audit trail. */
export function Check() {
  const client = useClient();
  const [head, setHead] = useState("");
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    const { data, error } = await client.query(AuditTrailCheckDocument, { head: head.trim() || null }, { requestPolicy: "network-only" }).toPromise();
    setBusy(false);
    setFound(data?.auditTrailCheck);
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
        {found && (
          <Alert color={found.isIntact ? "green" : "red"} variant="outline" role="status" title={found.isIntact ? "Nobody tampered with the trail" : `The trail is broken at entry ${found.brokenAt}`}>
            {found.reason}
            <Facts facts={[["Entries", formatNumber(found.entryCount)], ["Head", <code key="head">{found.head}</code>]]} />
          </Alert>
        )}
      </Stack>
    </Part>
  );
}
