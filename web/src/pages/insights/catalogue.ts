import type { InsightCatalogueQuery, RecipeFragment } from "../../gql";
import { addMonths } from "../../parts/format";
import { plain } from "../../parts/words";

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
  kind: "query" | "own" | "shared";
  id: string;
  title: string;
  description: string;
  parameters: Parameter[];
  first: number;
  /** Of a recipe. */
  dataset: string;
  definition: unknown;
  /** When a recipe was last changed. */
  known?: string;
  /** What a recipe is, when it is a saved query. */
  saved?: { query: string; variables: string };
}

/** The kinds of reports, in the order in which they are shown. */
export const kinds: [Report["kind"], string][] = [["query", "Queries"], ["own", "Recipes of the agency"], ["shared", "Shared recipes"]];

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

function recipeReport(r: RecipeFragment): Report {
  const definition = r.definition as { graphql?: string; variables?: object };
  return {
    key: recipeKey(r.id),
    kind: r.isShared ? "shared" : "own",
    id: r.id,
    title: r.name,
    description: r.description ?? "",
    first: recipePage,
    dataset: r.dataset,
    definition: r.definition,
    known: r.lastModified,
    parameters: recipeParameters(r.definition),
    ...(definition.graphql ? { saved: { query: definition.graphql, variables: JSON.stringify(definition.variables ?? {}) } } : {}),
  };
}

/** A saved query is asked about a day only if it has a variable for it. */
export const hasDay = (report: Report) => !report.saved || /\$onDate\b/.test(report.saved.query);

/** What the URL calls a recipe. */
export const recipeKey = (id: string) => `recipe:${id}`;

/** The catalogue of the queries and the recipes that the caller may run. */
export function reportsOf(data: InsightCatalogueQuery): Report[] {
  const queries = (data.insightQueries ?? []).map((q): Report => ({
    key: `query:${q.slug}`,
    kind: "query",
    id: q.slug,
    title: q.title,
    description: plain(q.description),
    first: q.maxPageSize,
    dataset: "",
    definition: null,
    parameters: q.parameters.filter((p) => p.name !== instant).map((p) => ({ name: p.name, type: p.type, required: p.required, description: plain(`${p.description}${p.default ? ` Otherwise ${p.default}.` : ""}`), choices: p.allowedValues })),
  }));
  return [...queries, ...[...(data.agencyRecipes?.nodes ?? []), ...(data.reportRecipes?.nodes ?? [])].map(recipeReport)];
}

export type Values = Record<string, string>;

/** The days that are asked for unless others are given: the day in view, and the year before it. */
export function daysOf(report: Report, onDate: string): Values {
  // What looks ahead counts its days from today.
  if (report.parameters.some((p) => p.name === "withinDays")) return { onDate };
  return { onDate, from: addMonths(onDate, -12), through: onDate };
}

/** The parameter that the bar of the day gives, and no form. */
const instant = "asKnownAt";

/** What is sent: texts as their types say, the days, and to a query the instant whose knowledge counts. What cannot be answered so is refused, and says why. */
export function parametersFor(report: Report, values: Values, onDate: string, asKnownAt: string | null): Record<string, unknown> {
  const all: Record<string, unknown> = report.kind === "query" && asKnownAt ? { [instant]: asKnownAt } : {};
  const days = daysOf(report, onDate);
  for (const p of report.parameters) {
    const text = values[p.name] ?? (p.type === "date" ? (days[p.name] ?? "") : "");
    if (text === "") continue;
    all[p.name] = p.type === "integer" ? Number(text) : p.type === "boolean" ? text === "true" : text;
  }
  return all;
}
