// The tenant field and the account panel: who is signed in, and where.

const byId = (id) => document.getElementById(id);

// A known list becomes a choice; without one the identifier is typed.
export function tenantField(tenants) {
  const field = document.createElement(tenants.length ? "select" : "input");
  field.append(...tenants.map((name) => new Option(name, name)));
  if (!tenants.length) Object.assign(field, { spellcheck: false, autocomplete: "off", placeholder: "identifier" });
  byId("tenant-field").append(field);
  return field;
}

function timeLeft(expiresAt) {
  if (expiresAt === null) return "";
  const minutes = Math.floor((expiresAt - Date.now()) / 60_000);
  if (minutes < 0) return ", ended";
  return minutes < 1 ? ", under a minute left" : `, ${minutes} min left`;
}

export function accountPanel(session) {
  const account = byId("account");
  const signIn = byId("sign-in");
  const paste = byId("paste");
  const problem = byId("problem");

  const showProblem = (message) => {
    problem.textContent = message;
    problem.hidden = !message;
  };
  const show = () => {
    const text = session.signedIn ? `${session.name}${timeLeft(session.expiresAt)}` : "Signed out";
    // An unchanged text is left alone: a screen reader announces every change.
    if (byId("session").textContent !== text) byId("session").textContent = text;
    account.classList.toggle("signed-in", session.signedIn);
    byId("granted").hidden = !session.signedIn;
  };
  const showScopes = () => {
    const names = session.scopes.length ? session.scopes : ["unknown"];
    byId("scopes").replaceChildren(...names.map((name) => Object.assign(document.createElement("li"), { textContent: name })));
  };
  const trySignIn = async (client) => {
    showProblem("");
    try {
      await session.signIn(client);
      account.open = false;
    } catch (error) {
      account.open = true;
      showProblem(error.message);
    }
  };

  signIn.addEventListener("submit", (event) => {
    event.preventDefault();
    trySignIn({ clientId: signIn.elements.id.value.trim(), secret: signIn.elements.secret.value });
  });
  paste.addEventListener("submit", (event) => {
    event.preventDefault();
    showProblem("");
    session.useToken(paste.elements.token.value.trim());
    paste.reset();
    account.open = false;
  });
  byId("sign-out").addEventListener("click", () => {
    if (session.person) location.assign("../oauth2/sign-out");
    else session.signOut();
  });
  session.addEventListener("change", () => (show(), showScopes()));
  setInterval(show, 5_000);

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !account.open) return;
    account.open = false;
    account.querySelector("summary").focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!account.contains(event.target)) account.open = false;
  });

  return {
    // Fills the form with a well-known client and signs in with it.
    signInAs(client) {
      signIn.elements.id.value = client.clientId;
      signIn.elements.secret.value = client.secret;
      return trySignIn(client);
    },
    open: () => (account.open = true),
  };
}
