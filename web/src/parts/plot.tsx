import { Button, Checkbox, Group, SegmentedControl, Text, VisuallyHidden } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import * as Plot from "@observablehq/plot";
import { IconPhoto } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { Choose } from "./choose";
import { readAll } from "./csv";
import { download } from "./download";
import { formatNumber } from "./format";
import { addsUp, byName, type Drawn, drawnOf, firstDayOf, isTime, lineOf, type Mark, rowsOf } from "./marks";
import { howMany, isMeasure, isNumber, type Result, type ResultColumn } from "./result";
import { Loading } from "./states";

/** Puts a drawing into its place. It has one name: those of its parts, which have no role, are no use to anybody. */
export function put(host: HTMLElement, drawn: Element) {
  if (drawn.tagName === "FIGURE") drawn.setAttribute("role", "none"); // with a legend
  const unname = () => drawn.querySelectorAll("g[aria-label]").forEach((part) => part.removeAttribute("aria-label"));
  unname();
  const later = new MutationObserver(unname); // what the pointer shows
  later.observe(drawn, { childList: true, subtree: true });
  host.replaceChildren(drawn);
  return () => {
    later.disconnect();
    drawn.remove();
  };
}
const StateMap = lazy(() => import("./map").then((m) => ({ default: m.StateMap })));

/** Whether a column names jurisdictions, those of states among them. */
const isPlace = (column: ResultColumn, rows: Result["rows"]) => rows.some((row) => /^US-[A-Z]{2}$/.test(String(row[column.key])));

const pen = document.createElement("canvas").getContext("2d");

/** How wide the longest of some texts is, as the marks of an axis. */
function widest(texts: string[]) {
  if (!pen) return 150;
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(Math.max(0, ...texts.map((text) => pen.measureText(text).width))) + 20;
}

/** A name that leaves room for its bar. */
const fitting = (name: string) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);

function figure({ drawn: { marks }, before, isOverTime, x, y }: DrawingProps, width: number) {
  const common = { width, marginBottom: 40, style: { background: "transparent", fontSize: "12px" }, ariaLabel: `${y.label} by ${x.label}` };
  if (isOverTime) {
    const points = marks.map((m) => ({ ...m, x: new Date(firstDayOf(m.x)), at: m.x }));
    // The first of before stands where the first of now does, and so on.
    const places = [...new Set(points.map((p) => p.x.getTime()))];
    const earlier = (before?.marks ?? []).slice(0, places.length).map((m, i) => ({ ...m, x: new Date(places[i]!), at: m.x }));
    const lines = [...new Set(marks.map((m) => m.line))];
    const color = lines.length > 1 ? "line" : "#4c6ef5";
    const marginLeft = widest([...marks, ...earlier].map((m) => formatNumber(m.y)));
    const tip = { title: (m: { at: string; line: string; y: number }) => [m.at, m.line, `${y.label}: ${formatNumber(m.y)}`].filter(Boolean).join("\n"), tip: true };
    return Plot.plot({ ...common, height: 340, marginLeft, color: { legend: lines.length > 1, domain: lines }, x: { label: x.label }, y: { label: y.label, grid: true, zero: true }, marks: [Plot.ruleY([0]), Plot.lineY(earlier, { x: "x", y: "y", stroke: "#868e96", strokeDasharray: "5,4" }), Plot.dot(earlier, { x: "x", y: "y", stroke: "#868e96", ...tip }), Plot.lineY(points, { x: "x", y: "y", z: "line", stroke: color, strokeWidth: 2 }), Plot.dot(points, { x: "x", y: "y", fill: color, ...tip })] });
  }
  const marginLeft = Math.min(widest(marks.map((m) => fitting(m.x))), width / 2);
  return Plot.plot({ ...common, height: 60 + marks.length * 24, marginLeft, x: { label: y.label, grid: true }, y: { label: null, domain: marks.map((m) => m.x), tickFormat: fitting }, marks: [Plot.ruleX([0]), Plot.barX(marks, { x: "y", y: "x", fill: (m: Mark) => (m.isRest ? "#adb5bd" : "#4c6ef5"), tip: true })] });
}

interface DrawingProps {
  drawn: Drawn;
  /** The same of the period before. */
  before?: Drawn | undefined;
  isOverTime: boolean;
  x: ResultColumn;
  y: ResultColumn;
}

function Drawing(props: DrawingProps) {
  const { drawn, before, isOverTime, x, y } = props;
  const { ref, width } = useElementSize<HTMLDivElement>();
  useEffect(() => {
    const host = ref.current;
    if (host && width > 0) return put(host, figure(props, Math.min(width, 1100)));
  }, [drawn, before, isOverTime, x, y, width, ref]);
  return (
    <>
      <div className="plot" ref={ref} role="figure" aria-label={`${y.label} by ${x.label}`} />
      <VisuallyHidden component="ul" aria-label={`${y.label} by ${x.label}, in numbers`}>
        {drawn.marks.map((m) => (
          <li key={JSON.stringify([m.x, m.line])}>{`${[m.x, m.line].filter(Boolean).join(", ")}: ${m.y}`}</li>
        ))}
      </VisuallyHidden>
      {before && (
        <>
          <Text size="xs" c="dimmed">
            – – the period before{before.marks.length === 0 ? ", of which nothing is known" : `, ${before.marks[0]!.x} to ${before.marks.at(-1)!.x}`}
          </Text>
          <VisuallyHidden component="ul" aria-label={`${y.label} by ${x.label}, in the period before`}>
            {before.marks.map((m) => (
              <li key={m.x}>{`${m.x}: ${m.y}`}</li>
            ))}
          </VisuallyHidden>
        </>
      )}
      {drawn.untold.map((what) => (
        <Text key={what} size="xs" c="dimmed">
          {what}
        </Text>
      ))}
    </>
  );
}

