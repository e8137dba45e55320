import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { gql } from "urql";
import type { Column, List } from "./spec";

export type Row = Record<string, unknown>;

export interface Page {
  list: { totalCount?: number; nodes: Row[] };
}

/** What is chosen of a list: in the URL, and so in a link. */
export interface Choice {
  columns: string[];
  filter: Record<string, unknown>;
  sort?: { field: string; direction: "ASC" | "DESC" };
}

/** The selection of a path: a.b becomes a { b }. */
const selection = (path: string) =>
  path
    .split(".")
    .reverse()
    .reduce((inner, name) => (inner ? `${name} { ${inner} }` : name), "");

export const value = (row: Row, path: string): unknown => path.split(".").reduce<unknown>((at, name) => (at as Row | null | undefined)?.[name], row);

export const columnsOf = (list: List, paths: string[]): Column[] => paths.flatMap((path) => list.columns.find((c) => c.path === path) ?? []);

const dated = (list: List) => (list.dated ? { declared: ", $onDate: Date, $asKnownAt: DateTime", given: ", onDate: $onDate, asKnownAt: $asKnownAt" } : { declared: "", given: "" });

/** The query of a page of rows, with the columns that are shown and no others. */
export function pageQuery(list: List, paths: string[]): TypedDocumentNode<Page, Record<string, unknown>> {
  const day = dated(list);
  return gql(`query ${list.title.replace(/\W/g, "")}($filter: ${list.filterType}, $orderBy: [${list.orderType}!], $first: Int, $offset: Int, $counted: Boolean!${day.declared}) {
  list: ${list.field}(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset${day.given}) {
    totalCount @include(if: $counted)
    nodes { ${paths.map(selection).join(" ")} }
  }
}`);
}

/** The query of an export of the same rows: it pages by itself. */
export function exportQuery(list: List, paths: string[]): string {
  const day = dated(list);
  return `query Export($filter: ${list.filterType}, $orderBy: [${list.orderType}!]${day.declared}) { ${list.field}(filter: $filter, orderBy: $orderBy${day.given}) { nodes { ${paths.map(selection).join(" ")} } } }`;
}
