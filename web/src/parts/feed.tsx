import { Button, Group, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer } from "../api/answer";
import { type ChangeFilter, ChangesDocument, type ChangesQuery, RevealsDocument } from "../gql";
import { AgentPicker } from "../app/find";
import { Choose } from "./choose";
import { SaveFeed } from "./feedfile";
import { instantOf } from "./format";
import { Pager, usePages } from "./pager";
import { People } from "./people";
import { by, codesIn, Sentence, whyNot } from "./sentence";
import { Failure, Loading, Nothing } from "./states";
import { Undo } from "./undo";
import { objectOf, thingOf } from "./words";

/** What the URL says of the changes that are shown. */
export interface FeedSearch {
  by?: string;
  field?: string;
  type?: string;
  of?: string;
  /** The days on which it was changed, in the zone of the agency. */
  from?: string;
  through?: string;
}

const rows = 60;

type Change = ChangesQuery["changes"]["nodes"][number];

/** The changes of one write to one object, which are neighbours. */
export function writesOf(all: Change[]): Change[][] {
  const writes: Change[][] = [];
  for (const c of all) {
    const last = writes.at(-1);
    if (last?.[0]!.sequence === c.sequence && last[0]!.entityKey === c.entityKey) last.push(c);
    else writes.push([c]);
  }
  return writes;
}

/** What the trail tells of, by the kinds of records. */
const fieldsOf: Record<string, string[]> = {
  Agent: ["firstName", "lastName", "email", "homeAddress", "businessAddress", "cellPhone", "directDeposit", "governmentIdentifier", "payStatusPeriods", "uplinePeriods", "levelPeriods", "w9Periods", "certifications", "tags", "aliases", "startDate", "birthDate", "npn"],
  Application: ["status", "firstName", "lastName", "emailAddress", "homeAddress", "licenses", "background", "contract", "w9", "directDeposit"],
  User: ["roles", "status", "email", "agentCode"],
  Role: ["scopes", "description", "limitedToDownline"],
  Client: ["scopes", "isDisabled", "trustedDocuments"],
  Product: [],
  PayStatus: [],
  AgentLevel: [],
  CertificationType: [],
  ProviderCompany: [],
  Jurisdiction: [],
  Tag: [],
  Scenario: [],
  WebhookSubscription: [],
};

/** Choices in words, those of the alphabet first; one that an address has is among them. */
const choicesOf = (names: string[], chosen: string | undefined, of: (name: string) => string) => [...new Set([...names, ...(chosen ? [chosen] : [])])].map((value) => ({ value, label: of(value).replace(/^./, (c) => c.toUpperCase()) })).sort((a, b) => a.label.localeCompare(b.label));

/** What was changed, of one object or of the agency, a sentence each, with who really did it and a way back. */
export function Feed({ of }: { of?: { entityType: string; entityKey: string } }) {
  const search = useSearch({ strict: false }) as FeedSearch;
  const navigate = useNavigate();
  const pages = usePages();
  const [undone, setUndone] = useState<number | null>(null);
  const object = of ?? { ...(search.type && { entityType: search.type }), ...(search.type && search.of && { entityKey: search.of }) };
  const filter: ChangeFilter = { ...object, ...(search.by && { by: search.by }), ...(search.field && { field: search.field }), ...(search.from && { from: instantOf(`${search.from}T00:00`) }), ...(search.through && { through: instantOf(`${search.through}T23:59:59.999`) }) };
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
        <Choose size="xs" label="Of what" data={choicesOf(fieldsOf[object.entityType ?? "Agent"] ?? [], search.field, thingOf)} value={search.field ?? null} onChange={(field) => go({ field: field ?? undefined })} clearable />
        {!of && <Choose size="xs" label="Kind of record" data={choicesOf(Object.keys(fieldsOf), search.type, objectOf)} value={search.type ?? null} onChange={(type) => go({ type: type ?? undefined, of: undefined })} clearable />}
        {!of && search.type && search.type !== "Agent" && <Typed key={search.of} label="Its key" value={search.of} onDone={(key) => go({ of: key })} />}
        {!of && (!search.type || search.type === "Agent") && <AgentPicker size="xs" key={search.of} label="Agent" initial={search.of ?? ""} onPick={(code) => go({ type: code ? "Agent" : undefined, of: code || undefined })} />}
        <Day label="From" value={search.from} onDone={(from) => go({ from })} />
        <Day label="Through" value={search.through} onDone={(through) => go({ through })} />
        <SaveFeed filter={filter} name={["changes", object.entityKey, search.from, search.through].filter(Boolean).join("-")} />
      </Group>
      {error && <Failure error={error} />}
      {loading && <Loading what="what was changed" />}
      {page?.nodes.length === 0 && <Nothing>{search.field ? `No change of the ${thingOf(search.field)} is recorded.` : "Nothing is recorded."}</Nothing>}
      <People codes={codesIn(page?.nodes ?? [])}>
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
      </People>
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
            {!of && ` of ${objectOf(e.entityType)} ${e.entityKeys.slice(0, 3).join(", ")}`} <span className="faint">{by(e)}</span>
          </li>
        ))}
      </ul>
      <Pager pages={pages} info={page?.pageInfo} />
    </>
  );
}

/** A day that counts once it is whole. */
function Day({ label, value = "", onDone }: { label: string; value?: string | undefined; onDone: (day: string | undefined) => void }) {
  const [text, setText] = useState(value);
  const done = (day: string) => {
    setText(day);
    if (day === "" || day > "1900") onDone(day || undefined);
  };
  return <TextInput size="xs" type="date" label={label} value={text} onChange={(e) => done(e.currentTarget.value)} />;
}

/** A text that counts when its field is left, or with Enter. */
function Typed({ label, value = "", onDone }: { label: string; value?: string | undefined; onDone: (text: string | undefined) => void }) {
  const [text, setText] = useState(value);
  const done = () => text.trim() !== value && onDone(text.trim() || undefined);
  return <TextInput size="xs" label={label} value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={done} onKeyDown={(e) => e.key === "Enter" && done()} />;
}
