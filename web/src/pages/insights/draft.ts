import type { ReportDatasetsQuery } from "../../gql";
import { instantOf } from "../../parts/format";
import { labelOf } from "../../parts/words";

export type Dataset = ReportDatasetsQuery["reportDatasets"][number];
export type Field = Dataset["fields"][number];

export interface DraftColumn {
  field: string;
  label: string;
  aggregate: string;
  /** How programs may show it; a page does not ask. */
  format?: string;
}

export interface DraftSort {
  field: string;
  direction: string;
}

export interface DraftFilter {
  field: string;
  operator: string;
  /** What is compared with; several values are lines. */
  value: string;
  /** A condition that is not made here, such as one with a parameter: it stays as it is. */
  as?: unknown;
}

/** A report that is being made. */
export interface Draft {
  name: string;
  description: string;
  dataset: string;
  columns: DraftColumn[];
  filters: DraftFilter[];
  sort: DraftSort | null;
  /** What it is sorted by then, and by which fields that are no columns: as programs wrote it. */
  then: DraftSort[];
  /** What it is grouped by besides its columns. */
  groups: string[];
  /** Fields that it is sorted by and does not show. */
  unseen: string[];
  chart: string | null;
  /** What of a definition is not made here. */
  others: Record<string, unknown>;
}

/** The values of a condition with several. */
export const linesOf = (value: string) => value.split("\n").filter((v) => v.trim());
export const blank = (dataset: string): Draft => ({ name: "", description: "", dataset, columns: [], filters: [], sort: null, then: [], groups: [], unseen: [], chart: null, others: {} });
export const newColumn = (field: string): DraftColumn => ({ field, label: labelOf(field), aggregate: "none" });

/** The key of a column in the rows of a report. */
export const keyOf = (c: DraftColumn) => (c.aggregate === "none" ? c.field : c.field + c.aggregate.charAt(0).toUpperCase() + c.aggregate.slice(1));

const isNumber = (type: string | undefined) => type === "integer" || type === "decimal";
const told: Record<string, string> = { none: "As it is", count: "How many", countDistinct: "How many different", sum: "Sum", avg: "Average", min: "Least", max: "Greatest" };

/** What can be made of the values of a field. */
export function aggregatesOf(field: Field | undefined) {
  const fit = isNumber(field?.type) ? Object.keys(told) : field?.type === "boolean" ? ["none", "count", "countDistinct"] : ["none", "count", "countDistinct", "min", "max"];
  return fit.map((value) => ({ value, label: told[value]! }));
}

/** The columns whose numbers can be charted. */
export const charted = (draft: Draft, fields: Field[]) => draft.columns.filter((c) => (c.aggregate === "none" || c.aggregate === "min" || c.aggregate === "max" ? isNumber(fields.find((f) => f.name === c.field)?.type) : true));

const operators: Record<string, string> = { eq: "is", ne: "is not", in: "is one of", contains: "contains", startsWith: "begins with", gt: "is above", gte: "is at least", lt: "is below", lte: "is at most", isNull: "is empty" };
const ofDays: Record<string, string> = { next: "is in the next … days", last: "was in the last … days" };

/** How the values of a field can be compared. */
export function operatorsOf(field: Field | undefined) {
  const type = field?.type;
  const fit = type === "boolean" ? ["eq"] : type === "text" && field?.allowedValues ? ["eq", "ne", "in", "isNull"] : type === "text" ? ["eq", "ne", "in", "contains", "startsWith", "isNull"] : ["eq", "gt", "gte", "lt", "lte", "isNull"];
  const all = type === "date" ? { ...ofDays, ...operators } : operators;
  return [...(type === "date" ? Object.keys(ofDays) : []), ...fit].map((value) => ({ value, label: all[value]! }));
}

const valueOf = (text: string, field: Field | undefined): unknown => (field?.type === "integer" ? Number(text) : field?.type === "boolean" ? text === "true" : field?.type === "dateTime" ? instantOf(`${text}T00:00`) : text.trim());

