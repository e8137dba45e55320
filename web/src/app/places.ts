import { useCallback, useState } from "react";
import { useAnswer } from "../api/answer";
import { InsightCatalogueDocument, KeptDocument } from "../gql";
import { reportsOf } from "../pages/insights/catalogue";
import { lists } from "../pages/lists/spec";
import { useMay, useViewer } from "./context";
import type { Place } from "./find";
import { mayOpen, pages } from "./pages";

/** What people come to do, by the page where it is done and what opens it, and other words that they have for it. */
const actions: { label: string; words?: string; page: string; search?: object | ((today: string) => object); scope: string }[] = [
  { label: "Import a file", page: "files", scope: "write:agents" },
  { label: "Register an agent", words: "new agent add hire somebody", page: "lists/agents", scope: "write:agents" },
  { label: "Start an application", words: "new recruit applicant", page: "onboarding", scope: "agent-onboarding:applications:write" },
  { label: "Who may sell in a state, as a file", words: "licensed appointed texas authorization", page: "authorizations", scope: "read:agents" },
  { label: "Why somebody is not paid", words: "was not paid payment commission who", page: "insights", search: { report: "query:eligibility" }, scope: "business-insights:queries:execute" },
  { label: "Move agents", words: "change the upline reorganise downline", page: "lists/agents", scope: "write:agents" },
  { label: "Build a report", page: "insights", search: { build: "new" }, scope: "write:recipes" },
  { label: "Compare two days", words: "dates difference who joined left", page: "hierarchy", search: (today) => ({ compare: `${Number(today.slice(0, 4)) - 1}-${today.slice(5, 8)}01` }), scope: "read:agents" },
  { label: "Add a user", page: "administration", search: { tab: "users" }, scope: "write:users" },
  { label: "Change the settings", page: "administration", search: { tab: "settings" }, scope: "write:settings" },
  { label: "Look at the audit trail", words: "who changed history prepare an audit auditor", page: "administration", search: { tab: "audit" }, scope: "read:clients" },
];

/** What a place is known by among the options. */
export const keyOf = (place: Place) => place.to + JSON.stringify(place.search ?? {}) + place.label;

const most = 6;

/** Finds pages, lists, reports, dashboards, views, companies and actions by a part of a word of their names, for what the caller may. What is kept is known once somebody has typed. */
export function usePlaces(): (text: string) => Place[] {
  const viewer = useViewer();
  const [typed, setTyped] = useState(false);
  const may = { queries: useMay("business-insights:queries:execute"), recipes: useMay("business-insights:report-recipes:read") };
  const { data } = useAnswer(InsightCatalogueDocument, may, !typed || !(may.queries || may.recipes));
  const { data: kept } = useAnswer(KeptDocument, {}, !typed || !useMay("read:agents"));
  return useCallback(
    (text) => {
      if (!typed) queueMicrotask(() => setTyped(true));
      const at = (path: string) => `/${viewer.tenant}/${path}`;
      const open = pages.filter((page) => mayOpen(page, viewer));
      const places: Place[] = [
        ...open.map((page) => ({ kind: "page", label: page.label, to: at(page.path) })),
        ...actions.filter((a) => viewer.scopes.has(a.scope) && open.some((page) => page.path === a.page)).map((a) => ({ kind: "action", label: a.label, words: a.words, to: at(a.page), search: typeof a.search === "function" ? a.search(viewer.today) : a.search })),
        ...(open.some((page) => page.path === "lists/agents") ? lists.slice(1).map((l) => ({ kind: "list", label: l.title, to: at(`lists/${l.id}`) })) : []),
        ...(data ? reportsOf(data) : []).map((r) => ({ kind: "report", label: r.title, to: at("insights"), search: { report: r.key } })),
        ...(data?.dashboards.nodes ?? []).map((b) => ({ kind: "dashboard", label: b.name, to: at("insights"), search: { board: b.id } })),
        ...(kept?.views.nodes ?? []).map((v) => ({ kind: "view", label: v.name, to: at(`lists/${v.subject}`), search: v.content })),
        ...(kept?.providerCompanies ?? []).map((c) => ({ kind: "company, with its licences and appointments", label: c.name, to: at("lists/certifications"), search: { filter: { providerCompany: c.code } } })),
      ] as Place[];
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      return places.filter((place) => words.every((word) => ` ${place.label} ${place.words ?? ""}`.toLowerCase().includes(` ${word}`))).slice(0, most);
    },
    [viewer, data, kept, typed],
  );
}
