import { Box, Button, Grid, Group, NavLink, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { useAnswer } from "../../api/answer";
import { useDay, useMay, useMayForAll, useReading } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { InsightCatalogueDocument, type InsightTableFragment, ReferenceDocument, type ReferenceQuery, RunInsightDocument, RunRecipeDocument } from "../../gql";
import { Choose } from "../../parts/choose";
import { formatDay, formatInstant } from "../../parts/format";
import { Page } from "../../parts/page";
import type { Preset } from "../../parts/presets";
import { type Result, ResultView } from "../../parts/result";
import { Failure, Loading, Nothing } from "../../parts/states";
import { fieldOf, labelOf, enumerated } from "../../parts/words";
import { daysOf, hasDay, kinds, type Parameter, type Report, reportsOf, type Values } from "./catalogue";
import { RecipeActions } from "./actions";
import { type Board, boardOf } from "./board";
import { Builder } from "./builder";
import { AddToDashboard, Dashboard } from "./dashboard";
import { type ReadOn, useAsked, useReadBefore, useReadOn } from "./readon";

interface Search {
  /** The recipe that is being changed; new for another one. */
  build?: string;
  report?: string;
  p?: Values;
  /** The dashboard that is shown. */
  board?: string;
}

/** The page of curated queries and recipes. */
export function View() {
  const { report: key, p, build, board: boardID } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const may = { queries: useMay("business-insights:queries:execute"), recipes: useMay("business-insights:report-recipes:read") };
  const { data, error, loading } = useAnswer(InsightCatalogueDocument, may);
  const reports = useMemo(() => (data ? reportsOf(data) : []), [data]);
  const boards = useMemo((): Preset<Board>[] => (data?.dashboards.nodes ?? []).map((b) => ({ ...b, content: boardOf(b.content) })), [data]);
  const board = boards.find((b) => b.id === boardID);
  const { isUnderWay } = useReading();
  const report = reports.find((r) => (key ? r.key === key : r.parameters.every((q) => !q.required)));
  const built = reports.find((r) => r.id === build);
  const mayBuild = useMayForAll("write:recipes") && may.recipes;
  const groups = [
    { title: "Dashboards", items: boards.map((b) => ({ value: boardKey(b.id), label: b.name })) },
    ...kinds.map(([kind, title]) => ({ title, items: reports.filter((r) => r.kind === kind).map((r) => ({ value: r.key, label: r.title })) })),
  ];
  const choose = (key: string) => go(key.startsWith("board:") ? { board: key.slice("board:".length) } : { report: key, board: undefined, p: undefined });
  const go = (next: Search) => void navigate({ to: ".", search: ((old: object) => ({ ...old, ...next })) as never });
  return (
    <Page
      title="Insights"
      actions={
        mayBuild && (
          <Button size="xs" variant="default" leftSection={<IconPlus size={15} />} onClick={() => go({ build: "new" })}>
            New report
          </Button>
        )
      }
    >
      {error && <Failure error={error} />}
      {loading && <Loading what="the catalogue" />}
      {data && (build ? mayBuild && build !== "new" && !built : boardID ? !board : key && !report) && !isUnderWay && <Nothing>There is no such {boardID ? "dashboard" : "report"}, or no longer.</Nothing>}
      {data && mayBuild && (build === "new" || built) && <Builder key={build} report={built} />}
      {data && (report ?? boardID) && !(build && mayBuild) && (
        <Grid gutter="md">
          <Grid.Col span={{ base: 12, md: 3 }}>
            <Choose
              hiddenFrom="md"
              label="Dashboard, query or recipe"
             
              data={groups.flatMap(({ items }) => items)}
              value={boardID ? boardKey(boardID) : report!.key}
              onChange={(key) => key && choose(key)}
            />
            <Box component="nav" aria-label="Dashboards, queries and recipes" visibleFrom="md">
              {groups.map(({ title, items }) => (
                <Choices key={title} title={title} items={items} chosen={boardID ? boardKey(boardID) : report!.key} onChoose={choose} />
              ))}
            </Box>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 9 }}>
            {board ? (
              <Dashboard key={board.id} board={board} all={boards} reports={reports} />
            ) : (
              report && !boardID && <ReportView key={report.key} report={report} values={p ?? {}} boards={boards} onValues={(values) => go({ report: report.key, p: values })} onBoard={(board) => go({ board })} />
            )}
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}

const boardKey = (id: string) => `board:${id}`;

interface ChoicesProps {
  title: string;
  items: { value: string; label: string }[];
  chosen: string;
  onChoose: (key: string) => void;
}

function Choices({ title, items, chosen, onChoose }: ChoicesProps) {
  if (items.length === 0) return null;
  return (
    <>
      <Title order={2} size="h6" mt="xs">
        {title}
      </Title>
      {items.map(({ value, label }) => (
        <NavLink key={value} component="button" label={label} active={value === chosen} onClick={() => onChoose(value)} py={5} />
      ))}
    </>
  );
}

interface ReportProps {
  report: Report;
  values: Values;
  boards: Preset<Board>[];
  onValues: (values: Values) => void;
  onBoard: (id: string) => void;
}

function ReportView({ report, values, boards, onValues, onBoard }: ReportProps) {
  const { onDate } = useDay();
  const missing = report.parameters.filter((p) => p.required && !values[p.name]);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {report.title}
        </Title>
        <Group gap="xs">
          <AddToDashboard report={report} p={values} boards={boards} onAdded={onBoard} />
          <RecipeActions report={report} />
        </Group>
      </Group>
      <Text size="sm">{report.description}</Text>
      <Printed report={report} values={values} />
      <Form key={JSON.stringify([values, onDate])} report={report} values={values} onValues={onValues} />
      {missing.length > 0 ? <Nothing>Give {missing.map((p) => fieldOf(p.name)).join(" and ")} to run it.</Nothing> : report.kind === "query" ? <RunQuery report={report} values={values} /> : <RunRecipe report={report} values={values} />}
    </Stack>
  );
}

/** On paper: what was chosen, the day, and when it was known. */
function Printed({ report, values }: { report: Report; values: Values }) {
  const { onDate, asKnownAt } = useDay();
  const chosen = { ...daysOf(report, onDate), ...values };
  const shown = (p: Parameter) => (p.type === "date" ? formatDay(chosen[p.name]!) : enumerated(chosen[p.name]!));
  return (
    <Text size="sm" className="printed" data-own>
      {[...report.parameters.filter((p) => chosen[p.name]).map((p) => `${labelOf(p.name)}: ${shown(p)}`), `Day: ${formatDay(onDate)}`, asKnownAt ? `as known at ${formatInstant(asKnownAt)}` : "as known now"].join(" · ")}
    </Text>
  );
}

interface RunProps {
  report: Report;
  values: Values;
}

function RunQuery({ report, values }: RunProps) {
  const { data, error } = useAnswer(RunInsightDocument, useAsked(report, values).query);
  const readOn = useReadOn(report, values);
  const readBefore = useReadBefore(report, values);
  return error ? <Failure error={error} /> : <Outcome table={data?.insight} name={report.id} readOn={readOn} readBefore={readBefore} />;
}

function RunRecipe({ report, values }: RunProps) {
  const { isToday } = useDay();
  const { data, error } = useAnswer(RunRecipeDocument, useAsked(report, values).recipe);
  const readOn = useReadOn(report, values);
  if (error) return <Failure error={error} />;
  return (
    <>
      {!hasDay(report) && !isToday && <Text size="sm">It is not about a day: this is what it says now.</Text>}
      <Outcome table={data?.reportRecipe?.run} name={report.title} readOn={readOn} />
    </>
  );
}

function Outcome({ table, name, readOn, readBefore }: { table: InsightTableFragment | undefined; name: string; readOn: ReadOn; readBefore?: Result["readBefore"] }) {
  const result = useMemo(() => table && { columns: table.columns, rows: table.rows as Result["rows"], total: table.totalCount, readOn, ...(readBefore && { readBefore }) }, [table, readOn, readBefore]);
  if (!result) return <Loading what="the result" />;
  if (result.rows.length === 0) return <Nothing>Nothing fits.</Nothing>;
  return <ResultView result={result} name={name} />;
}

function Form({ report, values, onValues }: { report: Report; values: Values; onValues: (values: Values) => void }) {
  const { onDate } = useDay();
  // The days that hold unless others are given stand in their fields, and are not kept in the address.
  const days = daysOf(report, onDate);
  const [typed, setTyped] = useState(values);
  // Reference data is read for whoever comes to choose of it.
  const [isHere, setHere] = useState(false);
  const { data: reference } = useAnswer(ReferenceDocument, {}, !isHere || !useMay("read:agents") || !report.parameters.some((p) => coded.has(p.name)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onValues(Object.fromEntries(Object.entries(typed).filter(([name, v]) => v !== "" && v !== days[name])));
  };
  if (report.parameters.length === 0) return null;
  return (
    <form onSubmit={submit} onFocus={() => setHere(true)}>
      <div style={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(190px, 1fr))", gap: 10, alignItems: "end" }}>
        {report.parameters.map((p) => (
          <ParameterField key={p.name} parameter={p} reference={reference} value={typed[p.name] ?? (p.type === "date" ? (days[p.name] ?? "") : "")} set={(v) => setTyped({ ...typed, [p.name]: v })} />
        ))}
        <div>
          <Button type="submit" size="xs">
            Run
          </Button>
        </div>
      </div>
    </form>
  );
}

interface Choice {
  value: string;
  label: string;
}

const named = ({ code, name }: { code: string; name: string }): Choice => ({ value: code, label: name });

/** The parameters whose values are reference data of the agency. */
const coded = new Map<string, (r: ReferenceQuery) => Choice[]>([
  ["jurisdiction", (r) => r.jurisdictions.map(named)],
  ["type", (r) => r.certificationTypes.map(named)],
  ["providerCompany", (r) => r.providerCompanies.map(named)],
  ["payStatus", (r) => r.payStatuses.map((s) => ({ value: s.name, label: s.name }))],
  ["minLevel", (r) => r.agentLevels.map((l) => ({ value: String(l.value), label: l.name }))],
  ["maxLevel", (r) => r.agentLevels.map((l) => ({ value: String(l.value), label: l.name }))],
]);

interface FieldProps {
  parameter: Parameter;
  reference: ReferenceQuery | undefined;
  value: string;
  set: (value: string) => void;
}

function ParameterField({ parameter: p, reference, value, set }: FieldProps) {
  const label = labelOf(p.name);
  const common = { label, size: "xs" as const, required: p.required, title: p.description, placeholder: /Otherwise (.*?)\.$/.exec(p.description)?.[1] ?? /^(.*) unless given\.$/.exec(p.description)?.[1] ?? "" };
  if (p.name === "agentCode" || p.name === "rootAgentCode") return <AgentPicker size="xs" label={label} initial={value} onPick={set} />;
  const choices = coded.get(p.name);
  const mayRead = useMay("read:agents");
  if (choices && mayRead) return <Choose {...common} data={reference ? choices(reference) : value ? [value] : []} nothingFoundMessage={reference ? "None" : "A moment…"} value={value || null} onChange={(v) => set(v ?? "")} clearable />;
  if (p.choices) return <Choose {...common} data={p.choices.map((c) => ({ value: c, label: enumerated(c) }))} value={value || null} onChange={(v) => set(v ?? "")} clearable />;
  if (p.type === "boolean") return <Choose {...common} data={[{ value: "true", label: "Yes" }, { value: "false", label: "No" }]} value={value || null} onChange={(v) => set(v ?? "")} clearable />;
  return <TextInput {...common} type={p.type === "date" ? "date" : p.type === "integer" ? "number" : "text"} value={value} onChange={(e) => set(e.currentTarget.value)} />;
}
