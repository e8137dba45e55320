import { print } from "graphql";
import { useSyncExternalStore } from "react";
import type { AnyVariables } from "urql";
import { sensitive } from "../sensitive";
import { type Exchange, tap } from "./urql";

/** One operation that the page in view has sent. */
export interface Recorded {
  name: string;
  query: string;
  variables: Record<string, unknown>;
}

let operations: Recorded[] = [];
const listeners = new Set<() => void>();

function publish(next: Recorded[]) {
  operations = next;
  listeners.forEach((listener) => listener());
}

/** Forgets what the last page sent. */
export const forget = () => publish([]);

/** The last operation of each name that the page in view has sent. */
export function useRecorded(): Recorded[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => operations,
  );
}

// The value of a header has the name that many other values have: headers are left out whole.
const secrets = new Set(["headers", ...sensitive.filter((name) => name !== "value")]);

/** What was typed into fields that are masked elsewhere is not shown again. */
const shown = (variables: AnyVariables) => JSON.parse(JSON.stringify(variables ?? {}, (name, value: unknown) => (secrets.has(name) && value !== null ? "…" : value))) as Record<string, unknown>;

const nameOf = (query: string) => /(?:query|mutation|subscription)\s+(\w+)/.exec(query)?.[1] ?? "Operation";

/** Notes every operation, so that each page can show itself as GraphQL. */
export const recording: Exchange =
  ({ forward }) =>
  (operations$) =>
    forward(
      tap(operations$, (operation) => {
        if (operation.kind === "teardown") return;
        const query = print(operation.query);
        const name = nameOf(query);
        publish([...operations.filter((o) => o.name !== name), { name, query, variables: shown(operation.variables) }]);
      }),
    );
