import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useViewer } from "../app/context";

/** An agent's code or name, leading to the agent. The day goes along. */
export function AgentLink({ code, children }: { code: string; children?: React.ReactNode }) {
  const { tenant } = useViewer();
  return (
    <Anchor component={Link} to={`/${tenant}/agents/${encodeURIComponent(code)}`} size="sm">
      {children ?? code}
    </Anchor>
  );
}
