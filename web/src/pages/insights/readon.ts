import { useCallback, useMemo } from "react";
import { type CombinedError, useClient } from "urql";
import { useDay } from "../../app/context";
import { type InsightTableFragment, RunInsightDocument, RunRecipeDocument } from "../../gql";
import { dayNumber, dayOf } from "../../parts/format";
import { daysOf, hasDay, parametersFor, type Report, type Values } from "./catalogue";

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

/** Reads a curated query of a range of days, of as many days right before; nothing for other reports. */
export function useReadBefore(report: Report, values: Values): (() => Promise<Rows>) | undefined {
  const client = useClient();
  const { onDate, asKnownAt } = useDay();
  const { from, through } = { ...daysOf(report, onDate), ...values };
  const hasRange = report.kind === "query" && ["from", "through"].every((name) => report.parameters.some((p) => p.name === name));
  const days = hasRange && from && through ? dayNumber(through) - dayNumber(from) + 1 : 0;
  const shifted = days > 0 ? JSON.stringify({ ...values, from: dayOf(dayNumber(from!) - days), through: dayOf(dayNumber(from!) - 1) }) : undefined;
  return useMemo(
    () =>
      shifted === undefined
        ? undefined
        : async () => {
            const rows: Rows = [];
            for (let total = 1; rows.length < total; ) {
              const { data, error } = await client.query(RunInsightDocument, { slug: report.id, parameters: parametersFor(report, JSON.parse(shifted) as Values, onDate, asKnownAt), first: report.first, offset: rows.length }).toPromise();
              const page = rowsOf({ ...(data && { data }), ...(error && { error }) }, (d) => d.insight);
              total = page.length === 0 ? 0 : (data?.insight.totalCount ?? 0);
              rows.push(...page);
            }
            return rows;
          },
    [client, report, shifted, onDate, asKnownAt],
  );
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
