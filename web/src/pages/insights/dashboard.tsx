import { ActionIcon, Anchor, Button, Card, Group, Menu, Text, Title } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { useAction } from "../../api/answer";
import { useDay, useMayForAll } from "../../app/context";
import { type InsightTableFragment, PresetDeleteDocument, PresetReplaceDocument } from "../../gql";
import { Confirm } from "../../parts/confirm";
import { count, formatDay, formatInstant } from "../../parts/format";
import { More } from "../../parts/more";
import { Keep, type Preset } from "../../parts/presets";
import { howMany, useWorded, type Result, ResultTable } from "../../parts/result";
import { Failure, Loading, Nothing, Problems } from "../../parts/states";
import { type Board, mostTiles, type Shown, type Tile, useBoard } from "./board";
import type { Report } from "./catalogue";
import { type ReadOn, useReadOn } from "./readon";

const Chart = lazy(() => import("../../parts/plot").then((m) => ({ default: m.ResultChart })));

const button = { size: "compact-xs", variant: "default" } as const;

/** Whether the caller may change a dashboard: its own, and with the right to share, everybody's. */
function useMayChange() {
  const mayShare = useMayForAll("write:recipes");
  return (board: Preset<Board>) => !board.isShared || mayShare;
}

/** Writes other tiles into a dashboard. What only arranges them need not be read anew. */
function useTiles(effect: "read" | "live") {
  const { run, busy, problems } = useAction(PresetReplaceDocument, effect);
  const write = ({ id, name, isShared, lastModified }: Preset<Board>, tiles: Tile[]) => run({ known: [lastModified], input: { id, name, isShared, content: { tiles } } });
  return { write, busy, problems };
}

interface DashboardProps {
  board: Preset<Board>;
  all: Preset<Board>[];
  reports: Report[];
}

/** Several reports side by side, on the day in view. */
export function Dashboard({ board: read, all, reports }: DashboardProps) {
  const navigate = useNavigate();
  const { onDate, asKnownAt } = useDay();
  const [written, setWritten] = useState(read);
  const board = Date.parse(written.lastModified) >= Date.parse(read.lastModified) ? written : read;
  const { tiles } = board.content;
  const few = tiles.slice(0, mostTiles);
  const { shownOf, error } = useBoard(few, reports);
  const mayChange = useMayChange()(board);
  const { write, busy, problems } = useTiles("live");
  const arrange = async (next: Tile[]) => {
    const preset = (await write(board, next))?.change.preset;
    if (preset) setWritten(preset as Preset<Board>);
  };
  const remove = useAction(PresetDeleteDocument);
  const [asked, setAsked] = useState(false);
  const go = (id?: string) => void navigate({ to: ".", search: ((old: object) => ({ ...old, board: id })) as never });
  const confirm = (onClose: () => void) => (
    <Confirm title={`Delete ${board.name}`} yes="Delete the dashboard" danger onClose={onClose} onYes={(why) => void remove.run({ id: board.id, known: [board.lastModified], ...why }).then((done) => done && go())}>
      {board.isShared ? "Everybody in the agency sees this dashboard. " : ""}Its reports stay.
    </Confirm>
  );
  const moved = (from: number, to: number) => {
    const next = tiles.filter((_, i) => i !== from);
    next.splice(to, 0, tiles[from]!);
    return next;
  };
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {board.name}
        </Title>
        <Group gap="xs">
          <Button {...button} onClick={() => setAsked(true)}>
            Keep a copy…
          </Button>
          {mayChange && <More label="More of the dashboard" items={[{ label: "Delete", isDanger: true, dialog: confirm }]} />}
        </Group>
      </Group>
      <Text size="sm" className="printed">
        {formatDay(onDate)}, {asKnownAt ? `as known at ${formatInstant(asKnownAt)}` : "as known now"}
      </Text>
      <Problems problems={[...problems, ...remove.problems]} />
      {error && <Failure error={error} />}
      {tiles.length === 0 && <Nothing>Run a report, and choose “Add to a dashboard”.</Nothing>}
      <div className="tiles">
        {few.map((tile, i) => (
          <TileView
            key={`${i} ${tile.report}`}
            tile={tile}
            report={reports.find((r) => r.key === tile.report)}
            shown={shownOf(tile)}
            busy={busy}
            onChange={mayChange ? (next) => void arrange(tiles.map((t, k) => (k === i ? next : t))) : undefined}
            onRemove={() => void arrange(tiles.filter((_, k) => k !== i))}
            onEarlier={i > 0 ? () => void arrange(moved(i, i - 1)) : undefined}
            onLater={i < few.length - 1 ? () => void arrange(moved(i, i + 1)) : undefined}
          />
        ))}
      </div>
      {tiles.length > mostTiles && <Text size="sm" c="dimmed">{count(tiles.length - mostTiles, "report")} more than a dashboard shows: take others off to see what follows.</Text>}
      {asked && <Keep kind="DASHBOARD" subject="" word="dashboard" content={board.content} presets={all} onClose={(id) => (setAsked(false), id && go(id))} />}
    </>
  );
}

