import dayjs from "dayjs";
import timezone from "dayjs/plugin/timezone";
import utc from "dayjs/plugin/utc";

dayjs.extend(utc);
dayjs.extend(timezone);

const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const instantsIn = (timeZone: string) => new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZone, timeZoneName: "short" });
let zone = "UTC";
let instants = instantsIn(zone);

/** Says which zone the agency is in: instants are written in it, wherever the reader is. */
export function setZone(timeZone: string) {
  zone = timeZone;
  instants = instantsIn(zone);
}

/** Names a field whose day and time are those of the agency. */
export const inZone = (label: string) => `${label} (${zone.replaceAll("_", " ")})`;
/** The instant of a day and time that were typed, in the zone of the agency. */
export const instantOf = (typed: string) => dayjs.tz(typed, zone).toISOString();

/** An instant as a field for a day and time has it, in that zone. */
export const typedInstant = (instant: string) => dayjs(instant).tz(zone).format("YYYY-MM-DDTHH:mm");

/** The day on which somebody started, of an instant: that of UTC where a day was given to the API (midnight there), otherwise that of the agency. */
export const startDay = (instant: string) => (/T00:00:00(\.0+)?Z$/.test(instant) ? instant.slice(0, 10) : dayjs(instant).tz(zone).format("YYYY-MM-DD"));

const numbers = new Intl.NumberFormat();

/** A day, such as 2026-03-01, as the reader's locale writes it. */
export const formatDay = (day: string | null | undefined) => (day ? days.format(new Date(`${day}T00:00:00Z`)) : "");
export const formatInstant = (instant: string | null | undefined) => (instant ? instants.format(new Date(instant)) : "");
/** A decimal as people write it, to the last digit: 1234.50 is 1,234.50. */
export const formatDecimal = (text: string) => {
  const [, sign, whole, rest] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? [];
  return whole === undefined ? text : sign + numbers.format(BigInt(whole)) + (rest ?? "");
};
export const formatNumber = (n: number) => numbers.format(n);
/** So many of something, such as 1 row and 2 rows. */
export const count = (n: number, what: string) => `${formatNumber(n)} ${what}${n === 1 ? "" : "s"}`;
export const formatThrough = (day: string | null | undefined) => (day ? formatDay(day) : "open");

const dayLength = 86_400_000;
export const dayNumber = (day: string) => Math.round(Date.parse(`${day}T00:00:00Z`) / dayLength);
export const dayOf = (n: number) => new Date(n * dayLength).toISOString().slice(0, 10);

export function addMonths(day: string, months: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  const wanted = date.getUTCMonth() + months;
  const last = new Date(Date.UTC(date.getUTCFullYear(), wanted + 1, 0)).getUTCDate();
  return new Date(Date.UTC(date.getUTCFullYear(), wanted, Math.min(date.getUTCDate(), last))).toISOString().slice(0, 10);
}

/** Who called, as the token says, whoever the initiator is that the request named. */
export const callerOf = ({ subject, clientId }: { subject: string; clientId: string }) => (subject === clientId ? clientId : `${subject}, with ${clientId}`);
