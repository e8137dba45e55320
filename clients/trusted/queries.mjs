// What Apollo's tool finds in the sources of a program.
import { gql } from "@apollo/client";

export const trustedAgent = gql`
  query TrustedAgent($code: String!, $on: Date) {
    agent(agentCode: $code, onDate: $on) {
      agentCode
      payStatus {
        name
      }
    }
  }
`;
