import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { gql } from "urql";
import { dayNumber, dayOf } from "../../parts/format";
import { isRow, type Row } from "../../parts/row";
import type { Column, List } from "./spec";

export interface Page {
  list: { totalCount?: number; nodes: Row[] };
}

/** What is chosen of a list: in the URL, and so in a link. */
export interface Choice {
  columns: string[];
  filter: Record<string, unknown>;
  sort?: { field: string; direction: "ASC" | "DESC" };
}

/** What a filter has at a path, such as lacks.type. */
export const conditionAt = (filter: Row, path: string): unknown => path.split(".").reduce<unknown>((at, name) => (isRow(at) ? at[name] : undefined), filter);

/** A filter with another condition at a path; without it, if that is undefined. What is left empty goes. */
export function withCondition(filter: Row, path: string, condition: unknown): Row {
  const [name = "", ...below] = path.split(".");
  const { [name]: old, ...others } = filter;
  if (below.length === 0) return condition === undefined ? others : { ...others, [name]: condition };
  const inner = withCondition(isRow(old) ? old : {}, below.join("."), condition);
  return Object.keys(inner).length === 0 ? others : { ...others, [name]: inner };
}

/** A filter as the API has it: so many days from a day on are a first and a last day. */
export function filterOf(filter: Row, onDate: string): Row {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, is]): [string, unknown][] => {
      if (name === "expires") return [["expiresFrom", onDate], ["expiresThrough", dayOf(dayNumber(onDate) + Number(is))]];
      return [[name, isRow(is) ? filterOf(is, onDate) : is]];
    }),
  );
}

/** The order in which rows are asked for: what is searched for comes with the best first. */
export const orderOf = (list: List, choice: Choice) => (choice.sort ? [choice.sort] : list.order && conditionAt(choice.filter, list.search.name) === undefined ? [{ field: list.order, direction: "ASC" }] : null);

/** The selection of paths: a.b and a.c become a { b c }. */
function selectionOf(paths: string[]): string {
  const below = new Map<string, string[]>();
  for (const path of paths) {
    const [name = "", ...rest] = path.split(".");
    below.set(name, [...(below.get(name) ?? []), ...(rest.length ? [rest.join(".")] : [])]);
  }
  return [...below].map(([name, inner]) => (inner.length ? `${name} { ${selectionOf(inner)} }` : name)).join(" ");
}

/** What a row has at a path; of a list, what each of it has. */
export const value = (row: Row, path: string): unknown =>
  path.split(".").reduce<unknown>((at, name) => (Array.isArray(at) ? at.map((one: Row) => one[name]).join(", ") : (at as Row | null | undefined)?.[name]), row);

export const columnsOf = (list: List, paths: string[]): Column[] => paths.flatMap((path) => list.columns.find((c) => c.path === path) ?? []);

const dated = (list: List) => (list.dated ? { declared: ", $onDate: Date, $asKnownAt: DateTime", given: ", onDate: $onDate, asKnownAt: $asKnownAt" } : { declared: "", given: "" });

/** The query of a page of rows, with the columns that are shown and no others. */
export function pageQuery(list: List, paths: string[]): TypedDocumentNode<Page, Record<string, unknown>> {
  const day = dated(list);
  return gql(`query ${list.title.replace(/\W/g, "")}($filter: ${list.filterType}, $orderBy: [${list.orderType}!], $first: Int, $offset: Int, $counted: Boolean!${day.declared}) {
  list: ${list.field}(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset${day.given}) {
    totalCount @include(if: $counted)
    nodes { ${selectionOf(paths)} }
  }
}`);
}

/** The query of an export of the same rows: it pages by itself. */
export function exportQuery(list: List, paths: string[]): string {
  const day = dated(list);
  return `query Export($filter: ${list.filterType}, $orderBy: [${list.orderType}!]${day.declared}) { ${list.field}(filter: $filter, orderBy: $orderBy${day.given}) { nodes { ${selectionOf(paths)} } } }`;
}
