// node login.mjs: signs a user in to the server at UPLINE_URL, whose issuer UPLINE_ISSUER
// is, with openid-client as it is, and out again; prints what it learnt, as JSON. The
// browser is this program: it keeps cookies, and fills in the page. UPLINE_USERNAME and
// UPLINE_PASSWORD are in the environment, and UPLINE_NOW is the server's time.
import * as client from "openid-client";

const { UPLINE_URL, UPLINE_ISSUER, UPLINE_USERNAME, UPLINE_PASSWORD, UPLINE_NOW } = process.env;
const callback = "https://portal.example/callback";

// reach sends what is meant for the issuer to where the server listens.
const reach = (url, options) => fetch(String(url).replace(UPLINE_ISSUER, UPLINE_URL), options);

function check(holds, what, seen) {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

const cookies = new Map();
async function browse(url, form) {
  const answer = await reach(url, {
    redirect: "manual",
    method: form ? "POST" : "GET",
    body: form && new URLSearchParams(form),
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
  });
  for (const line of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
    if (value) cookies.set(name, value);
    else cookies.delete(name);
  }
  return { status: answer.status, to: answer.headers.get("location"), text: await answer.text() };
}

const config = await client.discovery(new URL(UPLINE_ISSUER), "web", { [client.clockSkew]: Math.round(Number(UPLINE_NOW) - Date.now() / 1000) }, client.None(), {
  [client.customFetch]: reach,
});

async function authorize(more) {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: "openid email profile read:agents",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
    ...more,
  });
  return { url, checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true } };
}

const silent = await authorize({ prompt: "none" });
const refused = await client.authorizationCodeGrant(config, new URL((await browse(silent.url)).to), silent.checks).catch((error) => error);
check(refused.error === "login_required", "prompt=none before anybody signed in", refused);

const first = await authorize({ max_age: "600" });
const page = await browse(first.url);
const token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1];
check(token, "the sign-in page", page);
const signedIn = await browse(first.url, { form_token: token, username: UPLINE_USERNAME, password: UPLINE_PASSWORD, do: "sign-in" });
const tokens = await client.authorizationCodeGrant(config, new URL(signedIn.to), { ...first.checks, maxAge: 600 });
const claims = tokens.claims();
const who = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
check(who.email === claims.email && who.preferred_username === UPLINE_USERNAME, "who signed in", [who, claims]);

const again = await authorize({ prompt: "none", id_token_hint: tokens.id_token });
const silently = await client.authorizationCodeGrant(config, new URL((await browse(again.url)).to), again.checks);
check(silently.claims().sub === claims.sub && silently.claims().auth_time === claims.auth_time, "prompt=none afterwards", silently.claims());

const next = await client.refreshTokenGrant(config, tokens.refresh_token);
check(next.claims().sub === claims.sub, "after a refresh", next.claims());

const out = await browse(client.buildEndSessionUrl(config, { id_token_hint: next.id_token, post_logout_redirect_uri: callback, state: "bye" }));
check(out.status === 303 && out.to === `${callback}?state=bye`, "signed out", out);
const gone = await authorize({ prompt: "none" });
check(new URL((await browse(gone.url)).to).searchParams.get("error") === "login_required", "signed in still", gone.url);
console.log(JSON.stringify({ sub: claims.sub, email: who.email }));
