import { Group, SegmentedControl, Select } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import * as Plot from "@observablehq/plot";
import { lazy, Suspense, useEffect, useState } from "react";
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

/** Whether a column names jurisdictions, those of states among them. */
const isPlace = (column: ResultColumn, rows: Result["rows"]) => rows.some((row) => /^US-[A-Z]{2}$/.test(String(row[column.key])));

/** A time has a line; anything else has bars. */
const isTime = (column: ResultColumn, rows: Result["rows"]) => column.type === "date" || rows.every((row) => /^\d{4}-\d{2}(-\d{2})?$/.test(String(row[column.key])));

function figure(result: Result, x: ResultColumn, y: ResultColumn, width: number) {
  const rows = result.rows.slice(0, isTime(x, result.rows) ? undefined : mostBars).map((row) => ({ x: row[x.key], y: Number(row[y.key]) }));
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
}

function Drawing({ result, x, y }: DrawingProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  useEffect(() => {
    const host = ref.current;
    if (host && width > 0) return put(host, figure(result, x, y, Math.min(width, 1100)));
  }, [result, x, y, width, ref]);
  return <div className="plot" ref={ref} role="figure" aria-label={`${y.label} by ${x.label}`} />;
}

/** One column of a result by another: a line, bars, or a map. */
export function ResultChart({ result }: { result: Result }) {
  const numbers = result.columns.filter(isMeasure);
  const others = result.columns.filter((c) => !isNumber(c));
  const [x, setX] = useState(others[0]!.key);
  const [y, setY] = useState(numbers[0]!.key);
  const [form, setForm] = useState("map");
  const across = others.find((c) => c.key === x) ?? others[0]!;
  const up = numbers.find((c) => c.key === y) ?? numbers[0]!;
  const hasMap = isPlace(across, result.rows);
  return (
    <>
      <Group gap="xs">
        <Select size="xs" label="Show" data={numbers.map((c) => ({ value: c.key, label: c.label }))} value={up.key} onChange={(v) => v && setY(v)} allowDeselect={false} />
        <Select size="xs" label="By" data={others.map((c) => ({ value: c.key, label: c.label }))} value={across.key} onChange={(v) => v && setX(v)} allowDeselect={false} />
        {hasMap && <SegmentedControl size="xs" mt="auto" value={form} onChange={setForm} data={[{ value: "map", label: "Map" }, { value: "bars", label: "Bars" }]} aria-label="Chart as" />}
      </Group>
      {hasMap && form === "map" ? (
        <Suspense fallback={<Loading what="the map" />}>
          <StateMap result={result} place={across} value={up} />
        </Suspense>
      ) : (
        <Drawing result={result} x={across} y={up} />
      )}
    </>
  );
}
