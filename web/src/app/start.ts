import { useMemo } from "react";
import { useAnswer } from "../api/answer";
import type { Session } from "../api/session";
import { StartDocument } from "../gql";
import type { Viewer } from "./context";

/** Reads who looks at which agency, once. What was read stays while it is read anew. */
export function useStart(session: Session) {
  const { data, error } = useAnswer(StartDocument, {});
  const viewer = useMemo((): Viewer | undefined => {
    if (!data) return undefined;
    const v = data.viewer;
    return {
      tenant: v.tenantIdentifier,
      username: session.username,
      agentCode: v.user?.agentCode ?? null,
      scopes: new Set(v.scopes),
      today: v.today,
      timeZone: v.timeZone,
      pageSize: v.maxPageSize,
    };
  }, [data, session.username]);
  return { viewer, error };
}
