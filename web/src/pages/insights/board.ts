import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useMemo, useState } from "react";
import { gql } from "urql";
import { useAnswer } from "../../api/answer";
import { useDay } from "../../app/context";
import { InsightTableFragmentDoc, type InsightTableFragment } from "../../gql";
import { hasDay, parametersFor, type Report, type Values } from "./catalogue";

/** A report on a dashboard. */
export interface Tile {
  report: string;
  p: Values;
  form: "chart" | "table";
  isWide?: boolean;
}

export interface Board {
  tiles: Tile[];
}

/** How many tiles one request carries, and so a dashboard: what they cost together is what a request may. */
export const mostTiles = 8;

type Answered = Record<string, InsightTableFragment | { run: InsightTableFragment } | null>;

/** Stands in for the question of a dashboard with nothing to ask for. It is never sent. */
const idle = gql`query Dashboard { __typename }`;

/** One request for some tiles of a dashboard, each under the name of its place. */
function questionOf(asked: { place: number; tile: Tile; report: Report }[], onDate: string) {
  const variables: Record<string, unknown> = { onDate };
  const fields = asked.map(({ place: i, tile, report }) => {
    Object.assign(variables, { [`s${i}`]: report.id, [`p${i}`]: parametersFor(report, tile.p, onDate), [`n${i}`]: report.first });
    return report.kind === "query"
      ? `t${i}: insight(slug: $s${i}, parameters: $p${i}, first: $n${i}) { ...InsightTable }`
      : `t${i}: reportRecipe(id: $s${i}) { run(tenantParameters: $p${i}, onDate: ${hasDay(report) ? "$onDate" : "null"}, first: $n${i}) { ...InsightTable } }`;
  });
  const declared = asked.map(({ place: i, report }) => `$s${i}: ${report.kind === "query" ? "String" : "ID"}!, $p${i}: JSON, $n${i}: Int`);
  const usesDay = fields.some((f) => f.includes("$onDate"));
  const document: TypedDocumentNode<Answered, Record<string, unknown>> = fields.length
    ? gql`query Dashboard(${usesDay ? "$onDate: Date, " : ""}${declared.join(", ")}) { ${fields.join("\n")} } ${InsightTableFragmentDoc}`
    : idle;
  return { document, variables, isIdle: fields.length === 0 };
}

/** What a tile shows: its rows, or what is wrong with it; undefined as long as it is asked for. */
export type Shown = InsightTableFragment | { wrong: string } | undefined;

/**
 * Runs the reports of a dashboard, all in one request. One that cannot be run takes the
 * whole answer with it, so then the others are asked for again without it.
 */
export function useBoard(tiles: Tile[], reports: Report[]) {
  const { onDate } = useDay();
  const question = JSON.stringify([tiles.map(({ report, p }) => [report, p]), onDate]);
  const [failed, setFailed] = useState<{ of: string; wrong: Record<string, string> }>({ of: question, wrong: {} });
  const wrong = failed.of === question ? failed.wrong : {};
  const { document, variables, isIdle } = useMemo(() => {
    const asked = tiles.flatMap((tile, place) => reports.filter((r) => r.key === tile.report && !wrong[`t${place}`]).map((report) => ({ place, tile, report })));
    return questionOf(asked, onDate);
  }, [question, JSON.stringify(wrong), reports]);
  const { data, error } = useAnswer(document, variables, isIdle);
  useEffect(() => {
    const found = (error?.graphQLErrors ?? []).flatMap(({ path, message }) => (path ? [[String(path[0]), message]] : []));
    if (found.length > 0) setFailed((old) => ({ of: question, wrong: { ...(old.of === question ? old.wrong : {}), ...Object.fromEntries(found) } }));
  }, [error, question]);
  const shown = tiles.map((tile, place): Shown => {
    if (wrong[`t${place}`]) return { wrong: wrong[`t${place}`]! };
    if (!reports.some((r) => r.key === tile.report)) return { wrong: "There is no such report, or no longer." };
    const is = data?.[`t${place}`];
    return is === null ? { wrong: "There is no such report, or no longer." } : is && "run" in is ? is.run : is;
  });
  return { shown, error: error?.graphQLErrors.some((e) => e.path) ? undefined : error };
}
