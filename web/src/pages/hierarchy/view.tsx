import { ActionIcon, Anchor, Breadcrumbs, Button, Group, Menu, Popover, Text, TextInput, useComputedColorScheme } from "@mantine/core";
import { IconArrowsMaximize, IconDownload, IconMinus, IconPlus } from "@tabler/icons-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useDay, useMayForAll, useViewer } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { Choose } from "../../parts/choose";
import { count, formatDay, formatNumber } from "../../parts/format";
import { Page } from "../../parts/page";
import { Loading, Nothing } from "../../parts/states";
import { AreaChart } from "./area";
import { Chart, type ChartHandle } from "./chart";
import { Compare, useCompare } from "./compare";
import type { Look } from "./draw";
import { fitting, type Placed, place, type Scene } from "./forest";
import { Legend } from "./legend";
import type { Loaded } from "./load";
import { type Mark, palettes } from "./paint";
import { ShowOnly } from "./only";
import { Panel } from "./panel";
import { asCSV, asPNG, asSVG } from "./picture";
import { type Change, colors, type Depth, forms, type Only, useView, type View as InView, withMoves } from "./state";
import { tried } from "./tried";
import { type Passage, useHierarchy } from "./use";
import { WhatIf } from "./whatif";

/** The page of the hierarchy, on the day. */
export function View() {
  const [view, change] = useView();
  const { onDate } = useDay();
  const { loaded, passage, isCurrent, readOn } = useHierarchy(view);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(view.agent ? [view.agent] : []));
  const selected = [...chosen].at(-1) ?? null;
  const [trying, setTrying] = useState(view.moves.length > 0 || view.scenario !== null);
  const [moving, setMoving] = useState<readonly string[]>([]);
  const mayTry = useMayForAll("read:agents");
  const mayMove = useMayForAll("write:agents");
  const chart = useRef<ChartHandle>(null);
  const compared = useCompare(view.compare, view.root);
  const { form } = view;
  const after = useMemo(() => (loaded ? tried(loaded, view.moves) : null), [loaded, view.moves]);
  const scene = useMemo(() => (after ? place(after, compared.gone, form === "area" ? "across" : form, view.only) : null), [after, compared.gone, form, view.only]);
  const look = useLook(view, view.compare ? compared.marks : (passage?.marks ?? noMarks), chosen, !isCurrent, loaded?.levels);
  useEffect(() => {
    if (!view.agent || !scene?.byKey.has(view.agent)) return;
    setChosen(new Set([view.agent]));
    chart.current?.show(view.agent);
  }, [view.agent, scene]);

  const open = (code: string, depth: Depth | null) => change((old) => ({ open: changed(old.open ?? loaded!.open, code, () => depth) }));
  const toggle = (p: Placed) => (p.card ? change((old) => ({ open: changed(old.open ?? loaded!.open, p.key, (was) => (was ? null : "some")) })) : open(p.key.slice(0, -1), "direct"));
  const select = (code: string, isMore = false) =>
    setChosen((old) => {
      if (!isMore) return new Set([code]);
      const next = new Set(old);
      if (!next.delete(code)) next.add(code);
      return next;
    });
  const move = (codes: readonly string[]) => (setTrying(true), setMoving(codes));
  const drop = (to: string) => {
    setTrying(true);
    change((old) => ({ moves: withMoves(old.moves, [...chosen], to) }));
  };
  const placed = selected ? scene?.byKey.get(selected) : undefined;
  return (
    <Page title="Hierarchy" fill actions={<Tools view={view} change={change} scene={scene} look={look} name={`hierarchy-${onDate}`} chart={chart} tryMoves={mayTry ? () => setTrying(true) : undefined} />}>
      <div className="grow hierarchy">
        <div className="canvas">
          {!scene && <Loading what="the hierarchy" />}
          {after && scene?.placed.length === 0 && (form !== "area" || after.cards.size === 0) && <Nothing>{after.error ?? (after.cards.size ? "Nobody that is open fits. Open more, or show everybody." : "Nobody was in the hierarchy on this day.")}</Nothing>}
          {after && form === "area" && after.cards.size > 0 && <AreaChart loaded={after} look={look} only={view.only} onSelect={select} onPart={(code) => change(partOf(code))} />}
          {scene && form !== "area" && scene.placed.length > 0 && <Chart key={form} ref={chart} scene={scene} look={look} onSelect={select} onToggle={toggle} onDrop={mayMove ? drop : undefined} />}
          {scene && <Legend look={look} />}
        </div>
        <aside className="side" aria-label="Details">
          <Notes loaded={loaded} only={view.only} passage={view.compare ? null : passage} view={view} change={change} readOn={readOn} />
          {chosen.size > 1 && isCurrent && <Several codes={[...chosen]} onMove={mayMove ? move : undefined} onClear={() => setChosen(new Set())} />}
          {placed?.card && isCurrent && (
            <Panel placed={placed} depth={loaded?.open.get(placed.key)} mayMove={mayMove} onOpen={(depth) => open(placed.key, depth)} onRoot={() => change(partOf(placed.key))} onMove={() => move([placed.key])} />
          )}
          {view.compare && <Compare compared={compared} onShow={(agent) => change({ agent })} onEnd={() => change({ compare: null })} />}
          {trying && <WhatIf scenario={view.scenario} moves={view.moves} moving={moving} onMoves={(next) => (setMoving([]), change((old) => ({ moves: next(old.moves) })))} onOpen={(scenario, moves) => change({ scenario, moves })} onEnd={() => (setTrying(false), setMoving([]), change({ scenario: null, moves: [] }))} />}
        </aside>
      </div>
    </Page>
  );
}

