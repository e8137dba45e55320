import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from "graphql";
import { useEffect, useState } from "react";
import { useViewer } from "../app/context";
import { endpoint, fetchOptions } from "./client";

const answers = new Map<string, Promise<GraphQLSchema | null>>();

async function read(tenant: string): Promise<GraphQLSchema | null> {
  const body = JSON.stringify({ operationName: "IntrospectionQuery", query: getIntrospectionQuery() });
  const headers = { ...fetchOptions.headers, "Content-Type": "application/json", Accept: "application/graphql-response+json, application/json" };
  try {
    const { data } = (await (await fetch(endpoint(tenant), { ...fetchOptions, method: "POST", headers, body })).json()) as { data?: IntrospectionQuery };
    if (data) return buildClientSchema(data);
  } catch {
    // What the server does not tell is the same as what does not arrive.
  }
  answers.delete(tenant);
  return null;
}

/** The schema as the server tells it. It is asked for once, and again after a failure. */
function schemaOf(tenant: string) {
  const answer = answers.get(tenant) ?? read(tenant);
  answers.set(tenant, answer);
  return answer;
}

/** The schema: undefined until it is there, null where the server does not tell it. */
export function useSchema(): GraphQLSchema | null | undefined {
  const { tenant } = useViewer();
  const [schema, setSchema] = useState<GraphQLSchema | null>();
  useEffect(() => void schemaOf(tenant).then(setSchema), [tenant]);
  return schema;
}
