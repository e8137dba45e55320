import { type Client, useClient } from "urql";
import { useMay } from "../app/context";
import { AuditTrailCheckDocument, type ChangeFilter, ChangesForFileDocument, type ChangesForFileQuery } from "../gql";
import { SaveCSV } from "./csv";
import { formatInstant, formatNumber } from "./format";
import { didOf, fieldOf, objectOf, words } from "./words";

/** Changes in a file at most: of more, its name says how many of how many it has. */
const most = 20_000;

const header = ["Entry", "When", "Who", "In the name of", "With", "Through", "What was done", "Kind of record", "Key", "Field", "First day", "Last day", "Before", "After", "Reason"];

type Change = ChangesForFileQuery["changes"]["nodes"][number];

/** A line for each value that a change set, or one if none is kept. */
export function linesOf(c: Change): unknown[][] {
  const about = [c.sequence, formatInstant(c.at), c.subject, c.initiator === c.subject ? "" : c.initiator, c.clientId, c.surface && words(c.surface), didOf(c.operation), objectOf(c.entityType), c.entityKey, fieldOf(c.field)];
  const values = c.values.length > 0 ? c.values : [{ effectiveFrom: null, effectiveThrough: null, old: null, new: null }];
  return values.map((v) => [...about, v.effectiveFrom, v.effectiveThrough, v.old, v.new, c.reason]);
}

/** What the trail says of itself: that it is whole, and where it ends, to be compared later. */
async function proofOf(client: Client): Promise<string> {
  const { data, error } = await client.query(AuditTrailCheckDocument, { head: null }, { requestPolicy: "network-only" }).toPromise();
  if (!data) return `The trail could not be checked: ${error?.graphQLErrors[0]?.message ?? error?.message ?? "no answer came"}`;
  const { isIntact, entryCount, head, brokenAt } = data.auditTrailCheck;
  const when = formatInstant(new Date().toISOString());
  return isIntact ? `Checked ${when}: all ${formatNumber(entryCount)} entries are as they were written; the trail ends at ${head}` : `Checked ${when}: the trail is broken at entry ${brokenAt}`;
}

/** Saves what is shown as a file for whoever audits: every change with its values, and below them what the check of the trail says. */
export function SaveFeed({ filter, name }: { filter: ChangeFilter; name: string }) {
  const client = useClient();
  const mayCheck = useMay("read:clients");
  const read = async () => {
    const changes: Change[] = [];
    let total = 0;
    for (let after: string | null = null; ; ) {
      const page: { data?: ChangesForFileQuery; error?: Error } = await client.query(ChangesForFileDocument, { filter, first: 100, after }, { requestPolicy: "network-only" }).toPromise();
      if (!page.data) throw page.error ?? new Error("No answer came.");
      const { nodes, pageInfo, totalCount } = page.data.changes;
      changes.push(...nodes);
      total = totalCount;
      if (!pageInfo.hasNextPage || changes.length >= most) break;
      after = pageInfo.endCursor;
    }
    const proof = mayCheck ? [[], [await proofOf(client)]] : [];
    return { rows: [...changes.flatMap(linesOf), ...proof], name: changes.length < total ? `${name}-first-${changes.length}-of-${total}` : name };
  };
  return <SaveCSV header={header} kinds={header.map((head) => (head === "Entry" ? "number" : head === "First day" || head === "Last day" ? "day" : "text"))} read={read} />;
}
