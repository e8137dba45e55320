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
const isSame = (a: Value | undefined, b: Value | undefined) => String(a ?? "") === String(b ?? "");

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
    else if (f.isSensitive) all[at] = ""; // is shown masked, and typed anew
    else all[at] = value === undefined && isNew ? (f.initial ?? "") : shown(f, value);
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
  if (f.type === "JSON") return JSON.parse(value);
  if (f.type === "DateTime") return isStart(f) ? `${value}T00:00:00Z` : instantOf(value);
  return value.trim();
}

/**
 * The input of a mutation; undefined where nothing is typed. Of a record that there is,
 * what changed is sent, and null for what was cleared; an object with required fields is
 * sent whole, since it replaces what there is.
 */
export function inputOf(type: string, now: Values, before: Values | null, fixed: Fixed = {}, path = ""): Record<string, unknown> | undefined {
  const fields = fieldsOf(type, fixed);
  const isWhole = !before || fields.some((f) => f.isRequired);
  const input: Record<string, unknown> = {};
  let isTouched = false;
  for (const f of fields) {
    const at = join(path, f.name);
    if (f.of) {
      const items = f.isList ? Array.from({ length: itemsOf(now, at) }, (_, i) => inputOf(f.of!, now, null, {}, join(at, i))).filter((item) => item !== undefined) : inputOf(f.of, now, before, {}, at);
      if (items === undefined || (Array.isArray(items) && items.length === 0)) continue;
      input[f.name] = items;
      isTouched = true;
      continue;
    }
    const value = now[at] ?? "";
    const isChanged = before ? !isSame(value, before[at]) : !isEmpty(value) && !isSame(value, f.initial ?? "false");
    isTouched ||= isChanged;
    if (!isEmpty(value) && (isWhole || isChanged)) input[f.name] = typed(f, value);
    else if (isEmpty(value) && isChanged) input[f.name] = f.isList ? [] : null;
    else if (f.type === "Boolean" && f.isRequired && isWhole) input[f.name] = false;
  }
  return isTouched ? input : undefined;
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
    else if ((f.type === "Int" || f.type === "Long" || f.type === "Decimal") && !isEmpty(value) && Number.isNaN(Number(value))) faults[at] = "Must be a number";
    else if (f.type === "JSON" && !isEmpty(value) && !isJSON(String(value))) faults[at] = "Must be JSON";
  }
  return faults;
}

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
