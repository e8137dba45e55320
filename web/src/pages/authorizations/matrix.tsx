import { Badge, Checkbox, Group, MultiSelect, Stack, Text, Tooltip } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useAnswer } from "../../api/answer";
import { useDay, useViewer } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { ProductsDocument, SalesAuthorizationsDocument, type SalesAuthorizationsQuery } from "../../gql";
import { count, formatDay, words } from "../../parts/format";
import { AgentLink } from "../../parts/links";
import { Pager, usePages } from "../../parts/pager";
import { Rows } from "../../parts/rows";
import { Failure, Loading, Nothing } from "../../parts/states";

type Row = SalesAuthorizationsQuery["salesAuthorizations"]["nodes"][number];

interface Search {
  agent?: string;
  below?: boolean;
  states?: string[];
  products?: string[];
}

/** Agents and states by products: of one agent, or of it and its downline. Without states, where they may sell. */
export function Matrix() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const go = (next: Search) => void navigate({ to: ".", search: ((old: object) => ({ ...old, ...next })) as never });
  const { onDate, asKnownAt } = useDay();
  const { agentCode } = useViewer();
  const agent = search.agent ?? agentCode;
  const { data: known } = useAnswer(ProductsDocument, { onDate, asKnownAt });
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <AgentPicker label="Agent" initial={agent ?? ""} onPick={(code) => go({ agent: code || undefined })} />
        <Checkbox label="With the downline" checked={search.below ?? false} onChange={(e) => go({ below: e.currentTarget.checked || undefined })} mb={8} />
        <MultiSelect label="States" placeholder={search.states?.length ? undefined : "Where they may sell"} searchable clearable data={known?.jurisdictions.map((j) => j.code) ?? []} value={search.states ?? []} onChange={(states) => go({ states: states.length ? states : undefined })} miw={220} />
        <MultiSelect label="Products" placeholder={search.products?.length ? undefined : "All"} clearable data={known?.products.map((p) => ({ value: p.code, label: p.name })) ?? []} value={search.products ?? []} onChange={(products) => go({ products: products.length ? products : undefined })} miw={220} />
      </Group>
      {agent ? <Answers key={JSON.stringify([search, onDate, asKnownAt])} agent={agent} {...search} /> : <Nothing>Choose an agent.</Nothing>}
    </Stack>
  );
}

function Answers({ agent, below, states, products }: Search & { agent: string }) {
  const { onDate, asKnownAt } = useDay();
  const pages = usePages();
  const { data, error, loading } = useAnswer(SalesAuthorizationsDocument, {
    agentCodes: below ? null : [agent],
    downlineOf: below ? agent : null,
    products: products ?? null,
    jurisdictions: states ?? null,
    status: states ? null : "AUTHORIZED",
    onDate,
    asKnownAt,
    after: pages.after,
  });
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
      {lines.size === 0 && <Nothing>Nowhere.</Nothing>}
      {lines.size > 0 && (
        <Rows
          label="Who may sell"
          head={["Agent", "State", ...columns]}
          rows={[...lines].map(([key, rows]) => ({
            key,
            cells: [<AgentLink key="a" code={rows[0]!.agentCode} />, rows[0]!.jurisdiction, ...columns.map((product) => <Cell key={product} row={rows.find((r) => r.product === product)} />)],
          }))}
        />
      )}
      <Pager pages={pages} info={list.pageInfo}>
        {count(list.nodes.length, "answer")}
      </Pager>
    </div>
  );
}

/** Whether it may, until when, through whom, or what is missing. */
function Cell({ row }: { row: Row | undefined }) {
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
      {row.reasons.map((r, i) => (
        <Tooltip key={i} label={`${r.mend}${r.since ? `; since ${formatDay(r.since)}` : ""}`}>
          <Badge color="gray" variant="light" tt="none" tabIndex={0}>
            {words(r.code)}
            {r.depth > 0 && ` of ${r.agentCode ?? "an upline"}`}
          </Badge>
        </Tooltip>
      ))}
      {until && <Text size="xs">No{until}</Text>}
    </Stack>
  );
}
