// Joins the bar above with GraphiQL below.

import { accountPanel, tenantField } from "./account.js";
import { asOfControl } from "./asof.js";
import { createFetcher } from "./request.js";
import { Session, signedInPerson } from "./session.js";

const { createElement, useEffect, useRef } = React;

const config = await (await fetch("config.json")).json();
const session = new Session();
const asOf = asOfControl();
const tenant = tenantField(config.tenants);
const account = accountPanel(session);
const examples = document.getElementById("examples");

examples.append(...config.examples.map(({ name }, index) => new Option(name, String(index))));
document.getElementById("example-field").hidden = config.examples.length === 0;

const size = (bytes) => (bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`);

function report(last) {
  const parts = [`${Math.round(last.milliseconds)} ms`, size(last.size)];
  if (last.status !== 200) parts.unshift(`status ${last.status}`);
  if (last.cost) {
    const { requested, actual, maximum } = last.cost;
    const left = last.cost.limit ? `, ${last.cost.remaining} of ${last.cost.limit} left` : "";
    parts.push(`cost ${actual} (requested ${requested}, maximum ${maximum}${left})`);
  }
  parts.push(last.date ? `as of ${last.date}` : "as of today");
  document.getElementById("last").value = parts.join("  ·  ");
}

// Opens an example in a tab. GraphiQL lends its editors only to components
// inside of it, so this one draws nothing and listens to the menu of the bar.
function ExampleOpener() {
  const { tabs, activeTabIndex, addTab, changeTab, queryEditor, variableEditor } = GraphiQL.React.useEditorContext();
  const waiting = useRef(null);

  // A link has the query and its variables behind the #, which no server sees.
  useEffect(() => {
    const share = document.getElementById("share");
    const copy = async () => {
      const link = `${location.href.split("#")[0]}#${new URLSearchParams({ query: queryEditor.getValue(), variables: variableEditor.getValue() })}`;
      history.replaceState(null, "", link);
      await navigator.clipboard?.writeText(link).catch(() => undefined); // the address has it
      share.textContent = "The link is copied, and in the address";
    };
    share.addEventListener("click", copy);
    return () => share.removeEventListener("click", copy);
  });

  useEffect(() => {
    const open = () => {
      const example = config.examples[examples.value];
      examples.value = "";
      const tab = tabs.findIndex(({ query }) => query === example.query);
      if (tab >= 0) return changeTab(tab);
      waiting.current = example;
      addTab();
    };
    examples.addEventListener("change", open);
    return () => examples.removeEventListener("change", open);
  });
  useEffect(() => {
    if (!waiting.current) return;
    queryEditor.setValue(waiting.current.query);
    variableEditor.setValue(waiting.current.variables);
    waiting.current = null;
  }, [tabs.length, activeTabIndex]);
  return null;
}

const explorer = GraphiQLPluginExplorer.explorerPlugin();
const root = ReactDOM.createRoot(document.getElementById("graphiql"));
let current = { tenant: null };

const linked = new URLSearchParams(location.hash.slice(1));

// Each tenant has a GraphiQL of its own, with its own tabs and history. A first
// visit has no tab yet and starts with the first example.
function forTenant(name) {
  const storage = GraphiQL.createLocalStorage({ namespace: `upline-${name}` });
  const [first] = config.examples;
  // As if they were typed: variables that GraphiQL is given are gone with a reload.
  const begin = ({ query, variables }) => {
    storage.setItem("graphiql:query", query);
    storage.setItem("graphiql:variables", variables);
  };
  if (linked.has("query")) begin({ query: linked.get("query"), variables: linked.get("variables") ?? "" });
  else if (first && !storage.getItem("graphiql:tabState")) begin(first);
  const fetcher = createFetcher({ tenant: name, session, asOf, report });
  return { tenant: name, props: { key: name, storage, fetcher } };
}

function draw() {
  if (current.tenant !== tenant.value) current = forTenant(tenant.value);
  const ready = session.signedIn && current.tenant !== "";
  root.render(
    createElement(GraphiQL, {
      ...current.props,
      schema: ready ? undefined : null, // null keeps GraphiQL from asking before it may.
      plugins: [explorer],
      toolbar: { additionalComponent: ExampleOpener },
      defaultEditorToolsVisibility: "variables",
      showPersistHeadersSettings: false,
    }),
  );
}

async function enterTenant() {
  draw();
  const person = await signedInPerson();
  if (person && !tenant.value) tenant.value = person.tenant;
  if (person && person.tenant === tenant.value) {
    session.usePerson(person);
    return draw();
  }
  const client = config.clients.find((known) => known.tenant === tenant.value);
  if (client) await account.signInAs(client);
  else if (!session.signedIn) account.open();
}

session.addEventListener("change", draw);
tenant.addEventListener("change", enterTenant);
// Who comes back from the sign-in page came to see their own agency.
const person = await signedInPerson();
if (person && [...(tenant.options ?? [])].some(({ value }) => value === person.tenant)) tenant.value = person.tenant;
await enterTenant();
