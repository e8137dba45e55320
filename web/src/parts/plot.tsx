import { Group, SegmentedControl, Select, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import * as Plot from "@observablehq/plot";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { count, dayNumber, dayOf } from "./format";
import { Loading } from "./states";
import { isMeasure, isNumber, type Result, type ResultColumn } from "./result";

const mostBars = 40;

/** Puts a drawing into its place. It has one name: those of its parts, which have no role, are no use to anybody. */
export function put(host: HTMLElement, drawn: Element) {
  drawn.querySelectorAll("g[aria-label]").forEach((part) => part.removeAttribute("aria-label"));
  host.replaceChildren(drawn);
  return () => drawn.remove();
}
const StateMap = lazy(() => import("./map").then((m) => ({ default: m.StateMap })));

/** What a chart shows where no number is chosen: how many rows there are of each value, of days by the week. */
const rowsOf = { key: "#", label: "Rows", type: "integer" };

const weekOf = (day: string) => dayOf(dayNumber(day) - ((dayNumber(day) + 3) % 7)); // Monday

function counted(result: Result, x: ResultColumn): Result["rows"] {
  const counts = new Map<string, number>();
  for (const row of result.rows) {
    const is = row[x.key];
    if (is === null || is === undefined) continue;
    const at = x.type === "date" ? weekOf(String(is)) : x.type === "dateTime" ? weekOf(String(is).slice(0, 10)) : String(is);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const all = [...counts].sort(([a, n], [b, m]) => (x.type.startsWith("date") ? (a < b ? -1 : 1) : m - n));
  return all.map(([at, n]) => ({ [x.key]: at, [rowsOf.key]: n }));
}

/** Whether a column names jurisdictions, those of states among them. */
const isPlace = (column: ResultColumn, rows: Result["rows"]) => rows.some((row) => /^US-[A-Z]{2}$/.test(String(row[column.key])));

/** A time has a line; anything else has bars. */
const isTime = (column: ResultColumn, rows: Result["rows"]) => column.type === "date" || rows.every((row) => /^\d{4}-\d{2}(-\d{2})?$/.test(String(row[column.key])));

function figure({ result, x, y, most }: DrawingProps, width: number) {
  const rows = result.rows.slice(0, isTime(x, result.rows) ? undefined : most).map((row) => ({ x: row[x.key], y: Number(row[y.key]) }));
  const common = { width, marginBottom: 40, marginLeft: 55, style: { background: "transparent", fontSize: "12px" }, ariaLabel: `${y.label} by ${x.label}` };
  if (isTime(x, result.rows)) {
    const points = rows.map((row) => ({ ...row, x: new Date(String(row.x)) }));
    return Plot.plot({ ...common, height: 340, x: { label: x.label }, y: { label: y.label, grid: true, zero: true }, marks: [Plot.ruleY([0]), Plot.lineY(points, { x: "x", y: "y", stroke: "#4c6ef5", strokeWidth: 2 }), Plot.dot(points, { x: "x", y: "y", fill: "#4c6ef5", tip: true })] });
  }
  return Plot.plot({ ...common, height: 60 + rows.length * 24, marginLeft: 150, x: { label: y.label, grid: true }, y: { label: null, domain: [...new Set(rows.map((row) => String(row.x)))] }, marks: [Plot.ruleX([0]), Plot.barX(rows, { x: "y", y: (row: { x: unknown }) => String(row.x), fill: "#4c6ef5", tip: true })] });
}

interface DrawingProps {
  result: Result;
  x: ResultColumn;
  y: ResultColumn;
  /** Bars that are drawn, the first ones. */
  most: number;
}

function Drawing(props: DrawingProps) {
  const { result, x, y, most } = props;
  const { ref, width } = useElementSize<HTMLDivElement>();
  useEffect(() => {
    const host = ref.current;
    if (host && width > 0) return put(host, figure(props, Math.min(width, 1100)));
  }, [result, x, y, most, width, ref]);
  return (
    <>
      <div className="plot" ref={ref} role="figure" aria-label={`${y.label} by ${x.label}`} />
      {!isTime(x, result.rows) && result.rows.length > most && (
        <Text size="xs" c="dimmed">
          The first {most} of {count(result.rows.length, "bar")}
        </Text>
      )}
    </>
  );
}

/** One column of a result by another: a line, bars, or a map. */
export function ResultChart({ result, most = mostBars }: { result: Result; most?: number }) {
  const numbers = result.columns.filter(isMeasure);
  const others = result.columns.filter((c) => !isNumber(c));
  const ofDays = numbers.length === 0 ? others.find((c) => c.type === "date") : undefined;
  const [x, setX] = useState((ofDays ?? others[0]!).key);
  const [y, setY] = useState((numbers.find((c) => c.isMeasure) ?? numbers[0] ?? rowsOf).key);
  const [form, setForm] = useState("map");
  const across = others.find((c) => c.key === x) ?? others[0]!;
  const up = numbers.find((c) => c.key === y) ?? rowsOf;
  const drawn = useMemo(() => (up === rowsOf ? { ...result, rows: counted(result, across) } : result), [result, up, across]);
  const hasMap = isPlace(across, result.rows);
  return (
    <>
      <Group gap="xs">
        <Select size="xs" label="Show" data={[...numbers, rowsOf].map((c) => ({ value: c.key, label: c.label }))} value={up.key} onChange={(v) => v && setY(v)} allowDeselect={false} />
        <Select size="xs" label="By" data={others.map((c) => ({ value: c.key, label: c.label }))} value={across.key} onChange={(v) => v && setX(v)} allowDeselect={false} />
        {hasMap && <SegmentedControl size="xs" mt="auto" value={form} onChange={setForm} data={[{ value: "map", label: "Map" }, { value: "bars", label: "Bars" }]} aria-label="Chart as" />}
      </Group>
      {hasMap && form === "map" ? (
        <Suspense fallback={<Loading what="the map" />}>
          <StateMap result={drawn} place={across} value={up} />
        </Suspense>
      ) : (
        <Drawing result={drawn} x={across} y={up} most={most} />
      )}
    </>
  );
}
