import { Button, Group, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer } from "../api/answer";
import { type ChangeFilter, ChangesDocument, type ChangesQuery, RevealsDocument } from "../gql";
import { Pager, usePages } from "./pager";
import { by, Sentence, thingOf } from "./sentence";
import { Failure, Loading, Nothing } from "./states";
import { Undo } from "./undo";

/** What the URL says of the changes that are shown. */
export interface FeedSearch {
  by?: string;
  field?: string;
  type?: string;
  of?: string;
}

const rows = 60;

type Change = ChangesQuery["changes"]["nodes"][number];

/** The changes of one write to one object, which are neighbours. */
function writesOf(all: Change[]): Change[][] {
  const writes: Change[][] = [];
  for (const c of all) {
    const last = writes.at(-1);
    if (last?.[0]!.sequence === c.sequence && last[0]!.entityKey === c.entityKey) last.push(c);
    else writes.push([c]);
  }
  return writes;
}

/** Why a write cannot be taken back as things are now, in sentences; none if it can. */
const whyNot = (write: Change[]) => [...new Set(write.flatMap((c) => (c.undoable.isPossible ? [] : [c.undoable.whyNot ?? "It cannot be taken back."])))];

/** What was changed, of one object or of the agency, a sentence each, with who really did it and a way back. */
export function Feed({ of }: { of?: { entityType: string; entityKey: string } }) {
  const search = useSearch({ strict: false }) as FeedSearch;
  const navigate = useNavigate();
  const pages = usePages();
  const [undone, setUndone] = useState<number | null>(null);
  const object = of ?? { ...(search.type && { entityType: search.type }), ...(search.type && search.of && { entityKey: search.of }) };
  const filter: ChangeFilter = { ...object, ...(search.by && { by: search.by }), ...(search.field && { field: search.field }) };
  const { data, error, loading } = useAnswer(ChangesDocument, { filter, first: rows, after: pages.after });
  const go = (next: FeedSearch) => {
    pages.setCursors([]);
    void navigate({ to: ".", replace: true, search: ((old: object) => ({ ...old, ...next })) as never });
  };
  const page = data?.changes;
  return (
    <>
      <Group align="end" gap="xs" my="xs">
        <Typed label="By whom" value={search.by} onDone={(by) => go({ by })} />
        <Typed label="Field, such as directDeposit" value={search.field} onDone={(field) => go({ field })} />
        {!of && <Typed label="Type of object, such as Agent" value={search.type} onDone={(type) => go({ type })} />}
        {!of && <Typed label="Object, with its type" value={search.of} onDone={(key) => go({ of: key })} />}
      </Group>
      {error && <Failure error={error} />}
      {loading && <Loading what="what was changed" />}
      {page?.nodes.length === 0 && <Nothing>{search.field ? `No change of the ${thingOf(search.field)} is recorded.` : "Nothing is recorded."}</Nothing>}
      <ul className="feed" aria-label="Changes">
        {writesOf(page?.nodes ?? []).map((write) => {
          const c = write[0]!;
          const reasons = whyNot(write);
          const does = reasons.length === 0 ? "Undo" : "What is in the way of";
          const undo = (
            <Button size="compact-xs" variant="subtle" onClick={() => setUndone(c.sequence)} aria-label={`${does} change ${c.sequence}`}>
              {reasons.length === 0 ? "Undo" : "What is in the way?"}
            </Button>
          );
          return (
            <li key={`${c.sequence} ${c.entityKey}`}>
              <Sentence changes={write} isOfOne={of !== undefined} action={undo} />
              {reasons.length > 0 && <div className="faint">No undo: {reasons.join("; ")}</div>}
            </li>
          );
        })}
      </ul>
      <Pager pages={pages} info={page?.pageInfo} />
      {undone !== null && <Undo of={{ sequence: undone }} onClose={() => setUndone(null)} />}
    </>
  );
}

/** Who looked at values that are masked. */
export function Reveals({ of }: { of?: { entityType: string; entityKey: string } }) {
  const pages = usePages();
  const { data, error, loading } = useAnswer(RevealsDocument, { filter: { ...of, kind: "REVEAL" }, first: 50, after: pages.after });
  const page = data?.auditLog;
  return (
    <>
      {error && <Failure error={error} />}
      {loading && <Loading what="what was revealed" />}
      {page?.nodes.length === 0 && <Nothing>Nothing was revealed.</Nothing>}
      <ul className="feed" aria-label="Reveals">
        {page?.nodes.map((e) => (
          <li key={e.id} className="sentence">
            <b>{e.subject}</b> revealed the {[...new Set(e.changes.map((c) => thingOf(c.field)))].join(", the ")}
            {!of && ` of ${e.entityType.toLowerCase()} ${e.entityKeys.slice(0, 3).join(", ")}`} <span className="faint">{by(e)}</span>
          </li>
        ))}
      </ul>
      <Pager pages={pages} info={page?.pageInfo} />
    </>
  );
}

/** A text that counts when its field is left, or with Enter. */
function Typed({ label, value = "", onDone }: { label: string; value?: string | undefined; onDone: (text: string | undefined) => void }) {
  const [text, setText] = useState(value);
  const done = () => text.trim() !== value && onDone(text.trim() || undefined);
  return <TextInput size="xs" label={label} value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={done} onKeyDown={(e) => e.key === "Enter" && done()} />;
}
