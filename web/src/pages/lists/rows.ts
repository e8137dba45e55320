import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type CombinedError, useClient } from "urql";
import { useDay, useViewer } from "../../app/context";
import type { Row } from "../../parts/row";
import { type Choice, filterOf, orderOf, type Page, pageQuery } from "./query";
import type { List } from "./spec";

interface Loaded {
  of: string;
  total: number | undefined;
  pages: Map<number, Row[]>;
  error?: CombinedError;
}

export interface Rows {
  total: number | undefined;
  row: (index: number) => Row | undefined;
  /** The rows that were read. */
  read: Row[];
  /** Asks for the pages that these rows are on. */
  show: (first: number, last: number) => void;
  error: CombinedError | undefined;
  variables: Record<string, unknown>;
}

/** The rows of a list, a page at a time as they come into view. With another choice or another day there are none at first. */
export function useRows(list: List, choice: Choice): Rows {
  const client = useClient();
  const { pageSize } = useViewer();
  const { onDate, asKnownAt } = useDay();
  const variables = useMemo(
    () => ({ filter: filterOf(choice.filter, onDate), orderBy: orderOf(list, choice), ...(list.dated ? { onDate, asKnownAt } : {}) }),
    [JSON.stringify([choice.filter, choice.sort, list.dated, onDate, asKnownAt])],
  );
  const query = useMemo(() => pageQuery(list, choice.columns), [list, choice.columns.join()]);
  const of = JSON.stringify([list.id, choice.columns, variables]);
  const [loaded, setLoaded] = useState<Loaded>({ of: "", total: undefined, pages: new Map() });
  const asked = useRef({ of: "", pages: new Set<number>() });

  const load = useCallback(
    (page: number) => {
      if (asked.current.of !== of || asked.current.pages.has(page)) return;
      asked.current.pages.add(page);
      const counted = page === 0;
      void client
        .query<Page>(query, { ...variables, first: pageSize, offset: page * pageSize, counted })
        .toPromise()
        .then(({ data, error }) => {
          if (asked.current.of !== of) return;
          setLoaded((old) => {
            const same = old.of === of;
            const pages = new Map(same ? old.pages : []);
            if (data) pages.set(page, data.list.nodes);
            return { of, total: data?.list.totalCount ?? (same ? old.total : undefined), pages, error };
          });
        });
    },
    [client, query, variables, of, pageSize],
  );

  useEffect(() => {
    asked.current = { of, pages: new Set() };
    setLoaded({ of, total: undefined, pages: new Map() });
    load(0);
  }, [of, load]);

  const current = loaded.of === of ? loaded : undefined;
  const row = useCallback((index: number) => current?.pages.get(Math.floor(index / pageSize))?.[index % pageSize], [current, pageSize]);
  const show = useCallback(
    (first: number, last: number) => {
      for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) load(page);
    },
    [load, pageSize],
  );
  const read = useMemo(() => [...(current?.pages.entries() ?? [])].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows), [current]);
  return { total: current?.total, row, read, show, error: current?.error, variables };
}
