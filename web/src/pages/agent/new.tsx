import { useNavigate } from "@tanstack/react-router";
import { useMayForAll, useViewer } from "../../app/context";
import { AgentRegisterDocument } from "../../gql";
import { FormButton } from "../../parts/form/form";

/** A button that registers an agent, below another if one is named, and leads there. */
export function NewAgent({ below }: { below?: string }) {
  const { tenant, today } = useViewer();
  const navigate = useNavigate();
  if (!useMayForAll("write:agents")) return null;
  return (
    <FormButton
      isMain
      isQuiet
      label={below ? "New agent below" : "New agent"}
      title="Register an agent"
      document={AgentRegisterDocument}
      suggested={{ startDate: `${today}T00:00:00Z`, teams: [{ membership: { directUpline: below } }] }}
      onDone={(data) => data.change.agent && void navigate({ to: `/${tenant}/agents/${encodeURIComponent(data.change.agent.agentCode)}` })}
    />
  );
}
