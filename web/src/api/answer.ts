import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useCallback, useEffect, useState } from "react";
import { type AnyVariables, type CombinedError, createRequest, useClient, useQuery } from "urql";
import { useReading } from "../app/context";
import { tell } from "../parts/toast";
import { named } from "./client";

export interface Answer<D> {
  /** Undefined until an answer to exactly this question is there: what was known on another day is not shown beside a new date. After a change it stays until it is read anew, so that nothing is taken out of a hand. */
  data: D | undefined;
  error: CombinedError | undefined;
  loading: boolean;
}

/** Asks a question, and again whenever it changes. */
export function useAnswer<D, V extends AnyVariables>(query: TypedDocumentNode<D, V>, variables: V, pause = false): Answer<D> {
  const question = query as unknown as TypedDocumentNode<D, AnyVariables>;
  const [result] = useQuery({ query: question, variables: variables as AnyVariables, pause });
  const asked = createRequest(question, variables as AnyVariables).key;
  const isOfThis = !pause && result.operation?.key === asked;
  const answered = isOfThis && !result.fetching;
  const data = isOfThis ? result.data : undefined;
  const isOld = data !== undefined && !answered;
  const { begin } = useReading();
  useEffect(() => (isOld ? begin() : undefined), [isOld, begin]);
  return { data, error: answered ? result.error : undefined, loading: !pause && !answered && !isOld };
}

export interface UserProblem {
  code: string;
  message: string;
  field: string[] | null;
  /** The change may have been made all the same: its answer was lost, or failed. */
  isUnsure?: boolean;
  /** The request, as the audit trail names it. */
  traceId?: string;
}

/** The code of a change that came after the session had ended. */
export const sessionEnded = "SESSION_ENDED";

// What the server says before it changes anything.
const refusals = new Set(["BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED", "FORBIDDEN", "UNAUTHENTICATED", "NOT_FOUND", "CONFLICT"]);

function problemsOf(error: CombinedError, isTrial: boolean): UserProblem[] {
  const status = (error.response as Response | undefined)?.status ?? 0;
  const isRefused = (status >= 400 && status < 500) || isTrial;
  const code = status === 401 ? sessionEnded : "";
  const said = error.graphQLErrors.map((e) => ({ code, message: e.message, field: null, isUnsure: !isRefused && !refusals.has(String(e.extensions.code)) }));
  return error.networkError ? [...said, { code, message: error.networkError.message, field: null, isUnsure: !isRefused }] : said;
}

interface Changed {
  userErrors: UserProblem[];
  applied: boolean;
}

interface Action<D, V> {
  run: (variables: V) => Promise<D | undefined>;
  /** Until its answer is there, and what it changed is read anew. */
  busy: boolean;
  problems: UserProblem[];
  /** What was answered last, refused or not. */
  answer: D | undefined;
  clear: () => void;
}

/**
 * Sends a change. Once one was applied, a toast says what it did, and everything in view is
 * read anew, unless its effect comes by itself. What was refused is in problems, whether the rules or the
 * server said so.
 */
export function useAction<D extends object, V extends AnyVariables>(mutation: TypedDocumentNode<D, V>, effect: "read" | "live" = "read"): Action<D, V> {
  const client = useClient();
  const { fresh, isUnderWay } = useReading();
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<UserProblem[]>([]);
  const [answer, setAnswer] = useState<D>();
  const run = useCallback(
    async (variables: V) => {
      setBusy(true);
      const { traceId, context } = named();
      const result = await client.mutation(mutation, variables, context).toPromise();
      setBusy(false);
      if (result.data) setAnswer(result.data);
      const payloads = Object.values(result.data ?? {}) as Changed[];
      const refused = payloads.flatMap((p) => p?.userErrors ?? []);
      setProblems(result.error ? problemsOf(result.error, (variables as { dryRun?: boolean } | undefined)?.dryRun === true).map((p) => ({ ...p, traceId })) : refused);
      const isApplied = payloads.some((p) => p?.applied);
      if (isApplied) tell(mutation, variables, traceId);
      if (effect === "read" && isApplied) fresh();
      return result.error || refused.length > 0 ? undefined : (result.data as D);
    },
    [client, mutation, fresh, effect],
  );
  return { run, busy: busy || isUnderWay, problems, answer, clear: useCallback(() => setProblems([]), []) };
}
