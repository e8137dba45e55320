import { Anchor, Button, Checkbox, Group, Popover, Stack, Text } from "@mantine/core";
import { IconColumns } from "@tabler/icons-react";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useDay, useViewer } from "../../app/context";
import { Choose } from "../../parts/choose";
import { ExportMenu } from "../../parts/export";
import { count } from "../../parts/format";
import { Page } from "../../parts/page";
import { Presets } from "../../parts/presets";
import { isRow } from "../../parts/row";
import { Failure, Nothing } from "../../parts/states";
import { NewAgent } from "../agent/new";
import { Bulk, useMayBulk } from "./bulk";
import { Chips, Filters, SearchBox } from "./filters";
import { Grid } from "./grid";
import { type Choice, columnsOf, exportQuery, value } from "./query";
import { useRows } from "./rows";
import { type List, lists } from "./spec";

type Search = Partial<Choice>;

function choiceOf(list: List, search: Search): Choice {
  const known = (Array.isArray(search.columns) ? search.columns : []).filter((path) => list.columns.some((c) => c.path === path));
  return { columns: known.length ? known : list.shown, filter: isRow(search.filter) ? search.filter : {}, sort: isRow(search.sort) ? search.sort : undefined };
}

/** What of a list is chosen stands in the URL. What changes it is given what the URL says by then: a hand may be faster than the page. */
function useChoice(list: List): [Choice, (change: (old: Choice) => Partial<Choice>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const choice = useMemo(() => choiceOf(list, search), [list, JSON.stringify([search.columns, search.filter, search.sort])]);
  const change = (next: (old: Choice) => Partial<Choice>) => void navigate({ to: ".", search: ((old: Search) => ({ ...old, ...next(choiceOf(list, old)) })) as never });
  return [choice, change];
}

/** The page of a list. */
export function View() {
  const { list: id } = useParams({ strict: false }) as { list: string };
  const list = lists.find((l) => l.id === id) ?? lists[0]!;
  return <ListView key={list.id} list={list} />;
}

function ListView({ list }: { list: List }) {
  const { tenant } = useViewer();
  const { onDate, asKnownAt } = useDay();
  const navigate = useNavigate();
  const [choice, change] = useChoice(list);
  const rows = useRows(list, choice);
  const [codes, setCodes] = useState<ReadonlySet<string>>(new Set());
  const mayBulk = useMayBulk() && list.id === "agents";
  const chosen = mayBulk ? { codes, set: setCodes } : undefined;
  const onFilter = (next: (old: Choice["filter"]) => Choice["filter"]) => change((old) => ({ filter: next(old.filter) }));
  const exported = { query: exportQuery(list, choice.columns), connectionPath: list.field, onDate, headings: columnsOf(list, choice.columns).map(({ path, label }) => ({ path, text: label })) };
  const open = (code: unknown) => typeof code === "string" && void navigate({ to: `/${tenant}/agents/${encodeURIComponent(code)}` });
  const actions = (
    <>
      {list.id === "agents" && <NewAgent />}
      <Choose size="xs" w={170} aria-label="List" data={lists.map((l) => ({ value: l.id, label: l.title }))} value={list.id} onChange={(to) => to && void navigate({ to: `/${tenant}/lists/${to}` })} />
      <SearchBox list={list} filter={choice.filter} onChange={onFilter} />
      <Filters list={list} filter={choice.filter} onChange={onFilter} />
      <Columns list={list} columns={choice.columns} onChange={(next) => change((old) => ({ columns: next(old.columns) }))} />
      <Presets kind="VIEW" subject={list.id} word="view" content={choice} read={(kept) => choiceOf(list, kept as Search)} onTake={(next) => change(() => next)} />
      <ExportMenu name={`${list.id}-${onDate}`} input={{ ...exported, variables: rows.variables }} />
    </>
  );
  return (
    <Page title={list.title} actions={actions} fill>
      {asKnownAt && !list.dated && <Text size="sm" mb={6}>This list shows what is known now.</Text>}
      {rows.error ? (
        <>
          <Chips list={list} filter={choice.filter} onChange={onFilter} />
          <Failure error={rows.error} />
        </>
      ) : (
        <>
          <Group gap="sm" mb={6}>
            <Text size="sm" c="dimmed" role="status">
              {rows.total === undefined ? "Loading…" : count(rows.total, "row")}
            </Text>
            <Chips list={list} filter={choice.filter} onChange={onFilter} />
          </Group>
          {chosen && (
            <Bulk chosen={chosen}>
              {codes.size <= 100 && <ExportMenu name={`${list.id}-chosen-${onDate}`} label="Export these" input={{ ...exported, variables: { ...rows.variables, filter: { agentCodes: [...codes] } } }} />}
            </Bulk>
          )}
          {rows.total === 0 && (
            <Nothing>
              No row fits.{" "}
              {Object.keys(choice.filter).length > 0 && (
                <Anchor component="button" type="button" size="sm" underline="always" onClick={() => onFilter(() => ({}))}>
                  Show all
                </Anchor>
              )}
            </Nothing>
          )}
          <div className="grow" hidden={rows.total === 0}>
            <Grid list={list} choice={choice} rows={rows} chosen={chosen} onSort={(field) => change(({ sort }) => ({ sort: { field, direction: sort?.field === field && sort.direction === "ASC" ? "DESC" : "ASC" } }))} onOpen={(row) => open(value(row, "agentCode") ?? value(row, "agent.agentCode"))} />
          </div>
        </>
      )}
    </Page>
  );
}

function Columns({ list, columns, onChange }: { list: List; columns: string[]; onChange: (next: (old: string[]) => string[]) => void }) {
  const toggle = (path: string, on: boolean) => onChange((old) => list.columns.map((c) => c.path).filter((p) => (p === path ? on : old.includes(p))));
  return (
    <Popover position="bottom-end" withArrow shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns size={15} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah="70vh" style={{ overflowY: "auto" }}>
        <Stack gap={6} role="group" aria-label="Columns">
          {list.columns.map((c) => (
            <Checkbox key={c.path} size="xs" label={c.label} checked={columns.includes(c.path)} disabled={columns.length === 1 && columns[0] === c.path} onChange={(e) => toggle(c.path, e.currentTarget.checked)} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
