import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useViewer } from "../../app/context";
import { OwnRecipesDocument, RecipeCreateDocument, RecipeReplaceDocument } from "../../gql";

import { Dialog } from "../../parts/dialog";
import type { Result } from "../../parts/result";
import { Problems } from "../../parts/states";
import { headingOf } from "../../parts/words";
import { recipeKey } from "../insights/catalogue";

interface RecipeProps {
  query: string;
  variables: string;
  /** Where in the answer the rows are, such as agents. */
  path: string;
  table: Result;
  onClose: () => void;
}

/** Saves a query as a recipe of the agency, a new one or in the place of one of that name. */
export function Recipe({ query, variables, path, table, onClose }: RecipeProps) {
  const { tenant } = useViewer();
  const { data } = useAnswer(OwnRecipesDocument, {});
  const create = useAction(RecipeCreateDocument, "live");
  const replace = useAction(RecipeReplaceDocument, "live");
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [saved, setSaved] = useState<string>();
  const old = data?.agencyRecipes.nodes.find((r) => r.name.toLowerCase() === name.trim().toLowerCase());
  const save = async () => {
    const definition = { graphql: query, variables: JSON.parse(variables || "{}") as object, connectionPath: path, columns: table.columns.map((c) => ({ field: c.key, label: headingOf(c.key) })) };
    const input = { name: name.trim(), description: description || old?.description || null, dataset: "graphql", definition };
    setSaved((await (old ? replace.run({ known: [old.lastModified], input: { id: old.id, ...input } }) : create.run({ input })))?.change.reportRecipe?.id);
  };
  return (
    <Dialog onClose={onClose} title="Save as a recipe">
      {saved ? (
        <Alert color="green" variant="outline" role="status" title="Saved for the agency">
          <Anchor component={Link} to={`/${tenant}/insights`} search={{ report: recipeKey(saved) } as never} size="sm">
            {name} in Insights
          </Anchor>
        </Alert>
      ) : (
        <Stack gap="sm">
          <TextInput label="Name" required value={name} onChange={(e) => setName(e.currentTarget.value)} data-autofocus />
          <TextInput label="What it is for" value={description} onChange={(e) => setDescription(e.currentTarget.value)} />
          <Text size="sm">{old ? `The agency has a recipe of this name${old.description ? `: ${old.description}` : ""}. This query takes its place.` : "Everybody in the agency who may run reports finds it in Insights. It shows each what they may see."}</Text>
          <Problems problems={[...create.problems, ...replace.problems]} />
          <Group justify="flex-end">
            <Button onClick={() => void save()} disabled={!name.trim()} loading={create.busy || replace.busy}>
              {old ? "Replace" : "Save"}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
