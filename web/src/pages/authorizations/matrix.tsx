import { Checkbox, Group, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useClient } from "urql";
import { useAnswer } from "../../api/answer";
import { useDay, useViewer } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { ProductsDocument, type ProductsQuery, type SalesAuthorizationReasonCode, SalesAuthorizationsDocument, type SalesAuthorizationsQuery, type SalesAuthorizationStatus } from "../../gql";
import { Choose, ChooseMany } from "../../parts/choose";
import { SaveCSV } from "../../parts/csv";
import { count, formatDay, formatNumber } from "../../parts/format";
import { AgentLink } from "../../parts/links";
import { Pager, usePages } from "../../parts/pager";
import { Rows } from "../../parts/rows";
import { Failure, Loading, Nothing } from "../../parts/states";
import { Status } from "../../parts/status";
import { plain, words } from "../../parts/words";

type Row = SalesAuthorizationsQuery["salesAuthorizations"]["nodes"][number];

interface Search {
  agent?: string;
  below?: boolean;
  states?: string[];
  products?: string[];
  answer?: SalesAuthorizationStatus;
  missing?: SalesAuthorizationReasonCode;
}

const missing: SalesAuthorizationReasonCode[] = ["NO_CERTIFICATION", "CERTIFICATION_NOT_ACTIVE", "CERTIFICATION_LAPSED", "WRONG_RESIDENCE", "NO_APPOINTMENT", "PAY_STATUS_NOT_ACTIVE", "NO_PAY_STATUS", "LEVEL_TOO_LOW", "NO_LEVEL", "NO_REQUIREMENTS"];
const choicesOf = (codes: string[]) => codes.map((value) => ({ value, label: words(value) }));

/** Agents and states by products: of one agent, of it and its downline, or of everybody. Without states, where they may sell. */
export function Matrix() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const go = (next: { [K in keyof Search]?: Search[K] | undefined }) => void navigate({ to: ".", search: ((old: object) => ({ ...old, ...next })) as never });
  const { onDate, asKnownAt } = useDay();
  const { agentCode, isLimited } = useViewer();
  const agent = search.agent ?? agentCode ?? undefined;
  const { data: known } = useAnswer(ProductsDocument, { onDate, asKnownAt });
  const isAsked = agent !== undefined || (!isLimited && (search.states ?? search.answer) !== undefined);
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <AgentPicker label="Agent" placeholder={isLimited ? undefined : "Everybody"} initial={agent ?? ""} onPick={(code) => go({ agent: code || undefined })} />
        <Checkbox label="With the downline" checked={search.below ?? false} disabled={!agent} onChange={(e) => go({ below: e.currentTarget.checked || undefined })} mb={8} />
        <ChooseMany label="States" placeholder={search.states?.length ? undefined : search.answer === "NOT_AUTHORIZED" ? "All" : "Where they may sell"} clearable data={known?.jurisdictions.map((j) => ({ value: j.code, label: j.name })) ?? []} value={search.states ?? []} onChange={(states) => go({ states: states.length ? states : undefined })} miw={220} />
        <ChooseMany label="Products" placeholder={search.products?.length ? undefined : "All"} clearable data={known?.products.map((p) => ({ value: p.code, label: p.name })) ?? []} value={search.products ?? []} onChange={(products) => go({ products: products.length ? products : undefined })} miw={220} />
        <Choose label="Answer" placeholder="Both" clearable data={choicesOf(["AUTHORIZED", "NOT_AUTHORIZED"])} value={search.answer ?? null} onChange={(answer) => go({ answer: (answer ?? undefined) as SalesAuthorizationStatus | undefined, ...(answer !== "NOT_AUTHORIZED" && { missing: undefined }) })} w={150} />
        <Choose label="What is missing" placeholder="Anything" clearable data={choicesOf(missing)} value={search.missing ?? null} onChange={(code) => go({ missing: (code ?? undefined) as SalesAuthorizationReasonCode | undefined, ...(code && { answer: "NOT_AUTHORIZED" as const }) })} w={220} />
      </Group>
      {isAsked && known ? <Answers key={JSON.stringify([search, onDate, asKnownAt])} reference={known} search={{ ...search, agent }} /> : <Nothing>{isLimited ? "Choose an agent." : "Choose an agent; or states, or an answer, to ask of everybody."}</Nothing>}
    </Stack>
  );
}

type Asked = Omit<Search, "agent"> & { agent: string | undefined };

/** What is asked of the API. */
function useAsked({ agent, below, states, products, answer, missing: reason }: Asked) {
  const { onDate, asKnownAt } = useDay();
  return {
    agentCodes: agent && !below ? [agent] : null,
    downlineOf: agent && below ? agent : null,
    products: products ?? null,
    jurisdictions: states ?? null,
    status: answer ?? (states ? null : ("AUTHORIZED" as const)),
    reason: reason ?? null,
    onDate,
    asKnownAt,
  };
}

