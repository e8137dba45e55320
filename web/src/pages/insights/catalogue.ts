import type { InsightCatalogueQuery } from "../../gql";
import { addMonths } from "../../parts/format";

export interface Parameter {
  name: string;
  type: string;
  required: boolean;
  description: string;
  choices: string[] | null;
}

/** A curated query or a recipe: something with a form and a table. */
export interface Report {
  key: string;
  kind: "query" | "recipe";
  id: string;
  title: string;
  description: string;
  parameters: Parameter[];
  first: number;
}

interface RecipeParameter {
  name: string;
  type: string;
  default?: unknown;
  required?: boolean;
}

const recipeParameters = (definition: unknown): Parameter[] =>
  ((definition as { parameters?: RecipeParameter[] } | null)?.parameters ?? []).map((p) => ({
    name: p.name,
    type: p.type,
    required: p.required ?? false,
    description: p.default === undefined ? "" : `${String(p.default)} unless given.`,
    choices: null,
  }));

const recipePage = 100;

/** The catalogue of the queries and the recipes that the caller may run. */
export function reportsOf(data: InsightCatalogueQuery): Report[] {
  const queries = (data.insightQueries ?? []).map((q): Report => ({
    key: `query:${q.slug}`,
    kind: "query",
    id: q.slug,
    title: q.title,
    description: q.description,
    first: q.maxPageSize,
    parameters: q.parameters.map((p) => ({ name: p.name, type: p.type, required: p.required, description: `${p.description}${p.default ? ` Otherwise ${p.default}.` : ""}`, choices: p.allowedValues })),
  }));
  const recipes = (data.reportRecipes?.nodes ?? []).map((r): Report => ({
    key: `recipe:${r.id}`,
    kind: "recipe",
    id: r.id,
    title: r.name,
    description: r.description ?? "",
    first: recipePage,
    parameters: recipeParameters(r.definition),
  }));
  return [...queries, ...recipes];
}

export type Values = Record<string, string>;

/** The days that are asked for unless others are given: the day in view, and the year before it. */
function daysOf(report: Report, onDate: string): Values {
  // What looks ahead counts its days from today.
  if (report.parameters.some((p) => p.name === "withinDays")) return { onDate };
  return { onDate, from: addMonths(onDate, -12), through: onDate };
}

/** What is sent: texts as their types say, and the days. */
export function parametersFor(report: Report, values: Values, onDate: string): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  const days = daysOf(report, onDate);
  for (const p of report.parameters) {
    const text = values[p.name] ?? (p.type === "date" ? (days[p.name] ?? "") : "");
    if (text === "") continue;
    all[p.name] = p.type === "integer" ? Number(text) : p.type === "boolean" ? text === "true" : text;
  }
  return all;
}