function changed(open: Loaded["open"], code: string, to: (was: Depth | undefined) => Depth | null): Map<string, Depth> {
  const next = new Map(open);
  const depth = to(open.get(code));
  if (depth) next.set(code, depth);
  else next.delete(code);
  return next;
}

const noLevels: number[] = [];
const noMarks: ReadonlyMap<string, Mark> = new Map();

function useLook(view: InView, differences: ReadonlyMap<string, Mark>, chosen: ReadonlySet<string>, blank: boolean, levels: number[] = noLevels): Look {
  const scheme = useComputedColorScheme("light");
  return useMemo(() => {
    const marks = new Map(differences);
    for (const move of view.moves) marks.set(move.agentCode, "basket");
    return { palette: palettes[scheme], color: view.color, levels, marks, selected: [...chosen].at(-1) ?? null, chosen, blank };
  }, [scheme, view.color, view.moves, levels, differences, chosen, blank]);
}

/** Shows an agent and those below only. */
const partOf = (root: string): Partial<InView> => ({ root, agent: null, open: new Map([[root, "some"]]) });

interface SeveralProps {
  codes: string[];
  onMove: ((codes: string[]) => void) | undefined;
  onClear: () => void;
}

/** What can be done with several cards. */
function Several({ codes, onMove, onClear }: SeveralProps) {
  return (
    <Group gap="xs" role="group" aria-label="Chosen">
      <Text size="sm">{codes.length} agents are chosen.</Text>
      {onMove && (
        <Button size="compact-xs" variant="default" onClick={() => onMove(codes)}>
          Move them, as a trial
        </Button>
      )}
      <Button size="compact-xs" variant="default" onClick={onClear}>
        Choose none
      </Button>
    </Group>
  );
}

interface NotesProps {
  loaded: Loaded | null;
  only: Only;
  passage: Passage | null;
  view: InView;
  change: (next: Change) => void;
  readOn: () => void;
}

