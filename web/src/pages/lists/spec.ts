import type { Kind } from "../../parts/cell";

/** A column: a path below a row, such as payStatus.name. */
export interface Column {
  path: string;
  label: string;
  kind?: Kind;
  /** The field of the list's order that sorts by it. */
  sort?: string;
  width?: number;
}

/** A choice of a filter comes from the agency's own lists, or is given. */
export type Choices = readonly string[] | "payStatuses" | "levels" | "jurisdictions" | "types" | "companies" | "tags";

/** A condition, under the path that it has in the API, such as lacks.type. */
export interface Filter {
  name: string;
  label: string;
  /** numbers are several of the choices, days a span that begins with the day in view, up to so many days. */
  kind: "text" | "day" | "flag" | "one" | "many" | "number" | "numbers" | "agent" | "days";
  choices?: Choices;
}

/** A connection of the API as a table. */
export interface List {
  id: string;
  title: string;
  /** The field of Query, and its arguments besides those of pages. */
  field: string;
  filterType: string;
  orderType: string;
  dated: boolean;
  columns: Column[];
  /** The columns shown unless others are chosen. */
  shown: string[];
  filters: Filter[];
  /** The condition that the search box sets. */
  search: Filter;
  /** What rows are sorted by unless a column is chosen, or something is searched for. */
  order?: string;
}

const agentFilter: Filter = { name: "agentCode", label: "Agent", kind: "agent" };
const agentColumns: Column[] = [
  { path: "agent.agentCode", label: "Agent", kind: "agent", sort: "AGENT_CODE", width: 100 },
  { path: "agent.displayName", label: "Name", width: 190 },
];
const periodColumns: Column[] = [
  { path: "effectiveFrom", label: "From", kind: "day", sort: "EFFECTIVE_FROM", width: 120 },
  { path: "effectiveThrough", label: "Through", kind: "day", sort: "EFFECTIVE_THROUGH", width: 120 },
  { path: "isCurrent", label: "Current", kind: "flag", width: 90 },
  { path: "recordedAt", label: "Recorded", kind: "instant", sort: "LAST_MODIFIED", width: 180 },
  { path: "recordedBy", label: "By", width: 140 },
];
const periodFilters: Filter[] = [
  { name: "from", label: "Not ended before", kind: "day" },
  { name: "through", label: "Begun by", kind: "day" },
];
const statuses = ["ACTIVE", "PENDING", "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION", "EXPIRED", "REJECTED", "TERMINATED", "RETIRED"] as const;
const paths = (columns: Column[]) => columns.map((c) => c.path);

/** A list of periods of agents. */
const periods = (id: string, title: string, type: string, own: Column[], filters: Filter[]): List => ({
  id,
  title,
  field: id,
  filterType: `${type}Filter`,
  orderType: "PeriodOrder",
  dated: false,
  columns: [...agentColumns, ...own, ...periodColumns],
  shown: [...paths(agentColumns), ...paths(own), "effectiveFrom", "effectiveThrough", "recordedAt"],
  search: agentFilter,
  filters: [...filters, ...periodFilters],
});

const agents: List = {
  id: "agents",
  title: "Agents",
  field: "agents",
  filterType: "AgentFilter",
  orderType: "AgentOrder",
  dated: true,
  columns: [
    { path: "agentCode", label: "Code", kind: "agent", sort: "AGENT_CODE_NATURAL", width: 95 },
    { path: "displayName", label: "Name", width: 190 },
    { path: "firstName", label: "First name", sort: "FIRST_NAME", width: 130 },
    { path: "lastName", label: "Last name", sort: "LAST_NAME", width: 140 },
    { path: "payStatus.name", label: "Pay status", kind: "status", width: 130 },
    { path: "isActive", label: "Active", kind: "flag", width: 80 },
    { path: "membership.level.name", label: "Level", width: 170 },
    { path: "membership.directUplineCode", label: "Upline", kind: "agent", width: 95 },
    { path: "membership.directUpline.displayName", label: "Name of the upline", width: 168 },
    { path: "tags.name", label: "Tags", width: 170 },
    { path: "membership.uplineSince", label: "Upline since", kind: "day", width: 130 },
    { path: "startDate", label: "Started", kind: "start", sort: "START_DATE", width: 130 },
    { path: "email", label: "E-mail", width: 240 },
    { path: "npn", label: "NPN", width: 110 },
    { path: "homeAddress.city", label: "City", width: 140 },
    { path: "homeAddress.jurisdiction.name", label: "Home", width: 110 },
    { path: "isDedicated", label: "Dedicated", kind: "flag", width: 100 },
    { path: "lastModified", label: "Changed", kind: "instant", sort: "LAST_MODIFIED", width: 180 },
  ],
  shown: ["agentCode", "firstName", "lastName", "payStatus.name", "membership.level.name", "membership.directUplineCode", "membership.directUpline.displayName", "homeAddress.jurisdiction.name", "startDate"],
  search: { name: "query", label: "Search", kind: "text" },
  order: "AGENT_CODE_NATURAL",
  filters: [
    { name: "lastName", label: "Last name begins with", kind: "text" },
    { name: "firstName", label: "First name begins with", kind: "text" },
    { name: "payStatus", label: "Pay status", kind: "many", choices: "payStatuses" },
    { name: "level", label: "Level", kind: "numbers", choices: "levels" },
    { name: "tag", label: "Tag", kind: "many", choices: "tags" },
    { name: "homeJurisdiction", label: "Home", kind: "one", choices: "jurisdictions" },
    { name: "downlineOf", label: "Downline of", kind: "agent" },
    { name: "holds.type", label: "Holds, of type", kind: "one", choices: "types" },
    { name: "holds.jurisdiction", label: "Holds, for", kind: "one", choices: "jurisdictions" },
    { name: "holds.expires", label: "What is held ends within", kind: "days" },
    { name: "lacks.type", label: "Has none of type", kind: "one", choices: "types" },
    { name: "lacks.jurisdiction", label: "Has none for", kind: "one", choices: "jurisdictions" },
    { name: "isActive", label: "Active", kind: "flag" },
    { name: "uplineAgentCode", label: "Direct upline", kind: "agent" },
    { name: "jurisdiction", label: "Jurisdiction of an address", kind: "one", choices: "jurisdictions" },
    { name: "email", label: "E-mail", kind: "text" },
    { name: "npn", label: "NPN", kind: "text" },
  ],
};

