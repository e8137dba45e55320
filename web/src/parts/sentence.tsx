import { Fragment, type ReactNode } from "react";
import type { OneChangeFragment, OneValueFragment } from "../gql";
import { labelOf } from "./form/names";
import { callerOf, formatDay, formatInstant, formatThrough, words } from "./format";
import { didOf, isWhole } from "./said";

const things: Record<string, string> = { uplinePeriods: "upline", levelPeriods: "level", payStatusPeriods: "pay status", w9Periods: "W9", certifications: "certification", payee: "payee" };
const lower = (text: string) => text.replace(/^[A-Z](?![A-Z0-9])/, (c) => c.toLowerCase());

/** What a path of a field is about: bank account of directDeposit.bankName. */
export const thingOf = (field: string) => things[field.split(".")[0]!] ?? lower(labelOf(field.split(".")[0]!));

/** The path of a field in words. Numbers of objects say nothing to people. */
export const fieldOf = (field: string) => field.split(".").filter((part) => !/^\d+$/.test(part)).map((part) => things[part] ?? (part === "periods" ? "status" : lower(labelOf(part)))).join(", ");

/** The values before and after, each range of days for itself. */
export function OldAndNew({ values }: { values: OneValueFragment[] }) {
  if (values.length === 0) return <>values are not kept, or not for you to see</>;
  return (
    <>
      {values.map((v, i) => (
        <Fragment key={i}>
          {i > 0 && "; "}
          {v.effectiveFrom && `${formatDay(v.effectiveFrom)} – ${formatThrough(v.effectiveThrough)}: `}
          <span className="old">{v.old ?? "nothing"}</span> → <b>{v.new ?? "nothing"}</b>
        </Fragment>
      ))}
    </>
  );
}

type Who = Pick<OneChangeFragment, "initiator" | "subject" | "clientId" | "surface" | "at">;

/** Who really did it, and through which door; the initiator that was named stands beside. */
export function by(c: Who): string {
  const named = c.initiator !== c.subject ? `, in the name of ${c.initiator}` : "";
  return `by ${callerOf(c)}${named} · ${formatInstant(c.at)}${c.surface ? ` · through ${words(c.surface)}` : ""}`;
}

interface SentenceProps {
  /** What one write changed of one object. */
  changes: OneChangeFragment[];
  /** The object stands above. */
  isOfOne?: boolean;
  action?: ReactNode;
}

/** What was set from which value to which, if a write changed one value; as things that have a key are said. */
function setOf(changes: OneChangeFragment[], of: string): ReactNode {
  const [c] = changes;
  const [v] = c!.values;
  if (changes.length > 1 || c!.values.length !== 1 || !c!.field) return null;
  return (
    <>
      {c!.operation === "changeUndo" ? "took back a change, and so set" : "set"} the {fieldOf(c!.field)}
      {of} from <span className="old">{v!.old ?? "nothing"}</span> to <b>{v!.new ?? "nothing"}</b>
      {v!.effectiveFrom && (v!.effectiveThrough ? ` from ${formatDay(v!.effectiveFrom)} through ${formatDay(v!.effectiveThrough)}` : ` from ${formatDay(v!.effectiveFrom)} on`)}
    </>
  );
}

/** What somebody changed, as a sentence, with the values below it if it has no place for them. */
export function Sentence({ changes, isOfOne, action }: SentenceProps) {
  const c = changes[0]!;
  const of = isOfOne ? "" : ` of ${labelOf(c.entityType).toLowerCase()} ${c.entityKey}`;
  const set = isWhole(c.operation) ? null : setOf(changes, of);
  const did = c.operation === "changeUndo" ? "took back what was done to" : "changed";
  const what = isWhole(c.operation) ? didOf(c.operation) : `${did} the ${[...new Set(changes.map((one) => thingOf(one.field)))].join(", the ")}`;
  return (
    <div className="sentence">
      <div>
        <b>{c.subject}</b> {set ?? what + of}
        {c.reason && <> – “{c.reason}”</>} {action}
      </div>
      <div className="faint">{by(c)}</div>
      {!set &&
        (!isWhole(c.operation) || changes.length < 4) &&
        changes
          .filter((one) => one.field && one.values.length > 0)
          .map((one) => (
            <div key={one.field} className="faint">
              {fieldOf(one.field)}: <OldAndNew values={one.values} />
            </div>
          ))}
    </div>
  );
}
