// What Explore offers to begin with: each can be run as it is, on the day in view.

export interface Example {
  name: string;
  /** What it takes to read. */
  scope: string;
  query: string;
}

export const examples: Example[] = [
  {
    name: "Agents by last name",
    scope: "read:agents",
    query: `query Agents($onDate: Date, $first: Int, $after: String) {
  agents(first: $first, after: $after, onDate: $onDate, orderBy: [{ field: LAST_NAME }]) {
    totalCount
    nodes { agentCode displayName payStatus { name } membership { level { name } } }
    pageInfo { hasNextPage endCursor }
  }
}`,
  },
  {
    name: "Licences that end within 60 days",
    scope: "business-insights:queries:execute",
    query: `query Ending($asKnownAt: DateTime) {
  licenseExpirations(withinDays: 60, asKnownAt: $asKnownAt) {
    daysRemaining
    agent { agentCode displayName }
    certification { type { name } jurisdiction { name } identifier }
  }
}`,
  },
  {
    name: "Suspended agents, and who is above them",
    scope: "read:agents",
    query: `query Suspended($onDate: Date, $first: Int, $after: String) {
  agents(first: $first, after: $after, onDate: $onDate, filter: { payStatus: "Suspended" }) {
    totalCount
    nodes { agentCode displayName membership { directUpline { agentCode displayName } } }
    pageInfo { hasNextPage endCursor }
  }
}`,
  },
  {
    name: "What was changed last",
    scope: "read:agents",
    query: `query Changes($first: Int, $after: String) {
  changes(first: $first, after: $after) {
    nodes { at subject operation entityType entityKey reason }
    pageInfo { hasNextPage endCursor }
  }
}`,
  },
  { name: "Who I am, and what I may do", scope: "", query: "{ viewer { subject tenantIdentifier scopes today } }" },
];