const header = ["Agent", "Name", "State", "Product", "Answer", "Until", "Through", "What is missing"];

function Answers({ reference, search }: { reference: ProductsQuery; search: Asked }) {
  const client = useClient();
  const pages = usePages();
  const asked = useAsked(search);
  const { data, error, loading } = useAnswer(SalesAuthorizationsDocument, { ...asked, after: pages.after });
  const names = new Map([...reference.jurisdictions, ...reference.products, ...reference.certificationTypes, ...reference.providerCompanies].map((one) => [one.code, one.name]));
  const nameIn = (code: string) => names.get(code) ?? code;
  /** All answers, page by page, as a file has them. */
  const read = async () => {
    const rows: unknown[][] = [];
    for (let after: string | null = null; ; ) {
      const page: { data?: SalesAuthorizationsQuery; error?: Error } = await client.query(SalesAuthorizationsDocument, { ...asked, after }).toPromise();
      if (!page.data) throw page.error ?? new Error("No answer came.");
      const { nodes, pageInfo } = page.data.salesAuthorizations;
      rows.push(...nodes.map((r) => [r.agentCode, r.agent?.displayName, nameIn(r.jurisdiction), nameIn(r.product), words(r.status), r.validThrough, r.through.join(", "), r.reasons.map((reason) => toldOf(reason, nameIn)).join("; ")]));
      if (!pageInfo.hasNextPage) return { rows, name: `who-may-sell-${asked.onDate}` };
      after = pageInfo.endCursor;
    }
  };
  if (error) return <Failure error={error} />;
  if (loading || !data) return <Loading what="who may sell" />;
  const list = data.salesAuthorizations;
  const columns = [...new Set(list.nodes.map((r) => r.product))].sort();
  const lines = new Map<string, Row[]>();
  for (const r of list.nodes) {
    const key = `${r.agentCode} ${r.jurisdiction}`;
    lines.set(key, [...(lines.get(key) ?? []), r]);
  }
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" c="dimmed" role="status">
          {count(list.totalCount, "answer")}
          {list.pageInfo.hasNextPage && `, of which ${formatNumber(list.nodes.length)} are here`}
        </Text>
        {lines.size > 0 && <SaveCSV header={header} kinds={header.map((head) => (head === "Until" ? "day" : "text"))} read={read} />}
      </Group>
      {lines.size === 0 && <Nothing>{search.answer === "NOT_AUTHORIZED" ? "Nothing is missing: whoever was asked for may sell." : "Whoever was asked for may sell nowhere. Choose “May not sell” as the answer to see what is missing."}</Nothing>}
      {lines.size > 0 && (
        <Rows
          label="Who may sell"
          head={["Agent", "State", ...columns.map(nameIn)]}
          rows={[...lines].map(([key, rows]) => ({
            key,
            cells: [<AgentLink key="a" code={rows[0]!.agentCode}>{`${rows[0]!.agent?.displayName ?? ""} · ${rows[0]!.agentCode}`}</AgentLink>, nameIn(rows[0]!.jurisdiction), ...columns.map((product) => <Cell key={product} row={rows.find((r) => r.product === product)} name={nameIn} />)],
          }))}
        />
      )}
      <Pager pages={pages} info={list.pageInfo} />
    </div>
  );
}

/** The name of what has a code. */
type NameIn = (code: string) => string;

/** What is missing, of whom, since when, and what would mend it. */
const toldOf = (r: Row["reasons"][number], name: NameIn) => {
  // The server names types and companies by their codes.
  const mend = [...r.certificationTypes, ...(r.providerCompany ? [r.providerCompany] : [])].reduce((text, code) => text.split(/\b/).map((part) => (part === code ? name(code) : part)).join(""), r.mend);
  return `${words(r.code)}${r.depth > 0 ? ` of ${r.agentCode ?? "an upline"}` : ""}${r.since ? ` since ${formatDay(r.since)}` : ""}: ${plain(mend)}`;
};

/** Whether it may, until when, through whom, or what is missing. */
function Cell({ row, name }: { row: Row | undefined; name: NameIn }) {
  if (!row) return null;
  const until = row.validThrough ? ` until ${formatDay(row.validThrough)}` : "";
  if (row.status === "AUTHORIZED") {
    return (
      <Text size="sm">
        Yes{until}
        {row.through.length > 0 && `, through ${row.through.join(", ")}`}
      </Text>
    );
  }
  return (
    <Stack gap={2}>
      <div>
        <Status tone="bad">No{until}</Status>
      </div>
      {row.reasons.map((r, i) => (
        <Text key={i} size="xs">
          {toldOf(r, name)}
        </Text>
      ))}
    </Stack>
  );
}
