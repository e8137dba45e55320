import { ActionIcon, Box, Button, Group, Popover, Slider, Text, TextInput, Tooltip } from "@mantine/core";
import { DateInput } from "@mantine/dates";
import { IconCalendar, IconHistory, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { addMonths, dayNumber, dayOf, formatDay, formatInstant, inZone, instantOf } from "../parts/format";
import { type DaySearch, useDay, useViewer } from "./context";

/** Changes the day of the view, in its URL. */
function useSetDay() {
  const navigate = useNavigate();
  return useCallback((next: DaySearch, replace = false) => void navigate({ to: ".", replace, search: ((old: DaySearch) => ({ ...old, ...next })) as never }), [navigate]);
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A day that was typed whole: 2025-07-01, 7/1/2025, Jul 1, 2025. */
function typedDay(text: string): string | null {
  const [, y, m, d] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  const [, month, day, year] = /^(\d{1,2}|[a-z]{3,9})[/ ](\d{1,2})(?:,? |\/)(\d{4})$/i.exec(text.trim()) ?? [];
  const at = month && (Number(month) || months.indexOf(month.slice(0, 3).toLowerCase()) + 1);
  const is = y ? [y, m, d] : [year, at, day];
  const whole = is.map((n, i) => String(n ?? "").padStart(i === 0 ? 4 : 2, "0")).join("-");
  return !Number.isNaN(Date.parse(`${whole}T00:00:00Z`)) && dayOf(dayNumber(whole)) === whole ? whole : null;
}

/** The control of the day that everything in view is shown on. */
export function DayBar() {
  const { today } = useViewer();
  const { onDate, asKnownAt, isToday } = useDay();
  const setDay = useSetDay();
  const choose = useCallback((day: string, replace = false) => setDay({ day: day === today ? undefined : day }, replace), [setDay, today]);
  const { hand, move, drop } = useHand(onDate, choose);
  const turnTo = (day: string) => (drop(), choose(day));
  return (
    <Group gap="xs" wrap="nowrap" role="group" aria-label="The day that is shown" className={isToday ? "daybar" : "daybar past"}>
      <DateInput
        value={onDate}
        dateParser={typedDay}
        onChange={(day) => day && turnTo(day)}
        valueFormat="MMM D, YYYY"
        leftSection={<IconCalendar size={15} />}
        aria-label={`As of ${formatDay(onDate)}. Choose a day`}
        size="xs"
        w={150}
        hideOutsideDates
        ariaLabels={{ previousMonth: "The month before", nextMonth: "The month after", previousYear: "The year before", nextYear: "The year after", previousDecade: "The decade before", nextDecade: "The decade after" }}
        popoverProps={{ withinPortal: true }}
      />
      <Button size="xs" variant={isToday ? "light" : "default"} onClick={() => turnTo(today)} aria-pressed={isToday}>
        {isToday ? "Today" : "Back to today"}
      </Button>
      {!isToday && (
        <Text size="sm" fw={600} visibleFrom="lg">
          You are looking at {formatDay(onDate)}
        </Text>
      )}
      <Play onDate={onDate} choose={choose} isHeld={hand !== null} />
      <HistorySlider at={hand ?? dayNumber(onDate)} move={move} />
      <KnownAt asKnownAt={asKnownAt} setKnown={(known) => setDay({ known })} />
    </Group>
  );
}

// Milliseconds without a move after which a hand rests.
const restsAfter = 120;

/** Where a hand holds the slider, and whether it moves. */
interface Hand {
  at: number;
  moves: boolean;
}

/**
 * The hand at the slider. The slider follows it at once, the page with its first move, and
 * with the last one when it rests. It lets go once the page is there, or was sent elsewhere.
 */
function useHand(onDate: string, choose: (day: string, replace: boolean) => void) {
  const router = useRouter();
  const { today } = useViewer();
  const [hand, setHand] = useState<Hand | null>(null);
  const timer = useRef(0);
  useEffect(() => {
    if (!hand || hand.moves) return;
    const day = dayOf(hand.at);
    const sentTo = (router.latestLocation.search as DaySearch).day ?? today;
    if (onDate === day || sentTo !== day) setHand(null);
  }, [hand, onDate, router, today]);
  const move = useCallback(
    (at: number) => {
      if (timer.current === 0) choose(dayOf(at), true);
      clearTimeout(timer.current);
      setHand({ at, moves: true });
      timer.current = window.setTimeout(() => {
        timer.current = 0;
        choose(dayOf(at), true);
        setHand({ at, moves: false });
      }, restsAfter);
    },
    [choose],
  );
  const drop = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = 0;
    setHand(null);
  }, []);
  return { hand: hand?.at ?? null, move, drop };
}

function HistorySlider({ at, move }: { at: number; move: (at: number) => void }) {
  const { first, last, marks } = useViewer();
  const most = Math.max(1, ...marks);
  const box = useRef<HTMLDivElement>(null);
  // The component has no property for it: without, the number of the day is read out.
  useEffect(() => box.current?.querySelector('[role="slider"]')?.setAttribute("aria-valuetext", formatDay(dayOf(at))), [at]);
  return (
    <Box className="history" visibleFrom="md" ref={box}>
      <div className="marks" aria-hidden>
        {marks.map((count, i) => (
          <span key={i} style={{ height: `${count === 0 ? 0 : 8 + (92 * count) / most}%` }} />
        ))}
      </div>
      <Slider
        size="sm"
        min={dayNumber(first)}
        max={dayNumber(last)}
        value={at}
        label={(n) => formatDay(dayOf(n))}
        thumbLabel="The day, in the agency's history"
        onChange={move}
      />
      <div className="scale" aria-hidden>
        <span>{first.slice(0, 4)}</span>
        <span>{last.slice(0, 4)}</span>
      </div>
    </Box>
  );
}

interface PlayProps {
  onDate: string;
  choose: (day: string, replace: boolean) => void;
  /** A hand is at the slider: nothing moves the day below it. */
  isHeld: boolean;
}

/** Moves the day on, a month each second, to the end of what is known. */
function Play({ onDate, choose, isHeld }: PlayProps) {
  const { last } = useViewer();
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing || isHeld) return;
    const next = addMonths(onDate, 1);
    if (next > last) return setPlaying(false);
    const timer = setTimeout(() => choose(next, true), 1000);
    return () => clearTimeout(timer);
  }, [playing, isHeld, onDate, last, choose]);
  const label = playing ? "Stop" : "Play: a month each second";
  return (
    <Tooltip label={label}>
      <ActionIcon visibleFrom="md" variant="default" size={30} aria-label={label} onClick={() => setPlaying(!playing)}>
        {playing ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}

function KnownAt({ asKnownAt, setKnown }: { asKnownAt: string | null; setKnown: (instant: string | undefined) => void }) {
  const [text, setText] = useState("");
  return (
    <Popover position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Button size="xs" variant={asKnownAt ? "filled" : "default"} leftSection={<IconHistory size={15} />}>
          {asKnownAt ? `As known at ${formatInstant(asKnownAt)}` : "As known now"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="xs" maw={260}>
          Show the day as it was known at an earlier instant, before later corrections.
        </Text>
        <TextInput type="datetime-local" label={inZone("As known at")} value={text} onChange={(e) => setText(e.currentTarget.value)} />
        <Group mt="xs" gap="xs">
          <Button size="xs" disabled={!text} onClick={() => setKnown(instantOf(text))}>
            Show
          </Button>
          <Button size="xs" variant="default" onClick={() => setKnown(undefined)}>
            As known now
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
