// node portals.mjs LIBRARY: a portal that signs people in at the server at UPLINE_URL with a
// library as it is: express-openid-connect, passport-openidconnect or @auth/express. This
// program is the browser, too: it keeps cookies, follows redirects, and fills in the page of
// the server. It prints what the portal learnt, as JSON. UPLINE_CLIENT_ID,
// UPLINE_CLIENT_SECRET, UPLINE_USERNAME and UPLINE_PASSWORD are in the environment.
import express from "express";

const { UPLINE_URL, UPLINE_CLIENT_ID, UPLINE_CLIENT_SECRET, UPLINE_USERNAME, UPLINE_PASSWORD } = process.env;
const secret = "a secret of the portal's own cookies, 32 bytes or more";

// Each library mounts itself below an app, and says where signing in begins.
const libraries = {
  async "express-openid-connect"(app, base) {
    const { auth } = (await import("express-openid-connect")).default;
    app.use(
      auth({
        issuerBaseURL: UPLINE_URL,
        baseURL: base,
        clientID: UPLINE_CLIENT_ID,
        clientSecret: UPLINE_CLIENT_SECRET,
        secret,
        authRequired: false,
        authorizationParams: { response_type: "code", scope: "openid email profile" },
      }),
    );
    app.get("/me", (request, answer) => answer.json(request.oidc.user));
    return "/login";
  },
  async "passport-openidconnect"(app, base) {
    const { default: session } = await import("express-session");
    const { default: passport } = await import("passport");
    const { default: Strategy } = await import("passport-openidconnect");
    app.use(session({ secret, resave: false, saveUninitialized: false }));
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user, done) => done(null, user));
    const found = await (await fetch(`${UPLINE_URL}/.well-known/openid-configuration`)).json();
    passport.use(
      new Strategy(
        {
          issuer: found.issuer,
          authorizationURL: found.authorization_endpoint,
          tokenURL: found.token_endpoint,
          userInfoURL: found.userinfo_endpoint,
          clientID: UPLINE_CLIENT_ID,
          clientSecret: UPLINE_CLIENT_SECRET,
          callbackURL: `${base}/callback`,
          scope: ["profile", "email"],
        },
        (issuer, profile, done) => done(null, { sub: profile.id, email: profile.emails?.[0]?.value }),
      ),
    );
    app.use(passport.session());
    app.get("/login", passport.authenticate("openidconnect"));
    app.get("/callback", passport.authenticate("openidconnect", { failWithError: true }), (request, answer) => answer.redirect("/"));
    app.get("/me", (request, answer) => answer.json(request.user ?? null));
    return "/login";
  },
  async "@auth/express"(app) {
    const { ExpressAuth, getSession } = await import("@auth/express");
    const config = {
      secret,
      trustHost: true,
      basePath: "/auth",
      providers: [{ id: "upline", name: "Upline", type: "oidc", issuer: UPLINE_URL, clientId: UPLINE_CLIENT_ID, clientSecret: UPLINE_CLIENT_SECRET, checks: ["pkce", "state", "nonce"] }],
      callbacks: {
        jwt: ({ token, profile }) => (profile ? { ...token, sub: profile.sub } : token),
        session: ({ session, token }) => ({ ...session, sub: token.sub }),
      },
    };
    app.use("/auth", ExpressAuth(config));
    app.get("/me", async (request, answer) => {
      const found = await getSession(request, config);
      answer.json(found && { sub: found.sub, email: found.user.email });
    });
    return "/auth/csrf";
  },
};

const jars = new Map();
async function browse(url, form) {
  const { host } = new URL(url);
  const jar = jars.get(host) ?? jars.set(host, new Map()).get(host);
  const answer = await fetch(url, {
    redirect: "manual",
    method: form ? "POST" : "GET",
    body: form && new URLSearchParams(form),
    headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "), ...(form && { origin: new URL(url).origin }) },
  });
  for (const line of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
    if (value) jar.set(name, value);
    else jar.delete(name);
  }
  const to = answer.headers.get("location");
  if (to && answer.status >= 300 && answer.status < 400) return browse(new URL(to, url).href);
  return { url, status: answer.status, text: await answer.text() };
}

const library = process.argv[2];
const app = express();
const server = app.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const base = `http://127.0.0.1:${server.address().port}`;
const begin = await libraries[library](app, base);
app.use((error, request, answer, _next) => answer.status(500).send(String(error?.stack ?? error)));

let page = await browse(base + begin);
if (library === "@auth/express") page = await browse(`${base}/auth/signin/upline`, { csrfToken: JSON.parse(page.text).csrfToken, callbackUrl: base });
const token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1];
if (!token) throw new Error(`no page to sign in at: ${page.status} ${page.url} ${page.text}`);
const back = await browse(page.url, { form_token: token, username: UPLINE_USERNAME, password: UPLINE_PASSWORD, do: "sign-in" });
const me = await browse(`${base}/me`);
const learnt = JSON.parse(me.text);
if (!learnt?.sub) throw new Error(`nobody is signed in: ${back.status} ${back.url} ${back.text} ${me.text}`);
console.log(JSON.stringify({ sub: learnt.sub, email: learnt.email }));
server.close();
process.exit(0);
