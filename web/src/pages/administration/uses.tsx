import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "../../api/answer";
import { SchemaUsesDocument } from "../../gql";
import { formatDay, formatNumber } from "../../parts/format";
import { Rows } from "../../parts/rows";
import { Failure, Loading } from "../../parts/states";

/** Uses lists which parts of the schema a client used, a hundred at a time. */
export function Uses({ clientId }: { clientId: string }) {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const { data, error, loading } = useAnswer(SchemaUsesDocument, { clientId, after: cursors[cursors.length - 1] });
  if (error) return <Failure error={error} />;
  if (loading || !data) return <Loading what="what it used" />;
  const { nodes, totalCount, pageInfo } = data.schemaUses;
  if (totalCount === 0) return <Text size="sm">It has not used GraphQL in the last 400 days.</Text>;
  const button = { size: "compact-xs" as const, variant: "default" as const };
  return (
    <>
      <Rows label={`What ${clientId} used of the schema`} head={["Part of the schema", "Requests", "Last used"]} rows={nodes.map((u) => ({ key: u.coordinate, cells: [<code key={0}>{u.coordinate}</code>, formatNumber(u.requests), formatDay(u.lastUsedOn)] }))} />
      <Group gap="xs" mt={6}>
        <Text size="sm" c="dimmed">
          {formatNumber(totalCount)} in all
        </Text>
        <Button {...button} disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
          Previous
        </Button>
        <Button {...button} disabled={!pageInfo.hasNextPage} onClick={() => setCursors([...cursors, pageInfo.endCursor ?? null])}>
          Next
        </Button>
      </Group>
    </>
  );
}