const certifications: List = {
  id: "certifications",
  title: "Certifications",
  field: "certifications",
  filterType: "CertificationFilter",
  orderType: "CertificationOrder",
  dated: true,
  columns: [
    ...agentColumns,
    { path: "agent.membership.level.name", label: "Level", width: 170 },
    { path: "agent.membership.directUplineCode", label: "Upline", kind: "agent", width: 100 },
    { path: "type.name", label: "Type", sort: "TYPE", width: 170 },
    { path: "jurisdiction.name", label: "Jurisdiction", sort: "JURISDICTION", width: 130 },
    { path: "providerCompany.name", label: "Company", width: 160 },
    { path: "identifier", label: "Number", width: 115 },
    { path: "status", label: "Status", kind: "status", sort: "STATUS", width: 130 },
    { path: "effectiveFrom", label: "From", kind: "day", sort: "EFFECTIVE_FROM", width: 120 },
    { path: "effectiveThrough", label: "Through", kind: "day", sort: "EFFECTIVE_THROUGH", width: 120 },
    { path: "daysRemaining", label: "Days left", kind: "number", width: 90 },
    { path: "isResidentCertification", label: "Resident", kind: "flag", width: 90 },
    { path: "isVerified", label: "Verified", kind: "flag", width: 90 },
  ],
  shown: ["agent.agentCode", "agent.displayName", "type.name", "jurisdiction.name", "providerCompany.name", "identifier", "status", "effectiveThrough", "daysRemaining"],
  search: agentFilter,
  filters: [
    { name: "type", label: "Type", kind: "one", choices: "types" },
    { name: "jurisdiction", label: "Jurisdiction", kind: "one", choices: "jurisdictions" },
    { name: "providerCompany", label: "Company", kind: "one", choices: "companies" },
    { name: "status", label: "Status", kind: "many", choices: statuses },
    { name: "identifier", label: "Number", kind: "text" },
    { name: "isResidentCertification", label: "Resident", kind: "flag" },
    { name: "isVerified", label: "Verified", kind: "flag" },
    { name: "expires", label: "Ends within", kind: "days" },
    { name: "expiresFrom", label: "Ends on or after", kind: "day" },
    { name: "expiresThrough", label: "Ends by", kind: "day" },
  ],
};

/** The lists, by their names in the URL. */
export const lists: List[] = [
  agents,
  certifications,
  periods("uplinePeriods", "Upline periods", "UplinePeriod", [{ path: "uplineAgentCode", label: "Upline", kind: "agent", width: 100 }], [{ name: "uplineAgentCode", label: "Upline", kind: "agent" }]),
  periods("levelPeriods", "Level periods", "LevelPeriod", [{ path: "level.name", label: "Level", width: 190 }], [{ name: "level", label: "Level", kind: "number", choices: "levels" }]),
  periods("payStatusPeriods", "Pay status periods", "PayStatusPeriod", [{ path: "status.name", label: "Pay status", kind: "status", width: 130 }], [{ name: "payStatus", label: "Pay status", kind: "one", choices: "payStatuses" }]),
  periods("w9Periods", "W9 periods", "W9Period", [{ path: "w9.taxClassification", label: "Classification", kind: "word", width: 170 }], []),
  {
    id: "aliases",
    title: "Aliases",
    field: "aliases",
    filterType: "AliasFilter",
    orderType: "AliasOrder",
    dated: false,
    columns: [
      { path: "identifier", label: "Identifier", sort: "IDENTIFIER", width: 180 },
      ...agentColumns,
      { path: "providerCompany.name", label: "Company", sort: "PROVIDER_COMPANY", width: 160 },
      { path: "createdAt", label: "Added", kind: "instant", sort: "CREATED_AT", width: 180 },
      { path: "createdBy", label: "By", width: 140 },
    ],
    shown: ["identifier", "agent.agentCode", "agent.displayName", "providerCompany.name", "createdAt"],
    search: agentFilter,
    filters: [{ name: "identifier", label: "Identifier", kind: "text" }, { name: "providerCompany", label: "Company", kind: "one", choices: "companies" }],
  },
  {
    id: "tagAssignments",
    title: "Tags of agents",
    field: "tagAssignments",
    filterType: "TagAssignmentFilter",
    orderType: "TagAssignmentOrder",
    dated: false,
    columns: [
      ...agentColumns,
      { path: "tag.name", label: "Tag", sort: "TAG", width: 170 },
      { path: "assignedAt", label: "Assigned", kind: "instant", sort: "ASSIGNED_AT", width: 180 },
      { path: "assignedBy", label: "By", width: 140 },
    ],
    shown: ["agent.agentCode", "agent.displayName", "tag.name", "assignedAt", "assignedBy"],
    search: agentFilter,
    filters: [{ name: "tag", label: "Tag", kind: "one", choices: "tags" }],
  },
];
