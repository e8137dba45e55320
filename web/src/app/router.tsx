import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect, retainSearchParams } from "@tanstack/react-router";
import type { Session } from "../api/session";
import type { DaySearch } from "./context";
import { mayOpen, pages } from "./pages";
import { Shell } from "./shell";

const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);

/** Every view has the day in its URL; what else is there belongs to the view. */
const readSearch = (search: Record<string, unknown>): DaySearch & Record<string, unknown> => ({
  ...search,
  day: isDay(search.day) ? search.day : undefined,
  known: typeof search.known === "string" && !Number.isNaN(Date.parse(search.known)) ? search.known : undefined,
});

/** Makes the router of a session. The frame keeps away what it may not see. */
export function makeRouter(session: Session) {
  const scopes = new Set(session.scopes);
  const root = createRootRoute({
    component: () => <Shell session={session} />,
    validateSearch: readSearch,
    search: { middlewares: [retainSearchParams(["day", "known"])] },
  });
  const first = pages.find((page) => mayOpen(page, { scopes }))!;
  const home = createRoute({
    getParentRoute: () => root,
    path: "/",
    beforeLoad: () => {
      throw redirect({ to: `/${session.tenant}/${first.path}` });
    },
  });
  const view = (path: string, load: () => Promise<{ View: React.ComponentType }>) =>
    createRoute({ getParentRoute: () => root, path: `/$tenant/${path}`, component: lazyRouteComponent(load, "View") });
  const routes = [
    home,
    view("hierarchy", () => import("../pages/hierarchy/view")),
    view("lists/$list", () => import("../pages/lists/view")),
    view("agents/$code", () => import("../pages/agent/view")),
    view("authorizations", () => import("../pages/authorizations/view")),
    view("insights", () => import("../pages/insights/view")),
    view("onboarding", () => import("../pages/onboarding/view")),
    view("webhooks", () => import("../pages/webhooks/view")),
    view("files", () => import("../pages/files/view")),
    view("administration", () => import("../pages/administration/view")),
    view("explore", () => import("../pages/explore/view")),
  ];
  return createRouter({ routeTree: root.addChildren(routes), basepath: "/workbench", defaultPreload: false });
}
