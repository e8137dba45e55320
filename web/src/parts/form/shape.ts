// What is typed into a form, and the input that is made of it, by the schema.
import { type InputField, inputs } from "../../inputs";
import { instantOf, startDay, typedInstant } from "../format";

/** What a field holds: a text, or several where it takes a list. */
export type Value = string | string[];
/** What is typed, by the paths of the fields. */
export type Values = Record<string, Value>;
export type Fixed = Record<string, unknown>;

/** Recorded by the form itself. */
const byItself = new Set(["initiator", "team"]);

export const join = (path: string, name: string | number) => (path ? `${path}.${name}` : String(name));
const isEmpty = (value: Value | undefined) => value === undefined || value.length === 0;
const isSame = (a: Value | undefined, b: Value | undefined) => (isEmpty(a) && isEmpty(b)) || JSON.stringify(a) === JSON.stringify(b);

/** Stands in a sensitive field that is emptied: one in which nothing is typed stays as it is. */
export const emptied = "\u0000";

/** The fields that people fill in; why they do comes last. */
export const fieldsOf = (type: string, fixed: Fixed = {}) => inputs[type]!.filter((f) => !byItself.has(f.name) && !(f.name in fixed)).sort((a, b) => Number(a.name === "reason") - Number(b.name === "reason"));

/** A day is midnight in UTC where somebody started, as the API has it. */
const isStart = (f: InputField) => f.name === "startDate" && f.type === "DateTime";
export const kindOf = (f: InputField) => (isStart(f) || f.type === "Date" ? "date" : f.type === "DateTime" ? "datetime-local" : "text");

function shown(f: InputField, value: unknown): Value {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => String(shown(f, one)));
  if (f.type === "JSON") return JSON.stringify(value, null, 2);
  if (typeof value === "object") {
    const of = value as Record<string, unknown>;
    return shown(f, of.code ?? of.value ?? of.name);
  }
  if (f.type === "DateTime") return isStart(f) ? startDay(String(value)) : typedInstant(String(value));
  return String(value);
}

/** What a form begins with: of a record, or of nothing but defaults. */
export function valuesOf(type: string, record: Record<string, unknown> | null | undefined, isNew: boolean, fixed: Fixed = {}, path = ""): Values {
  const all: Values = {};
  for (const f of fieldsOf(type, fixed)) {
    const at = join(path, f.name);
    const value = record?.[f.name];
    if (f.of && f.isList) ((value as Record<string, unknown>[] | undefined) ?? (f.isRequired ? [{}] : [])).forEach((item, i) => Object.assign(all, valuesOf(f.of!, item, isNew, {}, join(at, i))));
    else if (f.of) Object.assign(all, valuesOf(f.of, value as Record<string, unknown>, isNew, {}, at));
    else if (f.isSensitive) all[at] = /\.\d+\./.test(at) ? shown(f, value) : ""; // stays until something is typed; in an item of a list the mask says so
    else all[at] = value === undefined && isNew ? (f.initial ?? "") : shown(f, value);
  }
  return all;
}

/** The masks of what is stored, by the paths of the sensitive fields. */
export function masksOf(type: string, record: Record<string, unknown> | null | undefined, path = ""): Record<string, string> {
  const all: Record<string, string> = {};
  for (const f of inputs[type]!) {
    const value = record?.[f.name];
    if (value === null || value === undefined || f.isList) continue;
    if (f.of) Object.assign(all, masksOf(f.of, value as Record<string, unknown>, join(path, f.name)));
    else if (f.isSensitive) all[join(path, f.name)] = String(value);
  }
  return all;
}

/** How many items of a list of objects the form has. */
export const itemsOf = (values: Values, at: string) => 1 + Math.max(-1, ...Object.keys(values).filter((key) => key.startsWith(`${at}.`)).map((key) => Number(key.slice(at.length + 1).split(".")[0])));

function typed(f: InputField, value: Value): unknown {
  if (f.isList) return (Array.isArray(value) ? value : value.split(",")).map((one) => typed({ ...f, isList: false }, one.trim()));
  if (Array.isArray(value)) return typed(f, value.join(", "));
  if (f.type === "Boolean") return value === "true";
  if (f.type === "Int" || f.type === "Long") return Number(value);
  if (f.type === "Decimal") return value.trim().replace(/[$,]/g, "");
  if (f.type === "JSON") return JSON.parse(value);
  if (f.type === "DateTime") return isStart(f) ? `${value}T00:00:00Z` : instantOf(value);
  return value.trim();
}

