// Clients that keep nothing.
import { GraphQLClient, gql } from "graphql-request";
import { check } from "./case.mjs";

/** Asks with nothing but fetch. */
export async function ask(url, token, query, variables) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  return answer.json();
}

const agent = gql`
  query Agent($code: String!, $on: Date) {
    agent(agentCode: $code, onDate: $on) {
      payStatus {
        name
      }
    }
  }
`;
const [past, present] = [{ code: "A1", on: "2026-01-15" }, { code: "A1" }];

export async function plainFetch(url, token) {
  const statuses = await Promise.all([past, present].map(async (variables) => (await ask(url, token, agent, variables)).data.agent.payStatus.name));
  check(statuses.join() === "Active,Suspended", "two dates", statuses);
  const got = await fetch(`${url}?${new URLSearchParams({ query: agent, variables: JSON.stringify(present) })}`, { headers: { authorization: `Bearer ${token}` } });
  check((await got.json()).data.agent.payStatus.name === "Suspended", "a query by GET", got.status);
  return statuses.join(", ");
}

export async function graphqlRequest(url, token) {
  const client = new GraphQLClient(url, { headers: { authorization: `Bearer ${token}` } });
  const statuses = [await client.request(agent, past), await client.request(agent, present)].map((data) => data.agent.payStatus.name);
  check(statuses.join() === "Active,Suspended", "two dates", statuses);
  const refused = await client.request(agent, { code: 7 }).catch((error) => error);
  check(refused.response.errors[0].extensions.code === "BAD_USER_INPUT", "a number for a text", refused);
  return statuses.join(", ");
}
