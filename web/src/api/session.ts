/** Who is signed in on this server. */
export interface Session {
  tenant: string;
  username: string;
  scopes: string[];
}

export async function readSession(): Promise<Session | null> {
  const response = await fetch("/oauth2/session", { credentials: "same-origin" });
  return response.status === 200 ? ((await response.json()) as Session) : null;
}

/** Leads to the sign-in page, and from there back to this view. */
export function signIn(tenant?: string) {
  const query = new URLSearchParams({ next: location.pathname + location.search });
  if (tenant) query.set("tenant", tenant);
  location.assign(`/oauth2/sign-in?${query}`);
}
