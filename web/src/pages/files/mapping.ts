import type { BulkEntity, ImportColumnFragment, ReferenceQuery } from "../../gql";
import { isRow, isTexts } from "../../parts/row";
import type { Sheet } from "./sheet";

export type Column = ImportColumnFragment;
/** The columns of each kind of rows that the caller may import. */
export type Columns = Record<BulkEntity, Column[]>;
export type DateOrder = "MDY" | "DMY";

/** What becomes of a column of a file. */
export interface Target {
  /** The column that it is; empty when it is left out. */
  column: string;
  order?: DateOrder;
  /** What its values mean, by value. */
  values: Record<string, string>;
}

/** What becomes of each column of a file, by its header. */
export type Mapping = Record<string, Target>;

const isTarget = (value: unknown): value is Target => isRow(value) && typeof value.column === "string" && isTexts(value.values);

/** The mapping that is kept. Others write there what they like: what tells nothing of a column is left out. */
export const mappingOf = (content: unknown): Mapping => Object.fromEntries(Object.entries(isRow(content) ? content : {}).filter((e): e is [string, Target] => isTarget(e[1])));

/** Whether a mapping is for just these headers. */
export const fits = (mapping: Mapping, header: string[]) => header.every((h) => mapping[h]) && Object.keys(mapping).length === header.length;

const plain = (text: string) => text.toLowerCase().normalize("NFD").replace(/[^a-z0-9]/g, "");

/** What other systems call columns. */
const alsoCalled: Record<string, string> = {
  agentCode: "agent|agent id|agent number|agent no|producer code|producer id|producer|writing number|code",
  firstName: "first|given name|forename",
  lastName: "last|surname|family name",
  email: "e-mail|email address|e-mail address|mail",
  npn: "national producer number|producer number",
  birthDate: "dob|date of birth|birthday",
  startDate: "hire date|hired|contract date|start|started",
  governmentIdentifier: "ssn|sin|tax id|social security number",
  "teams.default.directUpline": "upline|upline code|upline id|manager|reports to",
  "teams.default.level": "level|agent level|rank|contract level",
  "homeAddress.line1": "address|street|address 1|home address",
  "homeAddress.city": "city|town|home city",
  "homeAddress.jurisdiction": "state|st|home state|province",
  "homeAddress.postalCode": "zip|zip code|postal code|postcode",
  "cellPhone.phoneNumber": "cell|mobile|cell phone|mobile phone|phone",
  "businessPhone.phoneNumber": "work phone|business phone|office phone",
  type: "license type|licence type|certification type|line|loa",
  jurisdiction: "state|st|license state|licence state|province",
  identifier: "license number|licence number|license no|licence no|lic no|license|number",
  providerCompany: "carrier|company|insurer|provider",
  isResidentCertification: "resident|is resident|residency",
  isVerified: "verified",
  status: "pay status|license status|licence status|state of license",
  level: "agent level|rank|contract level",
  uplineAgentCode: "upline|upline code|manager",
  effectiveFrom: "from|effective|effective date|issue date|issued|begin|start|start date|valid from|active date",
  effectiveThrough: "through|to|until|end|end date|expires|expiry|expiration|expiration date|exp date|valid through|valid to",
  annualPremium: "premium|ap|annualized premium",
  policyNumber: "policy|policy no",
  submittedOn: "submitted|submit date|application date",
  issuedOn: "issued|issue date",
  placedOn: "placed|in force date",
  amount: "commission|paid amount",
  paidOn: "paid|pay date|payment date",
};

/** How well a header names a column: 3 for its name, 2 for the last part of it, 1 for what others call it. */
function fit(header: string, column: string): number {
  const is = plain(header);
  if (is === plain(column)) return 3;
  if (is === plain(column.slice(column.lastIndexOf(".") + 1))) return column.startsWith("business") || column.startsWith("fax") ? 1.5 : 2;
  return (alsoCalled[column]?.split("|") ?? []).some((name) => plain(name) === is) ? 1 : 0;
}

/** The columns that headers name, each once, the best fit first. */
function guess(header: string[], columns: Column[]): Map<string, string> {
  const fits = header.flatMap((h) => columns.map((c) => ({ h, name: c.name, fit: fit(h, c.name) }))).filter((f) => f.fit > 0);
  const found = new Map<string, string>();
  for (const { h, name } of fits.sort((a, b) => b.fit - a.fit)) if (!found.has(h) && ![...found.values()].includes(name)) found.set(h, name);
  return found;
}

/** What the rows of a file seem to be: what most of its columns fit, of what needs no column that it has not. */
export function entityOf(sheet: Sheet, columns: Columns, entities: (BulkEntity)[]): BulkEntity | undefined {
  const rated = entities.map((entity) => {
    const found = new Set(guess(sheet.header, columns[entity]).values());
    return { entity, lacks: columns[entity].filter((c) => c.isRequired && !found.has(c.name)).length, known: found.size };
  });
  return rated.filter((r) => r.known > 0).sort((a, b) => b.known - 2 * b.lacks - (a.known - 2 * a.lacks))[0]?.entity;
}

export interface Meaning {
  value: string;
  label: string;
}

const flags: Meaning[] = [{ value: "true", label: "Yes" }, { value: "false", label: "No" }];
const statuses = ["ACTIVE", "PENDING", "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION", "EXPIRED", "REJECTED", "TERMINATED", "RETIRED"];

