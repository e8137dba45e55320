import { Text } from "@mantine/core";
import { useAnswer } from "../api/answer";
import { ScopesDocument } from "../gql";
import { words } from "./words";
import { ChooseMany } from "./choose";

/** What each scope allows, by its name. */
export function useRights(): (name: string) => string {
  const { data } = useAnswer(ScopesDocument, {});
  const rights = new Map(data?.scopes.map((s) => [s.name, s.description.replace(/\.$/, "")]));
  return (name) => rights.get(name) ?? words(name.replaceAll(":", ", ").replaceAll("-", " "));
}


/** Scopes as what they allow, unfolded by whoever wants to know. */
export function Scopes({ scopes }: { scopes: string[] }) {
  const right = useRights();
  return (
    <details className="scopes">
      <summary>
        {scopes.length} {scopes.length === 1 ? "right" : "rights"}
      </summary>
      <ul>
        {scopes.map((name) => (
          <Text key={name} component="li" size="sm">
            {right(name)}
          </Text>
        ))}
      </ul>
    </details>
  );
}

/** Chooses among scopes, by what they allow. */
export function ScopesField({ data, ...field }: Omit<Parameters<typeof ChooseMany>[0], "data"> & { data: string[] }) {
  const right = useRights();
  return <ChooseMany {...field} data={data.map((value) => ({ value, label: right(value) }))} />;
}
