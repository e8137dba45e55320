import { useCallback } from "react";
import { type CombinedError, useClient } from "urql";
import { useDay } from "../../app/context";
import { type InsightTableFragment, RunInsightDocument, RunRecipeDocument } from "../../gql";
import { hasDay, parametersFor, type Report, type Values } from "./catalogue";

type Rows = Record<string, unknown>[];
/** Reads the rows behind some of a report. */
export type ReadOn = (rows: Rows) => Promise<Rows>;

/** The rows of a later page, or what was wrong. */
function rowsOf<D>({ data, error }: { data?: D; error?: CombinedError }, table: (data: D) => InsightTableFragment | undefined): Rows {
  if (error) throw error;
  return ((data && table(data)?.rows) ?? []) as Rows;
}

/** What is asked of a report on the day in view, for the document that runs it. */
export function useAsked(report: Report, values: Values) {
  const { onDate, asKnownAt } = useDay();
  const parameters = parametersFor(report, values, onDate, asKnownAt);
  return { query: { slug: report.id, parameters, first: report.first }, recipe: { id: report.id, parameters, onDate: hasDay(report) ? onDate : null, asKnownAt, first: report.first } };
}

/** Reads on in a report. */
export function useReadOn(report: Report, values: Values): ReadOn {
  const client = useClient();
  const asked = JSON.stringify(useAsked(report, values));
  return useCallback(
    async ({ length: offset }) => {
      const { query, recipe } = JSON.parse(asked) as ReturnType<typeof useAsked>;
      return report.kind === "query" ? rowsOf(await client.query(RunInsightDocument, { ...query, offset }), (d) => d.insight) : rowsOf(await client.query(RunRecipeDocument, { ...recipe, offset }), (d) => d.reportRecipe?.run);
    },
    [client, report.kind, asked],
  );
}
