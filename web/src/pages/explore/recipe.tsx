import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { download } from "../../parts/download";
import type { Result } from "../../parts/result";
import { words } from "../../parts/format";

interface RecipeProps {
  query: string;
  variables: string;
  /** Where in the answer the rows are, such as agents. */
  path: string;
  table: Result;
  onClose: () => void;
}

const labelOf = (key: string) => words(key.split(".").map((part) => part.replace(/([A-Z])/g, " $1")).join(" "));

/**
 * Writes a query as a recipe. All agencies of a server share its recipes, so no user of one
 * may add any: what is written here is for whoever runs the server.
 */
export function Recipe({ query, variables, path, table, onClose }: RecipeProps) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const save = () => {
    const definition = { graphql: query, variables: JSON.parse(variables || "{}") as object, connectionPath: path, columns: table.columns.map((c) => ({ field: c.key, label: labelOf(c.key) })) };
    download(new Blob([JSON.stringify({ name, description: description || null, dataset: "graphql", definition }, null, 2)], { type: "application/json" }), `${name}.json`);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Save as a recipe" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="sm">
        <TextInput label="Name" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
        <TextInput label="What it is for" value={description} onChange={(e) => setDescription(e.currentTarget.value)} />
        <Text size="sm">All agencies of this server share its recipes, so its operator adds them: give them the file. It is the input of reportRecipeCreate, and the body of POST /business-insights/report-recipes.</Text>
        <Group justify="flex-end">
          <Button onClick={save} disabled={!name.trim()}>
            Save the file
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
