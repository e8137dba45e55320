import { getRouteApi } from "@tanstack/react-router";
import { createContext, useContext } from "react";
import type { Client } from "urql";

/** The days that the agency knows something of, and how many moves fell into each part of them. */
export interface History {
  first: string;
  last: string;
  marks: number[];
}

/** What every view knows of who looks, and at which agency. */
export interface Viewer extends History {
  tenant: string;
  username: string;
  agentCode: string | null;
  scopes: ReadonlySet<string>;
  /** Sees one agent and everybody below only. */
  isLimited: boolean;
  today: string;
  timeZone: string;
  defaultPageSize: number;
  pageSize: number;
}

export const ViewerContext = createContext<Viewer | null>(null);
/** The client of streams, which go on when everything else is read anew. */
export const LiveContext = createContext<Client | null>(null);

/** How everything in view is read anew, and whether it is being read. */
export interface Reading {
  /** Reads it anew. What was known is shown, and typed in, meanwhile; from the beginning, the view is opened anew, too. */
  fresh: (fromTheBeginning?: boolean) => void;
  isUnderWay: boolean;
  /** Says that something is being read anew, until what it returns is called. */
  begin: () => () => void;
}

export const ReadingContext = createContext<Reading>({ fresh: () => undefined, isUnderWay: false, begin: () => () => undefined });

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error("nobody is signed in");
  return viewer;
}

export function useLive(): Client {
  const client = useContext(LiveContext);
  if (!client) throw new Error("nobody is signed in");
  return client;
}

export const useReading = () => useContext(ReadingContext);

export const useMay = (...scopes: string[]) => {
  const held = useViewer().scopes;
  return scopes.some((scope) => held.has(scope));
};

/** Whether the caller may do what takes a scope and is about the whole agency: whoever sees a part may not, whatever they hold. */
export const useMayForAll = (scope: string) => useMay(scope) && !useViewer().isLimited;

/** The parameters of the URL that every view has. */
export interface DaySearch {
  day?: string;
  known?: string;
}

const root = getRouteApi("__root__");

/** The day to look at, and the instant whose knowledge counts, as queries take them. */
export function useDay() {
  const { today } = useViewer();
  const { day, known } = root.useSearch() as DaySearch;
  return { onDate: day ?? today, asKnownAt: known ?? null, isToday: !day };
}
