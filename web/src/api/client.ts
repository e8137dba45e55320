import { Client, cacheExchange, fetchExchange, mapExchange } from "urql";
import { signIn } from "./session";
import { recording } from "./recorder";

export const endpoint = (tenant: string) => `/graphql/${encodeURIComponent(tenant)}`;

/**
 * A client of one tenant, whose credential is the cookie of the session. Answers are
 * cached whole, by query and variables: the same agent is another on another day, so
 * a cache that merges objects by their ids would mix the days.
 */
export function newClient(tenant: string): Client {
  return new Client({
    url: endpoint(tenant),
    preferGetMethod: false,
    exchanges: [recording, mapExchange({ onError: (error) => void (error.response?.status === 401 && signIn(tenant)) }), cacheExchange, fetchExchange],
    fetchOptions: { credentials: "same-origin", headers: { "X-Upline-Request": "workbench" } },
    fetchSubscriptions: true,
  });
}
