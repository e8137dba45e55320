import { Code, type ComboboxItem, MultiSelect, type MultiSelectProps, Text } from "@mantine/core";
import { useAnswer } from "../api/answer";
import { ScopesDocument } from "../gql";

/** What each scope allows, by its name. */
function useWords(): Map<string, string> {
  const { data } = useAnswer(ScopesDocument, {});
  return new Map(data?.scopes.map((s) => [s.name, s.description]));
}

const InWords = ({ name, words }: { name: string; words: Map<string, string> }) => (
  <span>
    {words.get(name)} <Code fz={11}>{name}</Code>
  </span>
);

/** Scopes as what they allow, unfolded by whoever wants to know. */
export function Scopes({ scopes }: { scopes: string[] }) {
  const words = useWords();
  return (
    <details className="scopes">
      <summary>
        {scopes.length} {scopes.length === 1 ? "right" : "rights"}
      </summary>
      <ul>
        {scopes.map((name) => (
          <Text key={name} component="li" size="sm">
            <InWords name={name} words={words} />
          </Text>
        ))}
      </ul>
    </details>
  );
}

/** Chooses among scopes; what is typed is looked for in their names and in what they allow. */
export function ScopesField(field: MultiSelectProps & { data: string[] }) {
  const words = useWords();
  const holds = (name: string, search: string) => `${name} ${words.get(name)}`.toLowerCase().includes(search.trim().toLowerCase());
  return <MultiSelect {...field} searchable filter={({ options, search }) => (options as ComboboxItem[]).filter((o) => holds(o.value, search))} renderOption={({ option }) => <InWords name={option.value} words={words} />} />;
}
