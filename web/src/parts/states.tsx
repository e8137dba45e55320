import { Alert, Anchor, Button, Center, List, Loader, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { CombinedError } from "urql";
import { sessionEnded, type UserProblem } from "../api/answer";
import { useReading } from "../app/context";
import { fieldOf, plain } from "./words";


const WhatCame = lazy(() => import("./undo").then((m) => ({ default: m.WhatCame })));

/** What a view shows while its answer is on the way. */
export const Loading = ({ what }: { what: string }) => (
  <Center mih={160} role="status">
    <Loader size="sm" mr="sm" aria-hidden /> <Text c="dimmed">Loading {what}…</Text>
  </Center>
);

export const Nothing = ({ children }: { children: React.ReactNode }) => (
  <Center mih={120}>
    <Text c="dimmed">{children}</Text>
  </Center>
);

/** What the server, or the way to it, says is wrong. */
export const messagesOf = (error: CombinedError) => (error.networkError ? [error.networkError.message] : error.graphQLErrors.map((e) => e.message));

/** What was refused, and of which field. */
export function sentenceOf({ message, field }: Pick<UserProblem, "message" | "field">): string {
  const of = fieldOf((field ?? []).join("."));
  return of ? `${of.replace(/^./, (c) => c.toUpperCase())}: ${plain(message)}` : plain(message);
}

export function Failure({ error }: { error: CombinedError }) {
  const messages = messagesOf(error);
  const { fresh } = useReading();
  return (
    <Alert color="red" title="This could not be read" variant="outline" role="alert">
      {messages.map((m, i) => (
        <Text size="sm" key={i}>
          {plain(m)}
        </Text>
      ))}
      <Button size="compact-xs" variant="default" mt="xs" onClick={() => fresh()}>
        Try again
      </Button>
    </Alert>
  );
}

/** What was refused, with the fields that were at fault. What was changed meanwhile, or perhaps now, has to be looked at again. */
export function Problems({ problems }: { problems: UserProblem[] }) {
  const { fresh } = useReading();
  if (problems.length === 0) return null;
  const isUnsure = problems.some((p) => p.isUnsure);
  return (
    <Alert color="red" title={isUnsure ? "It may have been changed all the same" : "Nothing was changed"} variant="outline" role="alert">
      <List size="sm">
        {problems.map((p, i) => (
          <List.Item key={i}>
            {sentenceOf(p)}
          </List.Item>
        ))}
      </List>
      {problems.some((p) => p.code === sessionEnded) && (
        <Text size="sm" mt={4}>
          Your session has ended.{" "}
          <Anchor href={`/oauth2/sign-in?${new URLSearchParams({ next: location.pathname })}`} target="_blank" size="sm" underline="always">
            Sign in again, in another tab
          </Anchor>
          , and send it once more: what you typed is still here.
        </Text>
      )}
      {isUnsure && problems[0]!.traceId && (
        <Suspense>
          <WhatCame traceId={problems[0]!.traceId} />
        </Suspense>
      )}
      {(isUnsure || problems.some((p) => p.code === "PRECONDITION_FAILED")) && (
        <Button size="compact-xs" variant="default" mt="xs" onClick={() => fresh(true)}>
          Read it again
        </Button>
      )}
    </Alert>
  );
}
