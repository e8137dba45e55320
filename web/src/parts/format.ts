const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const instants = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const numbers = new Intl.NumberFormat();

/** A day, such as 2026-03-01, as the reader's locale writes it. */
export const formatDay = (day: string | null | undefined) => (day ? days.format(new Date(`${day}T00:00:00Z`)) : "");
export const formatInstant = (instant: string | null | undefined) => (instant ? instants.format(new Date(instant)) : "");
export const formatNumber = (n: number) => numbers.format(n);
/** So many of something, such as 1 row and 2 rows. */
export const count = (n: number, what: string) => `${formatNumber(n)} ${what}${n === 1 ? "" : "s"}`;
export const formatThrough = (day: string | null | undefined) => (day ? formatDay(day) : "open");

/** REGULATORY_SUSPENSION as people write it. A value that this server does not know reads as unknown. */
export const words = (name: string | null) => {
  if (name === null) return "Unknown";
  const text = name.replaceAll("_", " ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const dayLength = 86_400_000;
export const dayNumber = (day: string) => Math.round(Date.parse(`${day}T00:00:00Z`) / dayLength);
export const dayOf = (n: number) => new Date(n * dayLength).toISOString().slice(0, 10);

export function addMonths(day: string, months: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  const wanted = date.getUTCMonth() + months;
  const last = new Date(Date.UTC(date.getUTCFullYear(), wanted + 1, 0)).getUTCDate();
  return new Date(Date.UTC(date.getUTCFullYear(), wanted, Math.min(date.getUTCDate(), last))).toISOString().slice(0, 10);
}
