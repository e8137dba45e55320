import { Button, Group } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../api/answer";
import { useMayForAll, useViewer } from "../../app/context";
import { RecipeDeleteDocument } from "../../gql";
import { Confirm } from "../../parts/confirm";
import type { Given } from "../../parts/reason";
import { Problems } from "../../parts/states";
import type { Report } from "./catalogue";

/** What can be done with a recipe: a saved query is opened to be changed, one of the agency's own is deleted. */
export function RecipeActions({ report }: { report: Report }) {
  const { tenant } = useViewer();
  const navigate = useNavigate();
  const mayWrite = useMayForAll("write:recipes");
  const [asked, setAsked] = useState(false);
  const remove = useAction(RecipeDeleteDocument);
  const button = { size: "compact-xs" as const, variant: "default" as const };
  const run = async (why: Given) => {
    if (report.known && (await remove.run({ known: report.known, id: report.id, ...why }))) void navigate({ to: ".", search: ((old: object) => ({ ...old, report: undefined, p: undefined })) as never });
  };
  return (
    <Group gap="xs">
      {report.saved && (
        <Button {...button} component={Link} to={`/${tenant}/explore`} search={report.saved as never}>
          Open in Explore
        </Button>
      )}
      {report.kind === "own" && mayWrite && !report.saved && (
        <Button {...button} onClick={() => void navigate({ to: ".", search: ((old: object) => ({ ...old, report: report.key, build: report.id })) as never })}>
          Change
        </Button>
      )}
      {report.kind === "own" && mayWrite && (
        <Button {...button} loading={remove.busy} onClick={() => setAsked(true)}>
          Delete
        </Button>
      )}
      <Problems problems={remove.problems} />
      {asked && (
        <Confirm title={`Delete ${report.title}`} yes="Delete the recipe" danger onClose={() => setAsked(false)} onYes={(why) => void run(why)}>
          Everybody in the agency sees this recipe. It is gone for good.
        </Confirm>
      )}
    </Group>
  );
}
