import { Button, Group } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useAction } from "../../api/answer";
import { useMayForAll, useViewer } from "../../app/context";
import { RecipeDeleteDocument } from "../../gql";
import { Confirm } from "../../parts/confirm";
import { More } from "../../parts/more";
import type { Given } from "../../parts/reason";
import { Problems } from "../../parts/states";
import type { Report } from "./catalogue";

/** What can be done with a recipe: a saved query is opened to be changed, one of the agency's own is deleted. */
export function RecipeActions({ report }: { report: Report }) {
  const { tenant } = useViewer();
  const navigate = useNavigate();
  const mayWrite = useMayForAll("write:recipes");
  const remove = useAction(RecipeDeleteDocument);
  const button = { size: "compact-xs" as const, variant: "default" as const };
  const run = async (why: Given) => {
    if (report.known && (await remove.run({ known: report.known, id: report.id, ...why }))) void navigate({ to: ".", search: ((old: object) => ({ ...old, report: undefined, p: undefined })) as never });
  };
  const confirm = (onClose: () => void) => (
    <Confirm title={`Delete ${report.title}`} yes="Delete the recipe" danger onClose={onClose} onYes={(why) => void run(why)}>
      Everybody in the agency sees this recipe. It is gone for good.
    </Confirm>
  );
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
        <More isSmall label="More of the recipe" items={[{ label: "Delete", isDanger: true, dialog: confirm }]} />
      )}
      <Problems problems={remove.problems} />
    </Group>
  );
}
