import { useElementSize } from "@mantine/hooks";
import { dayNumber, dayOf, formatDay, formatThrough } from "../../parts/format";
import type { Lane, Span } from "./lanes";

const laneHeight = 30;
const letter = 6.6; // the width of one, nearly
const fills: Record<Span["tone"], string> = {
  good: "light-dark(#b2e4c0, #1c5c33)",
  plain: "light-dark(#cfdcf5, #2f4372)",
  warn: "light-dark(#ffe3a3, #6b4d06)",
  bad: "light-dark(#f7c4c4, #712626)",
};

interface TimelineProps {
  lanes: Lane[];
  onDate: string;
  /** The days shown; by default from the first period to a year after the last. */
  range?: { first: string; last: string };
  onPick?: (lane: Lane, span: Span) => void;
}

export function rangeOf(lanes: Lane[], onDate: string) {
  const days = lanes.flatMap((l) => l.spans.flatMap((s) => [s.from, s.through ?? s.from])).concat(onDate).sort();
  const first = dayNumber(days[0]!);
  const last = dayNumber(days[days.length - 1]!);
  return { first: dayOf(first), last: dayOf(last + Math.max(60, Math.round((last - first) * 0.06))) };
}

/** Years along the axis, as many as there is room for. */
function ticks(first: string, last: string, width: number): string[] {
  const from = Number(first.slice(0, 4)) + 1;
  const to = Number(last.slice(0, 4));
  const step = Math.max(1, Math.ceil((to - from + 1) / Math.max(1, width / 55)));
  const years = [];
  for (let year = from; year <= to; year += step) years.push(`${year}-01-01`);
  return years;
}

/** Lanes of periods along time, with a line at the day that is shown. */
export function Timeline({ lanes, onDate, range, onPick }: TimelineProps) {
  const { ref, width } = useElementSize();
  const { first, last } = range ?? rangeOf(lanes, onDate);
  const gutter = width > 560 ? 170 : 100;
  const from = dayNumber(first);
  const x = (day: number) => gutter + ((day - from) / Math.max(1, dayNumber(last) - from)) * (width - gutter - 4);
  const height = lanes.length * laneHeight + 22;
  return (
    <div ref={ref}>
      {width > 0 && (
        <svg className="lanes" height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`Timeline, as of ${formatDay(onDate)}`}>
          {ticks(first, last, width - gutter).map((day) => (
            <g key={day} transform={`translate(${x(dayNumber(day))},0)`}>
              <line className="grid" y1={16} y2={height} />
              <text className="faint" textAnchor="middle" y={11}>
                {day.slice(0, 4)}
              </text>
            </g>
          ))}
          {lanes.map((lane, i) => (
            <g key={lane.id} transform={`translate(0,${22 + i * laneHeight})`} role="group" aria-label={lane.title}>
              <text y={laneHeight / 2} dominantBaseline="middle">
                <title>{lane.title}</title>
                {shorten(lane.title, gutter / 7.2)}
              </text>
              {lane.spans.map((s) => (
                <Bar key={s.from} lane={lane} span={s} x1={x(dayNumber(s.from))} x2={s.through ? x(dayNumber(s.through) + 1) : width} onPick={onPick} />
              ))}
            </g>
          ))}
          <line className="asof" x1={x(dayNumber(onDate))} x2={x(dayNumber(onDate))} y1={14} y2={height} />
        </svg>
      )}
    </div>
  );
}

const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

interface BarProps {
  lane: Lane;
  span: Span;
  x1: number;
  x2: number;
  onPick: TimelineProps["onPick"];
}

function Bar({ lane, span, x1, x2, onPick }: BarProps) {
  const text = `${span.label}, ${formatDay(span.from)} – ${formatThrough(span.through)}`;
  const pick = onPick && !lane.isSuperseded && !lane.isFixed ? () => onPick(lane, span) : undefined;
  const width = Math.max(3, x2 - x1 - 1);
  return (
    <g
      className={pick ? "bar" : undefined}
      role={pick ? "button" : "img"}
      tabIndex={pick ? 0 : undefined}
      aria-label={`${lane.title}: ${text}${pick ? ". Change" : ""}`}
      onClick={pick}
      onKeyDown={(e) => (e.key === "Enter" || e.key === " ") && (e.preventDefault(), pick?.())}
    >
      <title>{text}</title>
      <rect x={x1} y={3} width={width} height={laneHeight - 7} rx={3} style={lane.isSuperseded ? { fill: "none", stroke: "var(--mantine-color-dimmed)", strokeDasharray: "4 3" } : { fill: fills[span.tone] }} />
      {span.label.length * letter + 10 < width && (
        <text x={x1 + 6} y={laneHeight / 2} dominantBaseline="middle" pointerEvents="none">
          {span.label}
        </text>
      )}
    </g>
  );
}
