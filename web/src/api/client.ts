import { Client, cacheExchange, fetchExchange, mapExchange } from "urql";
import { signIn } from "./session";
import { recording } from "./recorder";

export const endpoint = (tenant: string) => `/graphql/${encodeURIComponent(tenant)}`;

export const fetchOptions = { credentials: "same-origin" as const, headers: { "X-Upline-Request": "workbench" } };

const hex = (bytes: number) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((b) => b.toString(16).padStart(2, "0")).join("");

/** Names a request, so that the audit trail can be asked what came of it, even where its answer is lost. */
export function named() {
  const traceId = hex(16);
  return { traceId, context: { fetchOptions: { ...fetchOptions, headers: { ...fetchOptions.headers, traceparent: `00-${traceId}-${hex(8)}-01` } } } };
}

/**
 * A client of one tenant, whose credential is the cookie of the session. Answers are
 * cached whole, by query and variables: the same agent is another on another day, so
 * a cache that merges objects by their ids would mix the days. Where the session has ended
 * a reader is led to the sign-in page; who sends a form stays, with what was typed.
 */
export function newClient(tenant: string): Client {
  return new Client({
    url: endpoint(tenant),
    preferGetMethod: false,
    exchanges: [recording, mapExchange({ onError: (error, { kind }) => void (error.response?.status === 401 && kind !== "mutation" && signIn(tenant)) }), cacheExchange, fetchExchange],
    fetchOptions,
    fetchSubscriptions: true,
  });
}