/** Rows that a chart adds up at most: of more, it says that they are not all. */
const mostRows = 20_000;

/** A result with all its rows, as far as they can be read; null while they are. */
function useWhole(result: Result): { whole: Result | null; problem: string } {
  const [read, setRead] = useState<{ of: Result; rows: Result["rows"]; problem: string }>();
  const isPart = result.readOn !== undefined && result.total !== null && result.rows.length < result.total;
  useEffect(() => {
    if (!isPart) return;
    let isWanted = true;
    const done = (rows: Result["rows"], problem = "") => isWanted && setRead({ of: result, rows, problem });
    readAll({ ...result, total: Math.min(result.total!, mostRows) }).then((rows) => done(rows), (error: Error) => done(result.rows, error.message));
    return () => void (isWanted = false);
  }, [result, isPart]);
  if (!isPart) return { whole: result, problem: "" };
  return read?.of === result ? { whole: { ...result, rows: read.rows }, problem: read.problem } : { whole: null, problem: "" };
}

/** A result as a chart, once all its rows are read. */
export function ResultChart({ result }: { result: Result }) {
  const named = useMemo(() => byName(result), [result]);
  const { whole, problem } = useWhole(named);
  if (!whole) return <Loading what="all rows" />;
  return (
    <>
      <Chart result={whole} />
      {whole.rows.length !== whole.total && (
        <Text size="xs" role="status">
          {howMany(whole)}: the chart is of these.{problem && ` The others could not be read: ${problem}`}
        </Text>
      )}
    </>
  );
}

/** Reads the same of the period before, once somebody wants to see it. */
function useBefore(result: Result) {
  const [isWanted, setWanted] = useState(false);
  const [read, setRead] = useState<{ of: Result; rows: Result["rows"]; problem: string }>();
  useEffect(() => {
    if (!isWanted || !result.readBefore) return;
    let isGone = false;
    const done = (rows: Result["rows"], problem = "") => !isGone && setRead({ of: result, rows, problem });
    result.readBefore().then((rows) => done(rows), (error: Error) => done([], error.message));
    return () => void (isGone = true);
  }, [isWanted, result]);
  const known = isWanted && read?.of === result ? read : undefined;
  const choice = result.readBefore && (
    <>
      <Checkbox size="xs" mt="auto" mb={6} label="With the period before" checked={isWanted} onChange={(e) => setWanted(e.currentTarget.checked)} />
      {known?.problem && <Text size="xs" role="alert">{known.problem}</Text>}
    </>
  );
  return { rows: known?.problem ? undefined : known?.rows, choice };
}

/** Saves what is drawn as a picture, on white, as it is in a document. */
async function savePicture(figure: HTMLElement | null, name: string) {
  const svg = [...(figure?.querySelectorAll<SVGSVGElement>(".plot svg") ?? [])].at(-1); // the first may be a legend
  if (!svg) return;
  const { width, height } = svg.viewBox.baseVal;
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.cssText = "font: 12px system-ui, sans-serif; color: #1a1b1e";
  const image = new Image(width, height);
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const g = canvas.getContext("2d")!;
  g.fillStyle = "#fff";
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(blob, `${name}.png`));
}

/** One column of a result by another: lines, bars, or a map. */
function Chart({ result }: { result: Result }) {
  const numbers = result.columns.filter(isMeasure);
  const others = result.columns.filter((c) => !isNumber(c));
  const ofDays = numbers.length === 0 ? others.find((c) => c.type === "date") : undefined;
  const [x, setX] = useState((ofDays ?? others[0]!).key);
  const [y, setY] = useState((numbers.find((c) => c.isMeasure) ?? numbers[0] ?? rowsOf).key);
  const [form, setForm] = useState("map");
  const across = others.find((c) => c.key === x) ?? others[0]!;
  const up = numbers.find((c) => c.key === y) ?? rowsOf;
  const drawn = useMemo(() => drawnOf(result, across, up, up === rowsOf ? undefined : lineOf(result, across, others)), [result, up, across]);
  const hasMap = addsUp(up) && isPlace(across, result.rows);
  const isOverTime = isTime(across, result.rows);
  const { rows: earlier, choice } = useBefore(result);
  const line = lineOf(result, across, others);
  const before = useMemo(() => (earlier && isOverTime && !line ? drawnOf({ ...result, rows: earlier }, across, up) : undefined), [earlier, isOverTime, line, result, across, up]);
  const drawing = useRef<HTMLDivElement>(null);
  return (
    <div ref={drawing}>
      <Group gap="xs" className="choices">
        <Choose size="xs" label="Show" data={[...numbers, rowsOf].map((c) => ({ value: c.key, label: c.label }))} value={up.key} onChange={(v) => v && setY(v)} />
        <Choose size="xs" label="By" data={others.map((c) => ({ value: c.key, label: c.label }))} value={across.key} onChange={(v) => v && setX(v)} />
        {hasMap && <SegmentedControl size="xs" mt="auto" value={form} onChange={setForm} data={[{ value: "map", label: "Map" }, { value: "bars", label: "Bars" }]} aria-label="Chart as" />}
        {isOverTime && !line && choice}
        <Button size="xs" mt="auto" ml="auto" variant="default" leftSection={<IconPhoto size={15} />} onClick={() => void savePicture(drawing.current, `${up.label} by ${across.label}`)}>
          Picture
        </Button>
      </Group>
      {hasMap && form === "map" ? (
        <Suspense fallback={<Loading what="the map" />}>
          <StateMap result={result} place={across} value={up} />
        </Suspense>
      ) : (
        <Drawing drawn={drawn} before={before} isOverTime={isOverTime} x={across} y={up} />
      )}
    </div>
  );
}
