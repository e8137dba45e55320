import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMay, useViewer } from "../app/context";
import { formatNumber } from "./format";
import { useNamed } from "./people";

/** An agent by name and code, as far as the name is known, leading to the agent, for who may read agents. The day goes along. */
export function AgentLink({ code, children }: { code: string; children?: React.ReactNode }) {
  const { tenant } = useViewer();
  const named = useNamed();
  if (!useMay("read:agents")) return <>{children ?? named(code)}</>;
  return (
    <Anchor component={Link} to={`/${tenant}/agents/${encodeURIComponent(code)}`} size="sm">
      {children ?? named(code)}
    </Anchor>
  );
}

interface LeftOutProps {
  list: { nodes: unknown[]; totalCount: number };
  /** What the rows are, and which are shown. */
  what: string;
  which: "first" | "newest";
  of: string;
  /** The list that has all rows, if one does. */
  all?: string;
}

/** Says how much of a list of an agent is left out, and leads to all of it. */
export function LeftOut({ list: { nodes, totalCount }, what, which, of, all }: LeftOutProps) {
  const { tenant } = useViewer();
  if (nodes.length >= totalCount) return null;
  return (
    <Text size="xs" c="dimmed">
      The {which} {formatNumber(nodes.length)} of {formatNumber(totalCount)} {what} are shown.{" "}
      {all && (
        <Anchor component={Link} to={`/${tenant}/lists/${all}`} search={{ filter: { agentCode: of } } as never} size="xs" underline="always">
          All of them
        </Anchor>
      )}
    </Text>
  );
}