function condition(f: DraftFilter, field: Field | undefined): unknown {
  if (f.as) return f.as;
  const days = Number(f.value);
  if (f.operator === "next") return { field: f.field, operator: "between", value: [{ days: 0 }, { days }] };
  if (f.operator === "last") return { field: f.field, operator: "between", value: [{ days: -days }, { days: 0 }] };
  if (f.operator === "isNull") return { field: f.field, operator: "isNull", value: true };
  return { field: f.field, operator: f.operator, value: f.operator === "in" ? linesOf(f.value).map((v) => valueOf(v, field)) : valueOf(f.value, field) };
}

/** The definition of a report: with numbers of many rows, the other columns are what it is grouped by. */
export function definitionOf(draft: Draft, fields: Field[]): Record<string, unknown> {
  const of = (name: string) => fields.find((f) => f.name === name);
  const sorts = draft.sort ? [draft.sort, ...draft.then.filter((s) => s.field !== draft.sort!.field)].filter((s) => draft.unseen.includes(s.field) || draft.columns.some((c) => keyOf(c) === s.field)) : [];
  const isGrouped = draft.columns.some((c) => c.aggregate !== "none");
  return {
    ...draft.others,
    columns: draft.columns.map((c) => ({ ...c, label: c.label.trim() || labelOf(c.field) })),
    filters: draft.filters.map((f) => condition(f, of(f.field))),
    ...(isGrouped ? { groupBy: [...new Set([...draft.columns.filter((c) => c.aggregate === "none").map((c) => c.field), ...draft.groups])] } : {}),
    ...(sorts.length > 0 ? { sort: sorts } : {}),
    ...(draft.chart && charted(draft, fields).some((c) => keyOf(c) === draft.chart) ? { chart: draft.chart } : {}),
  };
}

interface Stored {
  columns?: { field: string; label?: string; aggregate?: string; format?: string }[];
  filters?: { field: string; operator: string; value: unknown }[];
  sort?: { field: string; direction?: string }[];
  chart?: string;
}

const daysIn = (value: unknown) => (value as { days?: number } | null)?.days;

function filterOf(f: NonNullable<Stored["filters"]>[number]): DraftFilter {
  const [from, to] = Array.isArray(f.value) ? f.value.map(daysIn) : [];
  if (f.operator === "between" && from === 0 && to !== undefined) return { field: f.field, operator: "next", value: String(to) };
  if (f.operator === "between" && to === 0 && from !== undefined) return { field: f.field, operator: "last", value: String(-from) };
  if (f.operator === "between" || /T\d{2}:/.test(String(f.value)) || (f.operator === "isNull" && f.value === false) || (typeof f.value === "object" && f.value !== null && !Array.isArray(f.value))) return { field: f.field, operator: f.operator, value: "", as: f };
  return { field: f.field, operator: f.operator, value: Array.isArray(f.value) ? f.value.join("\n") : String(f.value ?? "") };
}

/** A stored report, to be changed. */
export function draftOf(name: string, description: string, dataset: string, definition: unknown): Draft {
  const { columns: stored, filters, sort, chart, groupBy, ...others } = definition as Stored & { groupBy?: string[] };
  const columns = (stored ?? []).map((c): DraftColumn => ({ ...newColumn(c.field), ...c, label: c.label ?? labelOf(c.field), aggregate: c.aggregate ?? "none" }));
  const [first, ...then] = (sort ?? []).map((s): DraftSort => ({ field: s.field, direction: s.direction ?? "asc" }));
  return {
    name,
    description,
    dataset,
    columns,
    filters: (filters ?? []).map(filterOf),
    sort: first ?? null,
    then,
    groups: (groupBy ?? []).filter((field) => !columns.some((c) => c.field === field && c.aggregate === "none")),
    unseen: (sort ?? []).map((s) => s.field).filter((field) => !columns.some((c) => keyOf(c) === field)),
    chart: chart ?? null,
    others,
  };
}
