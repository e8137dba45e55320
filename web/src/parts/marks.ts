// What a chart draws of a result: rows are added up before any is left out, so that the
// marks together are what the result says.
import { count, dayNumber, dayOf, formatDecimal } from "./format";
import type { Result, ResultColumn } from "./result";

/** Bars and lines by name; what is smaller is drawn together. */
export const mostNamed = 10;

/** What a chart shows where no number is chosen: how many rows there are of each value, of days by the week. */
export const rowsOf: ResultColumn = { key: "#", label: "Rows", type: "integer" };

export interface Mark {
  /** The value of the column that it is of. */
  x: string;
  /** The line that it is on; empty for the only one. */
  line: string;
  y: number;
  /** Of all that is smaller than what has a name. */
  isRest?: boolean;
}

export interface Drawn {
  marks: Mark[];
  /** What is not drawn, in words. */
  untold: string[];
}

/** Shares, averages and extremes do not add up: of several rows there is a mean only. */
export const addsUp = (c: ResultColumn) => c.type !== "percent" && c.format !== "percent" && !/^average|(Avg|Min|Max|CountDistinct|Average)$/.test(c.key);

/** How much a row has of a column. */
export const amountIn = (row: Result["rows"][number], y: ResultColumn) => (y === rowsOf ? 1 : Number(row[y.key] ?? 0));

const nothing = (column: ResultColumn) => `No ${column.label.toLowerCase()}`;
const nameIn = (row: Result["rows"][number], column: ResultColumn) => (row[column.key] === null || row[column.key] === undefined || row[column.key] === "" ? nothing(column) : String(row[column.key]));

/** A time has lines; anything else has bars: 2026-07, 2026-W30, 2026-Q3. */
export const isTime = (column: ResultColumn, rows: Result["rows"]) => column.type === "date" || column.type === "dateTime" || rows.every((row) => /^\d{4}-(\d{2}(-\d{2})?|Q[1-4]|W\d{2})$/.test(String(row[column.key])));

/** The first day of a time: of a week its Monday (ISO 8601), of a quarter that of its first month. */
export function firstDayOf(time: string): string {
  const [, year, kind, n] = /^(\d{4})-([QW])(\d+)$/.exec(time) ?? [];
  if (kind === "Q") return `${year}-${String(3 * Number(n) - 2).padStart(2, "0")}-01`;
  if (kind === "W") return dayOf(dayNumber(weekOf(`${year}-01-04`)) + 7 * (Number(n) - 1));
  return time.length === 7 ? `${time}-01` : time.slice(0, 10);
}

/** A table of agents by name and code in one column, since several have the same name. */
export function byName(result: Result): Result {
  const [code, name] = ["agentCode", "name"].map((key) => result.columns.find((c) => c.key === key));
  if (!code || !name) return result;
  const called = (row: Result["rows"][number]) => ({ ...row, agentCode: [row.name, row.agentCode].filter(Boolean).join(" · ") });
  const { readOn } = result;
  return { ...result, columns: result.columns.filter((c) => c !== name).map((c) => (c === code ? { ...c, label: "Agent" } : c)), rows: result.rows.map(called), ...(readOn && { readOn: async (rows: Result["rows"]) => (await readOn(rows)).map(called) }) };
}

/** What is drawn together dwarfs what has a name, if it is so many times as much. */
const dwarfs = 4;

const weekOf = (day: string) => dayOf(dayNumber(day) - ((dayNumber(day) + 3) % 7)); // Monday

/** The column whose values have a line each: one that comes again and again, and tells apart the rows of a time. */
export function lineOf({ rows }: Result, x: ResultColumn, others: ResultColumn[]): ResultColumn | undefined {
  const different = (...of: ResultColumn[]) => new Set(rows.map((row) => JSON.stringify(of.map((c) => row[c.key])))).size;
  if (!isTime(x, rows) || different(x) === rows.length) return undefined;
  return others.find((c) => c !== x && different(x, c) === rows.length && 2 * different(c) <= rows.length);
}

/** A sum without what adding up binary fractions leaves behind. */
const plainly = (n: number) => formatDecimal(String(Number(n.toFixed(2))));

class Sums {
  private readonly all = new Map<string, { y: number; rows: number }>();
  add(key: string, y: number) {
    const of = this.all.get(key) ?? { y: 0, rows: 0 };
    this.all.set(key, { y: of.y + y, rows: of.rows + 1 });
  }
  /** The groups, the largest first, as sums or as means. */
  list(isMean: boolean): [string, number][] {
    const named = [...this.all].map(([key, { y, rows }]): [string, number] => [key, isMean ? y / rows : y]);
    return named.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  }
  get repeats() {
    return [...this.all.values()].some(({ rows }) => rows > 1);
  }
}

/** What is drawn of a number, by a column, with a line for each value of another. */
export function drawnOf(result: Result, x: ResultColumn, y: ResultColumn, line?: ResultColumn): Drawn {
  const isOverTime = isTime(x, result.rows);
  const at = (row: Result["rows"][number]) => {
    const is = nameIn(row, x);
    if (!isOverTime || is === nothing(x)) return is;
    const day = x.type === "dateTime" ? is.slice(0, 10) : is;
    return y === rowsOf && x.type.startsWith("date") ? weekOf(day) : day;
  };
  const of = (row: Result["rows"][number]) => amountIn(row, y);
  const isMean = !addsUp(y);
  const names = new Sums();
  for (const row of result.rows) names.add(line ? nameIn(row, line) : at(row), of(row));
  const limited = isOverTime && !line ? [] : names.list(isMean).slice(mostNamed);
  const small = new Set(limited.map(([name]) => name));
  const others = count(small.size, "other");
  const sums = new Sums();
  for (const row of result.rows) {
    const name = line ? nameIn(row, line) : at(row);
    if (isMean && small.has(name)) continue;
    const shown = small.has(name) ? others : name;
    sums.add(line ? JSON.stringify([at(row), shown]) : shown, of(row));
  }
  const all = sums.list(isMean).map(([key, sum]): Mark => (line ? { x: JSON.parse(key)[0], line: JSON.parse(key)[1], y: sum } : { x: key, line: "", y: sum, isRest: small.size > 0 && key === others }));
  const untold: string[] = [];
  if (isMean && sums.repeats) untold.push("Of several rows, the mean is drawn");
  if (isMean && small.size > 0) untold.push(`The ${mostNamed} largest are drawn, of ${names.list(true).length}`);
  if (!isOverTime) {
    const [named, rest] = [all.filter((m) => !m.isRest), all.filter((m) => m.isRest)];
    if (!rest[0] || rest[0].y <= dwarfs * Math.max(...named.map((m) => m.y))) return { marks: [...named, ...rest], untold };
    return { marks: named, untold: [...untold, `${y.label} of ${others} together, not drawn: ${plainly(rest[0].y)}`] };
  }
  const timeless = all.filter((m) => m.x === nothing(x)).reduce((sum, m) => sum + m.y, 0);
  if (all.some((m) => m.x === nothing(x))) untold.push(`${y.label} without ${x.label.toLowerCase()}, not drawn: ${plainly(timeless)}`);
  return { marks: all.filter((m) => m.x !== nothing(x)).sort((a, b) => (a.x < b.x ? -1 : a.x > b.x ? 1 : 0)), untold };
}
