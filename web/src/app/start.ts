import { useEffect, useState } from "react";
import { useAnswer } from "../api/answer";
import type { Session } from "../api/session";
import { StartDocument, type StartQuery } from "../gql";
import { addMonths } from "../parts/format";
import type { Viewer } from "./context";

/** The first and the last day on which something begins; a year and a month around today at least where there is nothing. */
function rangeOf(start: StartQuery): { first: string; last: string } {
  const { viewer, ...periods } = start;
  const days = Object.values(periods)
    .flatMap((c) => c?.nodes.map((p) => p.effectiveFrom) ?? [])
    .sort();
  const next = addMonths(viewer.today, 1);
  const last = days[days.length - 1] ?? next;
  return { first: days[0] ?? addMonths(viewer.today, -12), last: last > next ? last : next };
}

/** Reads who looks at which agency, and the days that it knows something of: once, when the page is opened. */
export function useStart(session: Session) {
  const [viewer, setViewer] = useState<Viewer>();
  const { data, error } = useAnswer(StartDocument, { agents: session.scopes.includes("read:agents") }, viewer !== undefined);
  useEffect(() => {
    if (!data) return;
    const v = data.viewer;
    setViewer({
      tenant: v.tenantIdentifier,
      username: session.username,
      agentCode: v.user?.agentCode ?? null,
      scopes: new Set(v.scopes),
      today: v.today,
      pageSize: v.maxPageSize,
      ...rangeOf(data),
    });
  }, [data, session.username]);
  return { viewer, error };
}
