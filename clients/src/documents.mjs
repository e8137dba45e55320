// What the clients ask that take documents as text.

const fields = `
  fragment Fields on Agent {
    id
    asOf
    commonName
    payStatus {
      id
      name
    }
    certifications(first: $first, after: $after) {
      edges {
        cursor
        node {
          id
          asOf
          status
        }
      }
      pageInfo {
        hasNextPage
        endCursor
        hasPreviousPage
        startCursor
      }
    }
  }
`;
export const agent = `
  query Agent($on: Date, $first: Int = 2, $after: String) {
    agent(agentCode: "A1", onDate: $on) {
      ...Fields
    }
  }
  ${fields}
`;
export const node = `
  query Node($id: ID!, $first: Int = 2, $after: String) {
    node(id: $id) {
      ...Fields
    }
  }
  ${fields}
`;
export const update = `
  mutation Update($input: AgentUpdateInput!) {
    agentUpdate(input: $input) {
      agent {
        id
        commonName
      }
    }
  }
`;
