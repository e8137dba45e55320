import { useEffect, useMemo, useState } from "react";
import { useAnswer } from "../api/answer";
import type { Session } from "../api/session";
import { StartDocument, type StartQuery } from "../gql";
import type { Viewer } from "./context";
import { setZone } from "../parts/format";
import { historyOf, useHistory } from "./history";

/** Reads who looks at which agency, and its history: once, when the page is opened. */
export function useStart(session: Session) {
  const [start, setStart] = useState<StartQuery["viewer"]>();
  const { data, error } = useAnswer(StartDocument, {}, start !== undefined);
  useEffect(() => {
    if (!data) return;
    setZone(data.viewer.timeZone);
    setStart(data.viewer);
  }, [data]);
  const known = useHistory(session.scopes.includes("read:agents"));
  const viewer = useMemo<Viewer | undefined>(
    () =>
      start && {
        tenant: start.tenantIdentifier,
        username: session.username,
        agentCode: start.user?.agentCode ?? null,
        scopes: new Set(start.scopes),
        isLimited: start.isLimited,
        today: start.today,
        timeZone: start.timeZone,
        defaultPageSize: start.defaultPageSize,
        pageSize: start.maxPageSize,
        ...historyOf(known, start.today),
      },
    [start, known, session.username],
  );
  return { viewer, error };
}
