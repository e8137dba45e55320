import { Checkbox, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useRouterState } from "@tanstack/react-router";
import { type ColumnDef, getCoreRowModel, useReactTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { Cell } from "../../parts/cell";
import type { Row } from "../../parts/row";
import { type Choice, columnsOf, value } from "./query";
import type { Rows } from "./rows";
import type { Column, List } from "./spec";

/** Rows of a narrow screen have two lines of three columns; wider ones have one line. */
const heights = { wide: 36, narrow: 58 };
const mostNarrow = 6;

interface GridProps {
  list: List;
  choice: Choice;
  rows: Rows;
  onSort: (field: string) => void;
  /** The agent of a row was chosen, with the keyboard. */
  onOpen: (row: Row) => void;
  /** Which rows are chosen, where rows can be. */
  chosen?: Choosing | undefined;
}

/** The agents that something is about to be done with. */
export interface Choosing {
  codes: ReadonlySet<string>;
  set: (codes: ReadonlySet<string>) => void;
}

/** Where lists were left, by their addresses: whoever comes back is there again. */
const left = new Map<string, number>();

/** A table of any number of rows, of which those in view are drawn. */
export function Grid({ list, choice, rows, onSort, onOpen, chosen }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const href = useRouterState({ select: (s) => s.location.href });
  const lastChosen = useRef(-1);
  const [at, setAt] = useState(0);
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const rowHeight = isNarrow ? heights.narrow : heights.wide;
  const chosenColumns = columnsOf(list, choice.columns);
  const shown = useMemo(() => (isNarrow ? chosenColumns.slice(0, mostNarrow) : chosenColumns), [list, choice.columns, isNarrow]);
  const columns = useMemo<ColumnDef<Row>[]>(
    () => shown.map((column) => ({ id: column.path, accessorFn: (row) => value(row, column.path), size: column.width ?? 140, meta: column })),
    [shown],
  );
  const table = useReactTable<Row>({ data: none, columns, getCoreRowModel: getCoreRowModel() });
  const count = rows.total ?? 12;
  const virtual = useVirtualizer({ count, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 10 });
  useEffect(() => virtual.measure(), [rowHeight]);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items[items.length - 1]?.index ?? 0;
  useEffect(() => {
    if (rows.total) rows.show(first, last);
  }, [rows, first, last]);

  const isThere = rows.total !== undefined;
  useEffect(() => {
    if (isThere) scroller.current?.scrollTo({ top: left.get(href) ?? 0 });
  }, [isThere, href]);

  /** Chooses a row, or with Shift all from the last one to it. */
  const choose = (index: number, withShift: boolean) => {
    const on = !chosen!.codes.has(String(rows.row(index)?.agentCode));
    const next = new Set(chosen!.codes);
    const from = withShift && lastChosen.current >= 0 ? lastChosen.current : index;
    for (let i = Math.min(from, index); i <= Math.max(from, index); i++) {
      const code = rows.row(i)?.agentCode;
      if (typeof code === "string") on ? next.add(code) : next.delete(code);
    }
    lastChosen.current = index;
    chosen!.set(next);
  };
  const all = rows.read.map((row) => String(row.agentCode));
  const areAll = all.length > 0 && all.every((code) => chosen?.codes.has(code));

  const move = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const screen = Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 1;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: screen, PageUp: -screen, Home: -count, End: count };
    const step = steps[event.key];
    const here = rows.row(at);
    if (event.key === " " && chosen && here) {
      event.preventDefault();
      return choose(at, event.shiftKey);
    }
    if (event.key === "Enter" && here) return onOpen(here);
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, at + step));
    setAt(next);
    virtual.scrollToIndex(next);
  };

  const width = table.getTotalSize() + (chosen ? 40 : 0);
  return (
    <>
      {shown.length < chosenColumns.length && (
        <Text size="xs" c="dimmed">
          {shown.length} of {chosenColumns.length} columns; a wider screen, and the file, have all.
        </Text>
      )}
      <div className={isNarrow ? "rows narrow" : "rows"} ref={scroller} tabIndex={0} onKeyDown={move} onScroll={(e) => isThere && left.set(href, e.currentTarget.scrollTop)} role="region" aria-label={`${list.title}. Arrow keys move, Enter opens${chosen ? ", Space chooses" : ""}.`}>
        <table aria-rowcount={rows.total === undefined ? -1 : rows.total + 1} aria-busy={rows.total === undefined} style={{ minWidth: isNarrow ? undefined : width }}>
          <thead>
            <tr>
              {chosen && (
                <th scope="col" className="choose">
                  <Checkbox size="xs" aria-label={`Choose the ${all.length} rows that were read`} checked={areAll} indeterminate={!areAll && chosen.codes.size > 0} onChange={() => chosen.set(areAll ? new Set() : new Set([...chosen.codes, ...all]))} />
                </th>
              )}
              {table.getFlatHeaders().map((header) => {
                const column = header.column.columnDef.meta as Column;
                return <Head key={header.id} column={column} sort={choice.sort} onSort={onSort} size={header.getSize()} />;
              })}
            </tr>
          </thead>
          <tbody style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const row = rows.row(item.index);
              return (
                <tr key={item.index} aria-rowindex={item.index + 2} aria-selected={item.index === at} style={{ transform: `translateY(${item.start}px)` }} onClick={() => setAt(item.index)}>
                  {chosen && (
                    <td className="choose">
                      {row && <Checkbox size="xs" aria-label={`Choose ${String(row.agentCode)}`} checked={chosen.codes.has(String(row.agentCode))} onChange={(e) => choose(item.index, (e.nativeEvent as MouseEvent).shiftKey)} />}
                    </td>
                  )}
                  {shown.map((column) => (
                    <td key={column.path} className={column.kind === "number" ? "number" : undefined} style={{ width: column.width ?? 140 }}>
                      {row ? <Cell value={value(row, column.path)} kind={column.kind} /> : <Skeleton h={14} mt={3} aria-hidden />}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

// The rows are read by their position: the table knows the columns only.
const none: Row[] = [];

function Head({ column, sort, onSort, size }: { column: Column; sort: Choice["sort"]; onSort: GridProps["onSort"]; size: number }) {
  const sorted = column.sort && sort?.field === column.sort ? sort.direction : undefined;
  return (
    <th scope="col" aria-sort={sorted ? (sorted === "ASC" ? "ascending" : "descending") : undefined} style={{ width: size }}>
      {column.sort ? (
        <button type="button" onClick={() => onSort(column.sort!)}>
          {column.label} <span aria-hidden>{sorted === "ASC" ? "▲" : sorted === "DESC" ? "▼" : "↕"}</span>
        </button>
      ) : (
        column.label
      )}
    </th>
  );
}