interface TileProps {
  tile: Tile;
  report: Report | undefined;
  shown: Shown;
  busy: boolean;
  /** Nothing, where the dashboard cannot be changed. */
  onChange: ((tile: Tile) => void) | undefined;
  onRemove: () => void;
  onEarlier: (() => void) | undefined;
  onLater: (() => void) | undefined;
}

function TileView({ tile, report, shown, busy, onChange, onRemove, onEarlier, onLater }: TileProps) {
  const title = report?.title ?? "A report";
  const other = tile.form === "chart" ? "table" : "chart";
  return (
    <Card component="section" aria-label={title} withBorder padding="sm" className={tile.isWide ? "wide" : undefined}>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Title order={3} size="h6">
          {report ? (
            <Anchor component={Link} to="." search={((old: object) => ({ ...old, board: undefined, report: tile.report, p: tile.p })) as never} inherit underline="hover">
              {title}
            </Anchor>
          ) : (
            title
          )}
        </Title>
        {onChange && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" loading={busy} aria-label={`Arrange ${title}`}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onChange({ ...tile, form: other })}>Show as a {other}</Menu.Item>
              <Menu.Item onClick={() => onChange({ ...tile, isWide: !tile.isWide })}>{tile.isWide ? "Narrower" : "Wider"}</Menu.Item>
              {onEarlier && <Menu.Item onClick={onEarlier}>Move forward</Menu.Item>}
              {onLater && <Menu.Item onClick={onLater}>Move back</Menu.Item>}
              <Menu.Item color="red" onClick={onRemove}>
                Take off
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      {report ? <TileBody tile={tile} report={report} shown={shown} /> : shown && "wrong" in shown && <Text size="sm">{shown.wrong}</Text>}
    </Card>
  );
}

/** Rows that a tile shows; its heading leads to all of them. */
const mostRows = 10;

function TileBody({ tile, report, shown }: { tile: Tile; report: Report; shown: Shown }) {
  const readOn = useReadOn(report, tile.p);
  if (!shown) return <Loading what="the report" />;
  if ("wrong" in shown) return <Text size="sm">{shown.wrong}</Text>;
  if (shown.rows.length === 0) return <Nothing>Nothing fits.</Nothing>;
  return <TileResult isChart={tile.form === "chart"} table={shown} readOn={readOn} />;
}

function TileResult({ isChart, table, readOn }: { isChart: boolean; table: InsightTableFragment; readOn: ReadOn }) {
  const plain = useMemo((): Result => ({ columns: table.columns, rows: table.rows as Result["rows"], total: table.totalCount, readOn }), [table, readOn]);
  const result = useWorded(plain);
  if (isChart)
    return (
      <Suspense fallback={<Loading what="the chart" />}>
        <Chart result={result} />
      </Suspense>
    );
  const few = { ...result, rows: result.rows.slice(0, mostRows) };
  return (
    <>
      <ResultTable result={few} />
      <Text size="xs" c="dimmed">
        {howMany(few)}
      </Text>
    </>
  );
}

interface AddProps {
  report: Report;
  p: Tile["p"];
  boards: Preset<Board>[];
  onAdded: (board: string) => void;
}

/** Puts a report, with what is chosen for it, on a dashboard. */
export function AddToDashboard({ report, p, boards, onAdded }: AddProps) {
  const mayChange = useMayChange();
  const { write, busy, problems } = useTiles("read");
  const [isNew, setNew] = useState(false);
  const tile: Tile = { report: report.key, p, form: "chart" };
  const add = async (board: Preset<Board>) => (await write(board, [...board.content.tiles, tile])) && onAdded(board.id);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button {...button} loading={busy}>
            Add to a dashboard
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {boards.filter(mayChange).map((b) => (
            <Menu.Item key={b.id} disabled={b.content.tiles.length >= mostTiles} onClick={() => void add(b)}>
              {b.name}
              {b.content.tiles.length >= mostTiles ? ", which is full" : ""}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setNew(true)}>New dashboard…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Problems problems={problems} />
      {isNew && <Keep kind="DASHBOARD" subject="" word="dashboard" content={{ tiles: [tile] }} presets={boards} onClose={(id) => (setNew(false), id && onAdded(id))} />}
    </>
  );
}
