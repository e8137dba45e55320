import { IconAffiliate, IconCertificate, IconChartBar, IconCode, IconFileImport, IconSettings, IconTable, IconUserPlus, IconWebhook } from "@tabler/icons-react";
import type { ComponentType } from "react";

interface NavPage {
  path: string;
  label: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Any of these scopes shows the page; none is needed when empty. */
  scopes: string[];
  /** Is about the whole agency: whoever sees a part has no use of it. */
  isWhole?: boolean;
}

/** The pages of the navigation, in its order. Whoever may not read what a page shows does not see it. */
export const pages: NavPage[] = [
  { path: "hierarchy", label: "Hierarchy", icon: IconAffiliate, scopes: ["read:agents"] },
  { path: "lists/agents", label: "Agents", icon: IconTable, scopes: ["read:agents"] },
  { path: "authorizations", label: "Who may sell", icon: IconCertificate, scopes: ["read:agents"] },
  { path: "insights", label: "Insights", icon: IconChartBar, scopes: ["business-insights:queries:execute", "business-insights:report-recipes:read"] },
  { path: "onboarding", label: "Onboarding", icon: IconUserPlus, scopes: ["agent-onboarding:applications:read"] },
  { path: "webhooks", label: "Webhooks", icon: IconWebhook, scopes: ["read:webhook-subscriptions"] },
  { path: "files", label: "Files", icon: IconFileImport, scopes: ["write:agents", "write:production"], isWhole: true },
  { path: "administration", label: "Administration", icon: IconSettings, scopes: ["read:users", "read:roles", "read:clients"] },
  { path: "explore", label: "Explore", icon: IconCode, scopes: [] },
];

/** The page that a path below the tenant belongs to. */
export const pageOf = (path: string) => pages.find((page) => path === page.path || path.startsWith(`${page.path.split("/")[0]}/`) || (page.label === "Agents" && path.startsWith("agents/")));

interface Opener {
  scopes: ReadonlySet<string>;
  isLimited?: boolean;
}

export const mayOpen = (page: NavPage, who: Opener) => (page.scopes.length === 0 || page.scopes.some((scope) => who.scopes.has(scope))) && !(page.isWhole && who.isLimited);
