import type { Result, ResultColumn } from "../../parts/result";
import { isRow, type Row } from "../../parts/row";

/** A list, and the object that it stands in. */
interface Found {
  rows: Row[];
  of: Row;
}

/** The first list of objects in an answer. */
function listIn(value: unknown, of: Row = {}): Found | null {
  if (Array.isArray(value)) return value.every(isRow) ? { rows: value, of } : null;
  if (!isRow(value)) return null;
  for (const below of Object.values(value)) {
    const found = listIn(below, value);
    if (found) return found;
  }
  return null;
}

/** How many rows there are of a list, as far as its connection says so: null when there are more than those read. */
function totalOf({ rows, of }: Found): number | null {
  if (typeof of.totalCount === "number") return of.totalCount;
  const info = isRow(of.pageInfo) ? of.pageInfo : {};
  return info.hasNextPage === true || info.hasPreviousPage === true ? null : rows.length;
}

/** Where the first connection of an answer is, such as agent.downline; null without one. */
export function connectionIn(value: unknown): string | null {
  if (!isRow(value)) return null;
  for (const [name, below] of Object.entries(value)) {
    if (isRow(below) && Array.isArray(below.nodes)) return name;
    const deeper = connectionIn(below);
    if (deeper) return `${name}.${deeper}`;
  }
  return null;
}

/** A list of objects as text, such as the names of tags. */
const textOf = (list: Row[]) => list.map((row) => leaves(row).map(([, value]) => String(value ?? "")).join(", ")).join("; ");

/** An object's leaves, named by their paths. */
function leaves(row: Row, prefix = ""): [string, unknown][] {
  return Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (name === "__typename") return [];
    if (isRow(value)) return leaves(value, `${prefix}${name}.`);
    return [[prefix + name, Array.isArray(value) && value.every(isRow) ? textOf(value) : value]];
  });
}

const typeOf = (values: unknown[]) => (values.every((v) => typeof v === "number") ? "decimal" : values.every((v) => typeof v === "boolean") ? "boolean" : "text");

/** An answer as a table: of the first list that it holds, or of itself. */
export function tableOf(data: unknown): Result | null {
  const list = listIn(data) ?? (isRow(data) ? { rows: [data], of: {} } : null);
  if (!list || list.rows.length === 0) return null;
  const rows = list.rows.map((row) => Object.fromEntries(leaves(row)));
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns: ResultColumn[] = keys.map((key) => ({ key, label: key, type: typeOf(rows.map((row) => row[key]).filter((v) => v !== null && v !== undefined)) }));
  return { columns, rows, total: totalOf(list) };
}
