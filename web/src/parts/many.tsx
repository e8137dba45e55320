import { Alert } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { gql, useClient } from "urql";
import { named } from "../api/client";
import { useReading } from "../app/context";
import { say } from "./toast";

/** The most changes that a document may have. */
const inOne = 20;

interface Payload {
  userErrors: { message: string }[];
  applied: boolean;
}

/** One of many changes: whose it is, what it takes, and the version that was shown. */
export interface One {
  of: string;
  input: object;
  known?: string;
}

/**
 * Sends a change for each of many, twenty in a request, all under one name: so they are taken
 * back together. What is refused, or not known to be changed, is said of each.
 */
export function useMany(field: string, type: string): { run: (all: One[], told: (applied: number) => string) => Promise<boolean>; busy: boolean; refused: ReactNode } {
  const client = useClient();
  const { fresh } = useReading();
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<string[]>([]);
  const run = async (all: One[], told: (applied: number) => string) => {
    setBusy(true);
    const refused: string[] = [];
    const { traceId, context } = named();
    let applied = 0;
    for (let at = 0; at < all.length; at += inOne) {
      const part = all.slice(at, at + inOne);
      const takes = part.map((one, i) => `$i${i}: ${type}!${one.known ? `, $k${i}: DateTime!` : ""}`).join(", ");
      const changes = part.map((one, i) => `c${i}: ${field}(input: $i${i}) ${one.known ? `@ifMatch(lastModified: [$k${i}]) ` : ""}{ userErrors { message } applied }`).join(" ");
      const variables = Object.fromEntries(part.flatMap((one, i) => [[`i${i}`, one.input], [`k${i}`, one.known]]).filter(([, value]) => value !== undefined));
      const result = await client.mutation<Record<string, Payload | null>>(gql(`mutation Many(${takes}) { ${changes} }`), variables, context).toPromise();
      if (result.error) refused.push(`${part.map((one) => one.of).join(", ")}: ${result.error.message}`);
      part.forEach((one, i) => {
        const answer = result.data?.[`c${i}`];
        if (answer?.applied) applied++;
        answer?.userErrors.forEach((e) => refused.push(`${one.of}: ${e.message}`));
      });
    }
    setBusy(false);
    setProblems(refused);
    if (applied > 0) say({ traceId, text: told(applied) });
    fresh();
    return refused.length === 0;
  };
  const refused = problems.length > 0 && (
    <Alert color="red" variant="outline" role="alert" title="These are not known to be changed">
      {problems.join("; ")}
    </Alert>
  );
  return { run, busy, refused };
}
