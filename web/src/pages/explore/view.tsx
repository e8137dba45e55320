import { Alert, Anchor, Button, Grid, Group, JsonInput, SegmentedControl, Stack } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { gql, useClient } from "urql";
import { useDay, useMayForAll, useViewer } from "../../app/context";
import { Choose } from "../../parts/choose";
import { Page } from "../../parts/page";
import { ResultView } from "../../parts/result";
import { Loading, messagesOf, Nothing } from "../../parts/states";
import { examples } from "./examples";
import { QueryField } from "./query";
import { Recipe } from "./recipe";
import { connectionIn, tableOf } from "./table";

const Picker = lazy(() => import("./picker"));

interface Search {
  query?: string;
  variables?: string;
}

/** The page of free queries: any of them as JSON, table, chart and file. Links carry the query. */
export function View() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const { onDate, asKnownAt } = useDay();
  const client = useClient();
  const held = useViewer().scopes;
  const offered = examples.filter((e) => !e.scope || held.has(e.scope));
  const mayReport = useMayForAll("write:recipes");
  const [query, setQuery] = useState(search.query ?? offered[0]!.query);
  const [variables, setVariables] = useState(search.variables ?? "{}");
  const [answer, setAnswer] = useState<{ data?: unknown; problem?: string } | null>(null);
  const [form, setForm] = useState("table");
  const [picking, setPicking] = useState(false);
  const [saving, setSaving] = useState(false);
  const [playground, setPlayground] = useState(false);
  useEffect(() => {
    void fetch("/workbench/config.json").then(async (r) => setPlayground(((await r.json()) as { playground: boolean }).playground));
  }, []);
  const ask = async (): Promise<{ data?: unknown; problem?: string }> => {
    try {
      const document = gql(query);
      if (document.definitions.some((d) => d.kind === "OperationDefinition" && d.operation !== "query")) return { problem: "Changes are made in the playground: here is for reading." };
      const result = await client.query(document, { onDate, asKnownAt, ...(JSON.parse(variables || "{}") as object) }, { requestPolicy: "network-only" }).toPromise();
      return { data: result.data, ...(result.error ? { problem: messagesOf(result.error).join(" ") } : {}) };
    } catch (error) {
      return { problem: (error as Error).message };
    }
  };
  // A link brings its query, which is run at once; what reveals is run by whoever looks, since it is recorded.
  const asked = useRef({ is: search.query !== undefined && !/\breveal\b/.test(search.query), times: 0 });
  const run = async () => {
    asked.current.is = true;
    const time = ++asked.current.times;
    const found = await ask();
    if (time === asked.current.times) setAnswer(found);
  };
  const start = () => {
    void navigate({ to: ".", replace: true, search: ((old: object) => ({ ...old, query, variables })) as never });
    void run();
  };
  // What was found on another day is not shown beside the new one.
  useEffect(() => {
    setAnswer(null);
    if (asked.current.is) void run();
  }, [onDate, asKnownAt]);
  const table = answer?.data ? tableOf(answer.data) : null;
  const connection = connectionIn(answer?.data);
  return (
    <Page title="Explore" actions={<Elsewhere playground={playground} />}>
      <Grid>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="xs">
            <Choose size="xs" label="Example" placeholder="Begin with one" data={offered.map((e) => e.name)} value={offered.find((e) => e.query === query)?.name ?? null} onChange={(name) => setQuery(offered.find((e) => e.name === name)?.query ?? query)} />
            <QueryField value={query} onChange={setQuery} />
            <JsonInput label="Variables" description={<><code>$onDate</code> and <code>$asKnownAt</code> are what the page is at</>} autosize minRows={2} value={variables} onChange={setVariables} styles={{ input: { fontFamily: "monospace", fontSize: 12 } }} />
            <Group>
              <Button size="xs" onClick={start}>
                Run
              </Button>
              <Button size="xs" variant="default" aria-expanded={picking} onClick={() => setPicking(!picking)}>
                Fields
              </Button>
              {connection && mayReport && (
                <Button size="xs" variant="default" onClick={() => setSaving(true)}>
                  Save as a recipe
                </Button>
              )}
            </Group>
            {picking && (
              <Suspense fallback={<Loading what="the fields" />}>
                <Picker value={query} onChange={setQuery} />
              </Suspense>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          {answer === null && <Nothing>Run the query to see its rows here, as a table, a chart or JSON.</Nothing>}
          {answer?.problem && (
            <Alert color="red" variant="outline" role="alert" title="This did not work">
              {answer.problem}
            </Alert>
          )}
          {answer?.data !== undefined && answer.data !== null && (
            <Stack gap="xs">
              <SegmentedControl size="xs" value={form} onChange={setForm} data={[{ value: "table", label: "Rows" }, { value: "json", label: "JSON" }]} aria-label="Answer" />
              {form === "table" && table ? (
                <div data-own>
                  <ResultView result={table} name="result" />
                </div>
              ) : (
                <pre className="code" tabIndex={0} aria-label="Answer as JSON">
                  {JSON.stringify(answer.data, null, 2)}
                </pre>
              )}
            </Stack>
          )}
        </Grid.Col>
      </Grid>
      {saving && connection && table && <Recipe query={query} variables={variables} path={connection} table={table} onClose={() => setSaving(false)} />}
    </Page>
  );
}

function Elsewhere({ playground }: { playground: boolean }) {
  return (
    <Group gap="md">
      {playground && (
        <Anchor href="/playground/" size="sm">
          GraphiQL
        </Anchor>
      )}
      <Anchor href="/docs/" size="sm">
        REST reference
      </Anchor>
    </Group>
  );
}
