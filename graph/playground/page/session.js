// The session keeps the client's secret and the access token in the memory of
// this module and nowhere else: a reload forgets both.

// A token is renewed this long before it ends, so that it does not end under way.
const renewalMargin = 15_000;

async function requestToken({ clientId, secret }) {
  const response = await fetch("../oauth2/token", {
    method: "POST",
    credentials: "omit",
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: secret }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok || !answer.access_token) {
    throw new Error(answer.error_description || answer.detail || answer.error || `Sign-in failed (status ${response.status}).`);
  }
  return answer;
}

// Who is signed in on this server with a username, or null. The cookie of that
// session is out of reach of scripts, and goes with requests by itself.
export async function signedInPerson() {
  const response = await fetch("../oauth2/session", { credentials: "same-origin" }).catch(() => null);
  return response?.status === 200 ? response.json() : null;
}

// Reads the claims of a token for display; the server is who checks them.
function claims(token) {
  try {
    const payload = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (c) => c.charCodeAt(0))));
  } catch {
    return {}; // An opaque token is as good; only its scopes and end stay unknown.
  }
}

// Session fires "change" whenever who is signed in, or until when, changes.
export class Session extends EventTarget {
  #client = null;
  #token = null;
  #renewal = null;
  person = null;
  expiresAt = null; // Milliseconds since 1970, or null when unknown.
  scopes = [];
  name = "";

  get signedIn() {
    return this.#token !== null || this.person !== null;
  }

  get renewable() {
    return this.#client !== null;
  }

  async signIn(client) {
    this.signOut();
    this.#client = client;
    try {
      await this.renew();
    } catch (error) {
      if (this.#client === client) this.signOut();
      throw error;
    }
  }

  useToken(token) {
    this.signOut();
    const { exp, scope, client_id: clientId, sub } = claims(token);
    this.#set(token, exp ? exp * 1000 : null, scope, clientId || sub || "pasted token");
  }

  // Goes on with the session of a person; its cookie is the credential.
  usePerson(person) {
    this.signOut();
    this.person = person;
    this.expiresAt = Date.parse(person.expiresAt);
    this.scopes = [...person.scopes].sort();
    this.name = person.username;
    this.dispatchEvent(new Event("change"));
  }

  signOut() {
    this.person = null;
    this.#client = this.#token = this.#renewal = this.expiresAt = null;
    this.scopes = [];
    this.name = "";
    this.dispatchEvent(new Event("change"));
  }

  // Returns the token to send, or null when nobody is signed in. Rejects when
  // a renewal is due and refused.
  async token() {
    const due = this.expiresAt !== null && Date.now() > this.expiresAt - renewalMargin;
    if (this.#client && (due || !this.#token)) await this.renew();
    return this.#token;
  }

  // Requests that find the token ended at the same time share one renewal.
  renew() {
    return (this.#renewal ??= this.#renew(this.#client));
  }

  async #renew(client) {
    try {
      const answer = await requestToken(client);
      if (this.#client !== client) return; // Someone else signed in meanwhile.
      const known = claims(answer.access_token);
      const expiresAt = answer.expires_in ? Date.now() + answer.expires_in * 1000 : null;
      this.#set(answer.access_token, expiresAt, answer.scope ?? known.scope, client.clientId);
    } finally {
      if (this.#client === client) this.#renewal = null;
    }
  }

  #set(token, expiresAt, scope, name) {
    this.#token = token;
    this.expiresAt = expiresAt;
    this.scopes = (scope ?? "").split(" ").filter(Boolean).sort();
    this.name = name;
    this.dispatchEvent(new Event("change"));
  }
}