function Notes({ loaded, only, passage, view, change, readOn }: NotesProps) {
  const fit = loaded && Object.keys(only).length > 0 ? [...loaded.cards.values()].filter(fitting(only)).length : null;
  return (
    <>
      {view.root && (
        <Breadcrumbs separator="›" component="nav" aria-label="Whose part is shown" styles={{ root: { flexWrap: "wrap" }, breadcrumb: { lineHeight: "26px" } }}>
          <Anchor component="button" size="sm" onClick={() => change({ root: null, open: null })}>
            Everybody
          </Anchor>
          {loaded?.above.map(({ agentCode, displayName }) =>
            agentCode === view.root ? (
              <Text key={agentCode} size="sm" fw={600} aria-current="page">
                {displayName}
              </Text>
            ) : (
              <Anchor key={agentCode} component="button" size="sm" onClick={() => change(partOf(agentCode))}>
                {displayName}
              </Anchor>
            ),
          )}
        </Breadcrumbs>
      )}
      {passage && <Text size="sm" role="status">{said(passage)}</Text>}
      {loaded && fit !== null && (
        <Text size="sm" role="status">
          {count(fit, "agent")} of the {formatNumber(loaded.cards.size)} that are read {fit === 1 ? "fits" : "fit"}.
        </Text>
      )}
      {loaded && loaded.moreRoots > 0 && <Text size="sm">{loaded.moreRoots} more agents have nobody above them; find them by name.</Text>}
      {loaded && loaded.leftOut > 0 && (
        <Group gap="xs">
          <Text size="sm">{loaded.leftOut} open parts are not read yet.</Text>
          <Button size="compact-xs" variant="default" onClick={readOn}>
            Read on
          </Button>
        </Group>
      )}
      {loaded?.error && <Text size="sm" role="alert">{loaded.error}</Text>}
    </>
  );
}

/** What became of those in view as the day moved. */
function said({ from, to, marks, gone }: Passage): string {
  const some = (mark: Mark) => [...marks.values()].filter((m) => m === mark).length;
  const parts = [`${some("joined")} joined`, `${some("moved")} moved`, ...(gone.size ? [to > from ? `${gone.size} left or moved away` : `${gone.size} not there yet, or elsewhere`] : [])];
  return `Among those in view, ${formatDay(from)} to ${formatDay(to)}: ${parts.join(", ")}.`;
}

interface ToolsProps {
  view: InView;
  change: (next: Change) => void;
  scene: Scene | null;
  look: Look;
  name: string;
  chart: React.RefObject<ChartHandle | null>;
  tryMoves: (() => void) | undefined;
}

function Tools({ view, change, scene, look, name, chart, tryMoves }: ToolsProps) {
  const { agentCode } = useViewer();
  const ofCards = view.form !== "area";
  const save = [...(ofCards ? ([["SVG", asSVG], ["PNG", asPNG]] as const) : []), ["CSV", asCSV] as const];
  return (
    <>
      <AgentPicker size="xs" hideLabel label="Find in the hierarchy" placeholder="Show the way to" onPick={(agent) => change({ agent })} />
      {agentCode && (
        <Button size="xs" variant="default" onClick={() => change({ agent: agentCode })}>
          Me
        </Button>
      )}
      <Choose size="xs" w={170} aria-label="Colour" data={colors} value={view.color} onChange={(c) => c && change({ color: c as InView["color"] })} />
      <Choose size="xs" w={130} aria-label="Layout" data={forms} value={view.form} onChange={(f) => f && change({ form: f as InView["form"] })} />
      <ShowOnly only={view.only} onChange={(next) => change((old) => ({ only: next(old.only) }))} />
      <CompareButton onChoose={(compare) => change({ compare })} />
      {tryMoves && (
        <Button size="xs" variant="default" onClick={tryMoves}>
          What if
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconDownload size={15} />} disabled={!scene || look.blank}>
            {ofCards ? "Picture" : "Save"}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {save.map(([label, write]) => (
            <Menu.Item key={label} onClick={() => scene && write(scene, look, name)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {ofCards && (
        <ActionIcon.Group>
          <ActionIcon variant="default" size={30} aria-label="Nearer" onClick={() => chart.current?.zoomBy(1.3)}>
            <IconPlus size={15} />
          </ActionIcon>
          <ActionIcon variant="default" size={30} aria-label="Farther" onClick={() => chart.current?.zoomBy(1 / 1.3)}>
            <IconMinus size={15} />
          </ActionIcon>
          <ActionIcon variant="default" size={30} aria-label="Show everything" onClick={() => chart.current?.fit()}>
            <IconArrowsMaximize size={15} />
          </ActionIcon>
        </ActionIcon.Group>
      )}
    </>
  );
}

function CompareButton({ onChoose }: { onChoose: (day: string) => void }) {
  const [day, setDay] = useState("");
  return (
    <Popover position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default">
          Compare
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <TextInput type="date" label="With the day" value={day} onChange={(e) => setDay(e.currentTarget.value)} />
        <Button size="xs" mt="xs" disabled={!day} onClick={() => onChoose(day)}>
          Compare
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