/** The input of what is new; undefined where nothing is typed. */
export function inputOf(type: string, now: Values, fixed: Fixed = {}, path = ""): Record<string, unknown> | undefined {
  const input: Record<string, unknown> = {};
  let isTyped = false;
  for (const f of fieldsOf(type, fixed)) {
    const at = join(path, f.name);
    const value = now[at] ?? "";
    const given = f.of ? (f.isList ? itemsIn(f, now, at) : inputOf(f.of, now, {}, at)) : isEmpty(value) ? undefined : typed(f, value);
    if (given !== undefined) input[f.name] = given;
    else if (f.type === "Boolean" && f.isRequired) input[f.name] = false;
    isTyped ||= f.of ? given !== undefined : !isEmpty(value) && !isSame(value, f.initial ?? "false");
  }
  return isTyped ? input : undefined;
}

/** The items of a list of objects in which something is typed; undefined for none. */
function itemsIn(f: InputField, values: Values, at: string) {
  const items = Array.from({ length: itemsOf(values, at) }, (_, i) => inputOf(f.of!, values, {}, join(at, i))).filter((item) => item !== undefined);
  return items.length > 0 ? items : undefined;
}

/** Whether an object takes the place of the one before as a whole: it has what it cannot be without. */
const isWhole = (type: string) => inputs[type]!.some((f) => f.isRequired);

/**
 * The input that changes a record: what changed, and null for what was emptied. A list is
 * given as a whole. Undefined where nothing changed; why somebody does it is no change.
 */
export function changeOf(type: string, now: Values, before: Values, fixed: Fixed = {}, path = ""): Record<string, unknown> | undefined {
  const input: Record<string, unknown> = {};
  let isTouched = false;
  for (const f of fieldsOf(type, fixed)) {
    const at = join(path, f.name);
    const given = f.of ? changedObject(f, now, before, at) : isSame(now[at], before[at]) ? undefined : isEmpty(now[at]) || now[at] === emptied ? (f.isList ? [] : null) : typed(f, now[at]!);
    isTouched ||= given !== undefined && at !== "reason";
    if (given !== undefined) input[f.name] = given;
    else if (f.isRequired) input[f.name] = f.of ? {} : typed(f, now[at] ?? "");
  }
  return isTouched ? input : undefined;
}

function changedObject(f: InputField, now: Values, before: Values, at: string) {
  if (!f.isList && (!isWhole(f.of!) || f.isRequired)) return changeOf(f.of!, now, before, {}, at);
  const of = (values: Values) => (f.isList ? itemsIn(f, values, at) : inputOf(f.of!, values, {}, at));
  const given = of(now);
  return JSON.stringify(given) === JSON.stringify(of(before)) ? undefined : (given ?? (f.isList ? [] : null));
}

/** What is missing, or cannot be read: what to say, by the paths of the fields. */
export function faultsOf(type: string, now: Values, before: Values | null, fixed: Fixed = {}, path = ""): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const f of fieldsOf(type, fixed)) {
    const at = join(path, f.name);
    const value = now[at];
    if (f.of && f.isList) for (let i = 0; i < itemsOf(now, at); i++) Object.assign(faults, faultsOf(f.of, now, null, {}, join(at, i)));
    else if (f.of) Object.assign(faults, f.isRequired || isBegun(f.of, now, before, at) ? faultsOf(f.of, now, before, {}, at) : {});
    else if (f.isRequired && f.type !== "Boolean" && isEmpty(value)) faults[at] = "Is required";
    else if ((f.type === "Int" || f.type === "Long") && !isEmpty(value) && Number.isNaN(Number(value))) faults[at] = "Must be a number";
    else if (f.type === "Decimal" && !isEmpty(value) && !isAmount(String(value))) faults[at] = "Must be an amount, such as 1,234.50";
    else if (f.type === "JSON" && !isEmpty(value) && !isJSON(String(value))) faults[at] = "Must be JSON";
  }
  return faults;
}

/** An amount as people type it: with a sign of dollars, and commas between thousands only. */
const isAmount = (text: string) => /^-?\$?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(text.trim());

/** Whether anything of an object that may be left out is typed. */
function isBegun(type: string, now: Values, before: Values | null, path: string): boolean {
  return fieldsOf(type).some((f) => (f.of ? isBegun(f.of, now, before, join(path, f.name)) : !isSame(now[join(path, f.name)], before ? before[join(path, f.name)] : (f.initial ?? ""))));
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
