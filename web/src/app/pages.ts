import { IconAffiliate, IconCertificate, IconChartBar, IconCode, IconFileImport, IconSettings, IconTable, IconUserPlus, IconWebhook } from "@tabler/icons-react";
import type { ComponentType } from "react";

export interface NavPage {
  path: string;
  label: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Any of these scopes shows the page; none is needed when empty. */
  scopes: string[];
  /** Is about the whole agency: whoever sees a part has no use of it. */
  isWhole?: boolean;
  /** Shows what is known now, whatever instant was chosen. */
  isOfNow?: boolean;
  /** What the page is for, what to do first, and what is easily missed. */
  help: [string, string, string];
  /** The name of its picture, which tests take. */
  picture: string;
}

/** The pages of the navigation, in its order. Whoever may not read what a page shows does not see it. */
export const pages: NavPage[] = [
  {
    path: "hierarchy",
    picture: "hierarchy",
    label: "Hierarchy",
    icon: IconAffiliate,
    scopes: ["read:agents"],
    help: [
      "Who is above whom, on the day at the top.",
      "Open a card by its sign, or find an agent and show the way to it.",
      "What if tries moves out before they are made; Compare shows what changed since another day.",
    ],
  },
  {
    path: "lists/agents",
    picture: "agents",
    label: "Agents",
    icon: IconTable,
    scopes: ["read:agents"],
    help: [
      "Everybody, or all certifications, periods, aliases and tags, on the day at the top.",
      "Type a part of a name, a code or a number into the search box; Filter has more conditions.",
      "Boxes choose agents to move, to give a level or tags; Views keeps columns and conditions.",
    ],
  },
  {
    path: "authorizations",
    picture: "authorizations",
    label: "Who may sell",
    icon: IconCertificate,
    scopes: ["read:agents"],
    help: [
      "Which products agents may sell in which states, through whom and until when; if not, why not.",
      "Choose an agent, and whether everybody below it counts, too.",
      "Products says what each product requires, from a day on.",
    ],
  },
  {
    path: "insights",
    picture: "insights",
    label: "Insights",
    icon: IconChartBar,
    scopes: ["business-insights:queries:execute", "business-insights:report-recipes:read"],
    help: [
      "Questions about the agency, answered as a table, a chart, a map or a file.",
      "Choose a question on the left, set its conditions, and run it.",
      "New report makes one of your own without code; the address of the page shows it to others.",
    ],
  },
  {
    path: "onboarding",
    isOfNow: true,
    picture: "onboarding",
    label: "Onboarding",
    icon: IconUserPlus,
    scopes: ["agent-onboarding:applications:read"],
    help: [
      "People who apply to become agents, by how far they are.",
      "Choose an application to see its checks and what can be done next.",
      "Processing an application makes the agent, with everything that was entered.",
    ],
  },
  {
    path: "webhooks",
    isOfNow: true,
    picture: "webhooks",
    label: "Webhooks",
    icon: IconWebhook,
    scopes: ["read:webhook-subscriptions"],
    help: [
      "Where other systems are told of changes, and whether they heard.",
      "Choose a subscription to see its deliveries as they happen.",
      "A delivery that failed says why, and can be sent again.",
    ],
  },
  {
    path: "files",
    isOfNow: true,
    picture: "files",
    label: "Files",
    icon: IconFileImport,
    scopes: ["write:agents", "write:production"],
    isWhole: true,
    help: [
      "Brings rows of other systems in, and records policies and payments from files.",
      "Choose a file: its columns and values are guessed, and you correct the guesses.",
      "Check changes nothing, and lists what is wrong; what an import changed can be taken back.",
    ],
  },
  {
    path: "administration",
    isOfNow: true,
    picture: "administration",
    label: "Administration",
    icon: IconSettings,
    scopes: ["read:users", "read:roles", "read:clients"],
    help: [
      "Users, roles, sign-in, clients, reference data, the audit trail and the settings.",
      "To let somebody in, make a user and give it a role.",
      "What was changed, by whom and why is in the audit trail.",
    ],
  },
  {
    path: "explore",
    picture: "explore",
    label: "Explore",
    icon: IconCode,
    scopes: [],
    help: [
      "Any GraphQL query, as a table, a chart, CSV or JSON.",
      "Take an example, or write a query; the day at the top goes with it.",
      "The address has the query, so a link shows a colleague the same.",
    ],
  },
];

/** The page that a path below the tenant belongs to. */
export const pageOf = (path: string) => pages.find((page) => path === page.path || path.startsWith(`${page.path.split("/")[0]}/`) || (page.label === "Agents" && path.startsWith("agents/")));

interface Opener {
  scopes: ReadonlySet<string>;
  isLimited?: boolean;
}

export const mayOpen = (page: NavPage, who: Opener) => (page.scopes.length === 0 || page.scopes.some((scope) => who.scopes.has(scope))) && !(page.isWhole && who.isLimited);
