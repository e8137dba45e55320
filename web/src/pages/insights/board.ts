import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useMemo, useState } from "react";
import { gql } from "urql";
import { useAnswer } from "../../api/answer";
import { useDay } from "../../app/context";
import { InsightTableFragmentDoc, type InsightTableFragment } from "../../gql";
import { isRow, isTexts } from "../../parts/row";
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

const isTile = (value: unknown): value is Tile => isRow(value) && typeof value.report === "string" && isTexts(value.p) && (value.form === "chart" || value.form === "table");

/** The dashboard that is kept. Others write there what they like: what is no tile is left out. */
export const boardOf = (content: unknown): Board => ({ tiles: (isRow(content) && Array.isArray(content.tiles) ? content.tiles : []).filter(isTile) });

/** How many tiles one request carries, and so a dashboard: what they cost together is what a request may. */
export const mostTiles = 8;

type Answered = Record<string, InsightTableFragment | { run: InsightTableFragment } | null>;

/** Stands in for the question of a dashboard with nothing to ask for. It is never sent. */
const idle = gql`query Dashboard { __typename }`;

/** What a tile asks for: the same, wherever it stands and however it looks. */
interface Asked {
  name: string;
  report: Report;
  p: Values;
}

/** One request for some reports, each under its name. */
function questionOf(asked: Asked[], onDate: string, asKnownAt: string | null) {
  const variables: Record<string, unknown> = { onDate, asKnownAt };
  const fields = asked.map(({ name, report, p }) => {
    Object.assign(variables, { [`${name}id`]: report.id, [`${name}p`]: parametersFor(report, p, onDate, asKnownAt), [`${name}n`]: report.first });
    return report.kind === "query"
      ? `${name}: insight(slug: $${name}id, parameters: $${name}p, first: $${name}n) { ...InsightTable }`
      : `${name}: reportRecipe(id: $${name}id) { run(tenantParameters: $${name}p, onDate: ${hasDay(report) ? "$onDate" : "null"}, asKnownAt: $asKnownAt, first: $${name}n) { ...InsightTable } }`;
  });
  const declared = asked.map(({ name, report }) => `$${name}id: ${report.kind === "query" ? "String" : "ID"}!, $${name}p: JSON, $${name}n: Int`);
  const days = ["$onDate: Date", "$asKnownAt: DateTime"].filter((day) => fields.some((f) => f.includes(day.split(":")[0]!)));
  const document: TypedDocumentNode<Answered, Record<string, unknown>> = fields.length
    ? gql`query Dashboard(${[...days, ...declared].join(", ")}) { ${fields.join("\n")} } ${InsightTableFragmentDoc}`
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
  const { onDate, asKnownAt } = useDay();
  const keyOf = ({ report, p }: Tile) => JSON.stringify([report, p]);
  // Sorted, so that a tile that is moved is not asked for again.
  const keys = [...new Set(tiles.map(keyOf))].sort();
  const nameOf = (tile: Tile) => `t${keys.indexOf(keyOf(tile))}`;
  const question = JSON.stringify([keys, onDate, asKnownAt]);
  const [failed, setFailed] = useState<{ of: string; wrong: Record<string, string> }>({ of: question, wrong: {} });
  const wrong = failed.of === question ? failed.wrong : {};
  const { document, variables, isIdle } = useMemo(() => {
    const all = keys.map((key, i) => ({ name: `t${i}`, tile: tiles.find((t) => keyOf(t) === key)! }));
    const asked = all.flatMap(({ name, tile }) => reports.filter((r) => r.key === tile.report && !wrong[name]).map((report) => ({ name, report, p: tile.p })));
    return questionOf(asked, onDate, asKnownAt);
  }, [question, JSON.stringify(wrong), reports]);
  const { data, error } = useAnswer(document, variables, isIdle);
  useEffect(() => {
    const found = (error?.graphQLErrors ?? []).flatMap(({ path, message }) => (path ? [[String(path[0]), message]] : []));
    if (found.length > 0) setFailed((old) => ({ of: question, wrong: { ...(old.of === question ? old.wrong : {}), ...Object.fromEntries(found) } }));
  }, [error, question]);
  const shownOf = (tile: Tile): Shown => {
    const name = nameOf(tile);
    if (wrong[name]) return { wrong: wrong[name] };
    const is = data?.[name];
    if (is === null || !reports.some((r) => r.key === tile.report)) return { wrong: "There is no such report, or no longer." };
    return is && "run" in is ? is.run : is;
  };
  return { shownOf, error: error?.graphQLErrors.some((e) => e.path) ? undefined : error };
}
