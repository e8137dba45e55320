import { ActionIcon, Button, Group, Popover, Slider, Text, TextInput, Tooltip } from "@mantine/core";
import { DatePickerInput } from "@mantine/dates";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconCalendar, IconHistory, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { addMonths, dayNumber, dayOf, formatDay, formatInstant } from "../parts/format";
import { type DaySearch, useDay, useViewer } from "./context";

/** Changes the day of the view, in its URL. */
function useSetDay() {
  const navigate = useNavigate();
  return (next: DaySearch, replace = false) => void navigate({ to: ".", replace, search: ((old: DaySearch) => ({ ...old, ...next })) as never });
}

/** The control of the day that everything in view is shown on. */
export function DayBar() {
  const { today, first, last } = useViewer();
  const { onDate, asKnownAt, isToday } = useDay();
  const setDay = useSetDay();
  const choose = (day: string, replace = false) => setDay({ day: day === today ? undefined : day }, replace);
  return (
    <Group gap="xs" wrap="wrap" role="group" aria-label="The day that is shown" className="daybar">
      <DatePickerInput
        value={onDate}
        onChange={(day) => day && choose(day)}
        valueFormat="MMM D, YYYY"
        leftSection={<IconCalendar size={15} />}
        aria-label={`As of ${formatDay(onDate)}. Choose a day`}
        size="xs"
        w={150}
        minDate={first}
        maxDate={last}
        popoverProps={{ withinPortal: true }}
      />
      <Button size="xs" variant={isToday ? "light" : "default"} onClick={() => setDay({ day: undefined })} aria-pressed={isToday}>
        Today
      </Button>
      <Play onDate={onDate} choose={choose} />
      <HistorySlider onDate={onDate} choose={choose} />
      <KnownAt asKnownAt={asKnownAt} setKnown={(known) => setDay({ known })} />
    </Group>
  );
}

interface Moving {
  onDate: string;
  choose: (day: string, replace?: boolean) => void;
}

function HistorySlider({ onDate, choose }: Moving) {
  const { first, last, marks } = useViewer();
  const [at, setAt] = useState(dayNumber(onDate));
  useEffect(() => setAt(dayNumber(onDate)), [onDate]);
  // The first step counts at once, those of a drag when it rests.
  const settle = useDebouncedCallback((n: number) => choose(dayOf(n), true), { delay: 120, leading: true });
  const most = Math.max(1, ...marks);
  return (
    <div className="history">
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
        thumbProps={{ "aria-valuetext": formatDay(dayOf(at)) }}
        onChange={(n) => {
          setAt(n);
          settle(n);
        }}
      />
      <div className="scale" aria-hidden>
        <span>{first.slice(0, 4)}</span>
        <span>{last.slice(0, 4)}</span>
      </div>
    </div>
  );
}

/** Moves the day on, a month each second, to the end of what is known. */
function Play({ onDate, choose }: Moving) {
  const { last } = useViewer();
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return;
    const next = addMonths(onDate, 1);
    if (next > last) return setPlaying(false);
    const timer = setTimeout(() => choose(next, true), 1000);
    return () => clearTimeout(timer);
  }, [playing, onDate, last, choose]);
  const label = playing ? "Stop" : "Play: a month each second";
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} onClick={() => setPlaying(!playing)}>
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
        <TextInput type="datetime-local" label="As known at" value={text} onChange={(e) => setText(e.currentTarget.value)} />
        <Group mt="xs" gap="xs">
          <Button size="xs" disabled={!text} onClick={() => setKnown(new Date(text).toISOString())}>
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
