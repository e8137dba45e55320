import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMay, useViewer } from "../app/context";

/** An agent's code or name, leading to the agent, for who may read agents. The day goes along. */
export function AgentLink({ code, children }: { code: string; children?: React.ReactNode }) {
  const { tenant } = useViewer();
  if (!useMay("read:agents")) return <>{children ?? code}</>;
  return (
    <Anchor component={Link} to={`/${tenant}/agents/${encodeURIComponent(code)}`} size="sm">
      {children ?? code}
    </Anchor>
  );
}
