// What graphql-codegen types is used without a cast, and asked with graphql-request.
import { GraphQLClient } from "graphql-request";
import { graphql } from "../__generated__/codegen";

declare const process: { argv: string[] };
const [, , url, token] = process.argv as [string, string, string, string];

const agent = graphql(`
  query TypedAgent($code: String!, $on: Date) {
    agent(agentCode: $code, onDate: $on) {
      agentCode
      asOf
      payStatus {
        name
      }
    }
  }
`);

async function use(): Promise<void> {
  const client = new GraphQLClient(url, { headers: { authorization: `Bearer ${token}` } });
  const then = await client.request(agent, { code: "A1", on: "2026-01-15" });
  const status: string | undefined = then.agent?.payStatus?.name;
  if (status !== "Active") throw new Error(`${status} on ${then.agent?.asOf}`);
  console.log(status);
}

void use();
