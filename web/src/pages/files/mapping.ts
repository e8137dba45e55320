import type { BulkDateOrder, BulkEntity, BulkUnderstandMutation, ImportColumnFragment, ReferenceQuery } from "../../gql";
import { isRow, isTexts } from "../../parts/row";
import { columnOf, words } from "../../parts/words";

export type Column = ImportColumnFragment;
/** The columns of each kind of rows that the caller may import. */
export type Columns = Record<BulkEntity, Column[]>;
/** How the server reads a file. */
export type Reading = BulkUnderstandMutation["bulkUnderstand"];
export type Head = Reading["columns"][number];

/** What somebody says of a column of a file. */
export interface Target {
  /** The column that it is; empty when it is left out. */
  column: string;
  /** What its values mean, by value. */
  values: Record<string, string>;
}

/** What somebody says of a file. The server finds the rest. */
export interface Mapping {
  /** By header. */
  columns: Record<string, Target>;
  /** The values of columns in all rows. */
  constants: Record<string, string>;
  dateOrder?: BulkDateOrder;
  sheet?: string;
  clearsBlanks: boolean;
  /** What cells say in place of what the file has there, by row and header. */
  cells?: Record<number, Record<string, string>>;
}

export const nothing: Mapping = { columns: {}, constants: {}, clearsBlanks: false };

const isTarget = (value: unknown): value is Target => isRow(value) && typeof value.column === "string" && isTexts(value.values);

/** The mapping that is kept. Others write there what they like: what tells nothing is left out. */
export function mappingOf(content: unknown): Mapping {
  const all = isRow(content) ? content : {};
  const columns = isRow(all.columns) && !isTarget(all.columns) ? all.columns : all;
  return {
    columns: Object.fromEntries(Object.entries(columns).filter((e): e is [string, Target] => isTarget(e[1])).map(([head, { column, values }]) => [head, { column, values }])),
    constants: isTexts(all.constants) ? all.constants : {},
    clearsBlanks: all.clearsBlanks === true,
    ...(all.dateOrder === "MONTH_FIRST" || all.dateOrder === "DAY_FIRST" ? { dateOrder: all.dateOrder } : {}),
  };
}

/** Whether a mapping is for just these headers. */
export const fits = (mapping: Mapping, heads: Head[]) => Object.keys(mapping.columns).length > 0 && Object.keys(mapping.columns).every((name) => heads.some((h) => h.header === name));

/** The mapping without what is of one file: mended cells, and days for all rows. */
export const forOthers = ({ cells: _, ...mapping }: Mapping, columns: Column[]): Mapping => ({ ...mapping, constants: Object.fromEntries(Object.entries(mapping.constants).filter(([name]) => columns.find((c) => c.name === name)?.kind !== "DAY")) });

/** What is sent beside the file. */
export const inputOf = ({ columns, constants, dateOrder, sheet, clearsBlanks, cells = {} }: Mapping) => ({
  cells: Object.entries(cells).flatMap(([row, of]) => Object.entries(of).map(([column, value]) => ({ rowNumber: Number(row), column, value }))),
  headers: Object.entries(columns).flatMap(([header, { column }]) => (column ? [{ header, column }] : [])),
  skipColumns: Object.entries(columns).flatMap(([header, { column }]) => (column ? [] : [header])),
  values: Object.entries(columns).flatMap(([column, target]) => (target.column ? Object.entries(target.values).map(([from, to]) => ({ column, from, to })) : [])),
  constants: Object.entries(constants).flatMap(([column, value]) => (value ? [{ column, value }] : [])),
  dateOrder,
  sheet,
  clearsBlanks,
});

/** The columns that nobody understands, and nobody has left out. */
export const unknownOf = (reading: Reading) => reading.columns.filter((h) => !h.column && !h.isLeftOut && !h.isEmpty);

/** The required columns that a file lacks, and nothing stands for. */
export function lacking(reading: Reading, columns: Column[]): Column[] {
  const has = new Set(reading.columns.map((h) => h.column));
  const stands = (name: string) => has.has(name) || (name === "agentCode" && [...has].some((h) => h?.startsWith("agent.") || h === "npn")) || (/^(first|last)Name$/.test(name) && has.has("fullName"));
  return columns.filter((c) => c.isRequired && !stands(c.name));
}

/** Says what the server says of a file, with our columns in the words of the office; the heads of the file stay. */
export const saying = (columns: Column[], { columns: heads }: Reading) => (text: string) =>
  text.replace(/\b[a-z]\w*(\.\w+)*/g, (name) => (/[A-Z.]/.test(name) && columns.some((c) => c.name === name) && !heads.some((h) => h.header === name) ? columnOf(name).replace(/^[A-Z](?![A-Z])/, (c) => c.toLowerCase()) : name));

export interface Meaning {
  value: string;
  label: string;
}

const flags: Meaning[] = [{ value: "true", label: "Yes" }, { value: "false", label: "No" }];
const statuses = ["ACTIVE", "PENDING", "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION", "EXPIRED", "REJECTED", "TERMINATED", "RETIRED"];

/** What values of a column can mean; undefined when they are free. */
export function meaningsOf(entity: BulkEntity, column: Column | undefined, reference: ReferenceQuery | undefined): Meaning[] | undefined {
  if (!column || !reference) return undefined;
  const coded = (all: { code: string; name: string }[]) => all.map((c) => ({ value: c.code, label: `${c.name} (${c.code})` }));
  if (column.kind === "FLAG") return flags;
  if (column.kind !== "WORD") return undefined;
  switch (column.name.slice(column.name.lastIndexOf(".") + 1)) {
    case "jurisdiction":
      return coded(reference.jurisdictions);
    case "type":
      return coded(reference.certificationTypes);
    case "providerCompany":
    case "company":
      return coded(reference.providerCompanies);
    case "level":
      return reference.agentLevels.map((l) => ({ value: String(l.value), label: `${l.name} (${l.value})` }));
    case "status":
      return entity === "CERTIFICATION" ? statuses.map((s) => ({ value: s, label: words(s) })) : reference.payStatuses.map((s) => ({ value: s.name, label: s.name }));
  }
  return undefined;
}

/** What one value for all rows can mean: new agents can get codes. */
export const constantsOf = (entity: BulkEntity, column: Column, reference: ReferenceQuery | undefined) => (entity === "AGENT" && column.name === "agentCode" ? [{ value: "generated", label: "Generated for who is new, by NPN" }] : meaningsOf(entity, column, reference));
