import { createContext, type ReactNode, useContext, useMemo } from "react";
import { useAnswer } from "../api/answer";
import { useMay } from "../app/context";
import { PeopleDocument } from "../gql";

const NamesContext = createContext<ReadonlyMap<string, string>>(new Map());

/** So many are named at once, which is what a page of the API has at most. */
const most = 100;

/** Says who the agents are whose codes stand in what is below. */
export function People({ codes, children }: { codes: string[]; children: ReactNode }) {
  const mayRead = useMay("read:agents");
  const asked = [...new Set(codes)].sort().slice(0, most);
  const { data } = useAnswer(PeopleDocument, { codes: asked, first: most }, !mayRead || asked.length === 0);
  const names = useMemo(() => new Map(data?.agents.nodes.map((a) => [a.agentCode, a.displayName])), [data]);
  return <NamesContext.Provider value={names}>{children}</NamesContext.Provider>;
}

/** An agent as people know it: its name and its code; the code alone where the name is not known. */
export function useNamed(): (code: string) => string {
  const names = useContext(NamesContext);
  return (code) => (names.has(code) ? `${names.get(code)} · ${code}` : code);
}
