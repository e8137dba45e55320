import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { useMay, useViewer } from "../app/context";
import type { OneChangeFragment, OneValueFragment } from "../gql";
import { callerOf, formatDay, formatInstant, formatThrough } from "./format";
import { AgentLink } from "./links";
import { useNamed } from "./people";
import { didOf, fieldOf, isWhole, objectOf, plain, shownOf, thingOf, words } from "./words";

/** Fields whose values are codes of agents. */
const ofAgents = /(^|\.)(uplinePeriods|directUpline\w*|uplineAgentCode|recruiterAgentCode|agentCode)$/;

/** The agents that changes name. */
export const codesIn = (changes: Pick<OneChangeFragment, "entityType" | "entityKey" | "field" | "values">[]) => changes.flatMap((c) => [...(c.entityType === "Agent" ? [c.entityKey] : []), ...(ofAgents.test(c.field) ? c.values.flatMap((v) => [v.old, v.new]) : [])].filter((code) => code !== null));

/** A value of the trail as people read it. */
function useShown(): (field: string, value: string | null) => string {
  const named = useNamed();
  return (field, value) => {
    if (value === null) return "nothing";
    if (ofAgents.test(field)) return named(value);
    if (value === "true" || value === "false") return value === "true" ? "yes" : "no";
    if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return formatDay(value);
    if (/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value)) return formatInstant(value);
    return shownOf(value);
  };
}

/** Values that tell something: one that is not kept, or not for this reader, is nothing before and after. */
const told = (values: OneValueFragment[]) => values.filter((v) => v.old !== null || v.new !== null);

/** The values before and after, each range of days for itself. */
export function OldAndNew({ field, values }: { field: string; values: OneValueFragment[] }) {
  const shown = useShown();
  if (told(values).length === 0) return <>values are not kept, or not for you to see</>;
  return (
    <>
      {told(values).map((v, i) => (
        <Fragment key={i}>
          {i > 0 && "; "}
          {v.effectiveFrom && `${formatDay(v.effectiveFrom)} – ${formatThrough(v.effectiveThrough)}: `}
          <span className="old" data-own>
            {shown(field, v.old)}
          </span>{" "}
          → <b data-own>{shown(field, v.new)}</b>
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

/** What a change is about, as people know it: an agent by name, an application by a link to it. */
export function About({ of: { entityType, entityKey } }: { of: Pick<OneChangeFragment, "entityType" | "entityKey"> }) {
  const { tenant } = useViewer();
  const mayOpen = useMay("agent-onboarding:applications:read", "agent-onboarding:applications:write");
  if (entityType === "Agent") return <AgentLink code={entityKey} />;
  if (entityType !== "Application") return <>{`${objectOf(entityType)} ${entityKey}`}</>;
  if (!mayOpen) return <>an application</>;
  return (
    <Anchor component={Link} to={`/${tenant}/onboarding`} search={{ application: entityKey } as never} size="sm">
      an application
    </Anchor>
  );
}

interface SentenceProps {
  /** What one write changed of one object. */
  changes: OneChangeFragment[];
  /** The object stands above. */
  isOfOne?: boolean;
  action?: ReactNode;
}

/** What was set from which value to which, if a write changed one value; as things that have a key are said. */
function SetOf({ change: c, of }: { change: OneChangeFragment; of: ReactNode }) {
  const shown = useShown();
  const v = told(c.values)[0]!;
  return (
    <>
      {c.operation === "changeUndo" ? "took back a change, and so set" : "set"} the {fieldOf(c.field)}
      {of} from{" "}
      <span className="old" data-own>
        {shown(c.field, v.old)}
      </span>{" "}
      to <b data-own>{shown(c.field, v.new)}</b>
      {v.effectiveFrom && (v.effectiveThrough ? ` from ${formatDay(v.effectiveFrom)} through ${formatDay(v.effectiveThrough)}` : ` from ${formatDay(v.effectiveFrom)} on`)}
    </>
  );
}

/** What somebody changed, as a sentence, with the values below it if it has no place for them. */
export function Sentence({ changes, isOfOne, action }: SentenceProps) {
  const c = changes[0]!;
  const of = !isOfOne && c.entityType !== "Session" && (
    <>
      {" "}
      of <About of={c} />
    </>
  );
  // A write that names no field is said by what was done.
  const isAll = isWhole(c.operation) || changes.every((one) => one.field === "");
  const isSet = !isAll && changes.length === 1 && c.field !== "" && told(c.values).length === 1;
  const did = c.operation === "changeUndo" ? "took back what was done to" : "changed";
  const what = isAll && c.operation !== "changeUndo" ? didOf(c.operation) : `${did} the ${[...new Set(changes.map((one) => thingOf(one.field)))].join(", the ")}`;
  return (
    <div className="sentence">
      <div>
        <b>{c.subject}</b> {isSet ? <SetOf change={c} of={of} /> : <>{what}{of}</>}
        {c.reason && <> – “<span data-own>{c.reason}</span>”</>} {action}
      </div>
      <div className="faint">{by(c)}</div>
      {!isSet &&
        (!isAll || changes.length < 4) &&
        changes
          .filter((one) => one.field && told(one.values).length > 0)
          .map((one) => (
            <div key={one.field} className="faint">
              {fieldOf(one.field)}: <OldAndNew field={one.field} values={one.values} />
            </div>
          ))}
    </div>
  );
}

type Undone = Pick<OneChangeFragment, "entityType" | "entityKey" | "field"> & { undoable: { isPossible: boolean; whyNot: string | null } };

/** Why a write cannot be taken back as things are now, each reason once; none if it can. What it is about stands above. */
export const whyNot = (write: Undone[]) => [
  ...new Set(
    write.flatMap(({ entityType, entityKey, field, undoable: { isPossible, whyNot: why } }) => {
      if (isPossible) return [];
      const about = [entityType, entityKey, field].filter(Boolean).join(" ");
      return [why?.startsWith(`${about} `) ? `it ${plain(why.slice(about.length + 1)).replace(/^./, (letter) => letter.toLowerCase())}` : plain(why ?? "it cannot be taken back")];
    }),
  ),
];