/** What values of a column can mean; undefined when they are free. */
export function meaningsOf(entity: BulkEntity, column: Column | undefined, reference: ReferenceQuery | undefined): Meaning[] | undefined {
  if (!column || !reference) return undefined;
  const coded = (all: { code: string; name: string }[]) => all.map((c) => ({ value: c.code, label: c.name }));
  if (column.description.startsWith("true or false")) return flags;
  switch (column.name.slice(column.name.lastIndexOf(".") + 1)) {
    case "jurisdiction":
      return coded(reference.jurisdictions);
    case "type":
      return entity === "CERTIFICATION" ? coded(reference.certificationTypes) : undefined;
    case "providerCompany":
      return coded(reference.providerCompanies);
    case "level":
      return reference.agentLevels.map((l) => ({ value: String(l.value), label: l.name }));
    case "status":
      return entity === "CERTIFICATION" ? statuses.map((s) => ({ value: s, label: s })) : reference.payStatuses.map((s) => ({ value: s.name, label: s.name }));
  }
  return undefined;
}

/** The meaning of a value: TX and Texas are US-TX, y is true. */
function meaningOf(value: string, all: Meaning[]): string | undefined {
  const is = plain(value);
  const isFlag = all === flags ? { y: "true", t: "true", "1": "true", x: "true", n: "false", f: "false", "0": "false" }[is] : undefined;
  return isFlag ?? all.find((m) => plain(m.value) === is || plain(m.label) === is || plain(m.value.slice(m.value.indexOf("-") + 1)) === is)?.value;
}

export const isDay = (column: string) => /(Date|On|From|Through)$/.test(column);
const numeric = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})$/;
const dayPart = (value: string) => value.replace(/[T ]\d{1,2}:\d{2}.*$/, "");
const two = (n: number | string) => String(n).padStart(2, "0");
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A day in any usual form as 2026-02-15; what is none is left as it is. */
export function dayOf(value: string, order: DateOrder): string {
  const text = dayPart(value);
  const named = /^(?:(\d{1,2})[ -])?([A-Za-z]{3,9})\.?[ -](?:(\d{1,2}),? )?(\d{4})$/.exec(text);
  if (named) {
    const month = months.indexOf(named[2]!.slice(0, 3).toLowerCase()) + 1;
    const day = named[1] ?? named[3];
    return month > 0 && day ? `${named[4]}-${two(month)}-${two(day)}` : value;
  }
  const iso = /^(\d{4})[/.-]?(\d{2})[/.-]?(\d{2})$/.exec(text);
  if (iso) return `${iso[1]}-${iso[2]}-${iso[3]}`;
  const parts = numeric.exec(text);
  if (!parts) return value;
  const [, a, b, y] = parts as unknown as [string, string, string, string];
  const year = y.length === 4 ? y : `${Number(y) < 50 ? "20" : "19"}${y}`;
  return order === "MDY" ? `${year}-${two(a)}-${two(b)}` : `${year}-${two(b)}-${two(a)}`;
}

/** Whether days begin with the month: unless one cannot, or all are written with dots. */
function orderOf(values: string[]): DateOrder {
  const days = values.map((v) => numeric.exec(dayPart(v))).filter((p) => p !== null);
  if (days.some((p) => Number(p[1]) > 12)) return "DMY";
  if (days.some((p) => Number(p[2]) > 12)) return "MDY";
  return days.length > 0 && values.every((v) => v.includes(".")) ? "DMY" : "MDY";
}

/** The different values of a column of a file. */
export const valuesOf = (sheet: Sheet, header: string) => {
  const at = sheet.header.indexOf(header);
  return [...new Set(sheet.rows.map((row) => row[at] ?? "").filter((v) => v !== ""))];
};

/** What a column of a file is, and what its values mean, as far as that can be guessed. */
export function targetOf(sheet: Sheet, header: string, column: string, meanings: Meaning[] | undefined): Target {
  const values = valuesOf(sheet, header);
  const known = (meanings ? values : []).flatMap((v): [string, string][] => {
    const to = meaningOf(v, meanings!);
    return to === undefined || to === v ? [] : [[v, to]];
  });
  return { column, values: Object.fromEntries(known), ...(isDay(column) ? { order: orderOf(values) } : {}) };
}

/** What becomes of the columns of a file, guessed from their names and values. */
export function guessed(sheet: Sheet, entity: BulkEntity, columns: Columns, reference: ReferenceQuery | undefined): Mapping {
  const found = guess(sheet.header, columns[entity]);
  return Object.fromEntries(
    sheet.header.map((h) => {
      const column = columns[entity].find((c) => c.name === found.get(h));
      return [h, targetOf(sheet, h, column?.name ?? "", meaningsOf(entity, column, reference))];
    }),
  );
}

/** What a value is sent as. */
export const translated = (value: string, target: Target) => target.values[value] ?? (target.order && value !== "" ? dayOf(value, target.order) : value);

/** The rows as they are sent: the columns that are mapped, with what their values mean. */
export function tableOf(sheet: Sheet, mapping: Mapping) {
  const kept = sheet.header.map((h, i) => ({ i, target: mapping[h]! })).filter(({ target }) => target?.column);
  return { header: kept.map(({ target }) => target.column), rows: sheet.rows.map((row) => kept.map(({ i, target }) => translated(row[i] ?? "", target))) };
}
